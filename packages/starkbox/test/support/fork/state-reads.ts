// Reads of an origin's state, as the engine asks for it.
import type { OriginClient } from '../../../src/fork/origin/client.js';

type OriginReads = Pick<OriginClient, 'ask'>;

export const storageOf = async (
  { ask }: OriginReads,
  address: string,
  key: string,
): Promise<string> => (await ask({ kind: 'storage', address, key })) ?? '0x0';

export const nonceOf = async ({ ask }: OriginReads, address: string): Promise<string> =>
  (await ask({ kind: 'nonce', address })) ?? '0x0';

/** `0x0` without a contract. */
export const classHashOf = async ({ ask }: OriginReads, address: string): Promise<string> =>
  (await ask({ kind: 'class_hash', address })) ?? '0x0';

/** As JSON text. */
export const classText = ({ ask }: OriginReads, hash: string): Promise<string | null> =>
  ask({ kind: 'class', class_hash: hash });
