// Fork point: the chain and the block, from the origin or from the lock file.
import { ERRORS } from '@starkbox/spec';
import { RpcError } from '../../errors.js';
import { shortenText } from '../../terminal.js';
import { OriginError, OriginFailure, shownUrl } from './failure.js';
import { headerOf, readForkBlock } from './header.js';
import type { LockFile } from './lock-file.js';
import { canonical, isFelt } from './reads.js';
import type { Remote } from './remote.js';

export interface ForkPoint {
  readonly chainId: string;
  readonly header: object;
  readonly specVersion: string | undefined;
}

/** Chain and block, in as few requests as possible. */
async function lookUp(
  remote: Remote,
  block: number | string | undefined,
  urls: readonly string[],
): Promise<ForkPoint> {
  const [chainId, specVersion, answer] = await Promise.all([
    ask(remote, 'starknet_chainId', []),
    ask(remote, 'starknet_specVersion', []).catch(() => undefined),
    blockId(remote, block)
      .then((block_id) => ask(remote, 'starknet_getBlockWithTxHashes', { block_id }))
      .catch((error: unknown) => {
        const { code } = ERRORS.BLOCK_NOT_FOUND;
        if (!(error instanceof RpcError) || error.code !== code) throw error;
        const origin = urls.map(shownUrl).join(', ');
        throw new RpcError(code, `Block not found: ${origin} has no block ${block ?? 'latest'}`);
      }),
  ]);
  if (!isFelt(chainId)) throw new OriginFailure('malformed', '', 'its chain id is not a felt');
  return {
    chainId: canonical(chainId),
    header: headerOf(answer),
    specVersion: typeof specVersion === 'string' ? shortenText(specVersion, 32) : undefined,
  };
}

/** Errors include the origin's address, because no caller sent the question. */
async function ask(remote: Remote, method: string, params: unknown): Promise<unknown> {
  try {
    return await remote.ask(method, params, { insists: true });
  } catch (error) {
    throw error instanceof OriginError && !error.isAboutTheChain ? error.asFailure(method) : error;
  }
}

async function blockId(remote: Remote, block: number | string | undefined): Promise<unknown> {
  if (block === undefined) return 'latest';
  if (typeof block === 'string') return { block_hash: block };
  if (block >= 0) return { block_number: block };
  const latest = await ask(remote, 'starknet_blockNumber', []);
  if (typeof latest !== 'number') {
    throw new OriginFailure('malformed', '', 'its block number is not a number');
  }
  return { block_number: Math.max(0, latest + block) };
}

/** As `lookUp`; a lock file that the origin fails beside is named in the error. */
export async function lookUpLocked(
  remote: Remote,
  lock: LockFile | undefined,
  block: number | string | undefined,
  urls: readonly string[],
): Promise<ForkPoint> {
  try {
    return await lookUp(remote, block ?? lockedHash(lock), urls);
  } catch (error) {
    if (!lock?.origin || !(error instanceof OriginFailure)) throw error;
    const { number } = readForkBlock(lock.origin.block);
    throw error.withAdvice(
      `${lock.path} has block ${number}: add --offline to start from that file alone`,
    );
  }
}

function lockedHash(lock: LockFile | undefined): string | undefined {
  return lock?.origin && readForkBlock(lock.origin.block).hash;
}

export function lockedPoint(
  lock: LockFile | undefined,
  block: number | string | undefined,
): ForkPoint {
  if (!lock) throw new OriginFailure('missing', '', 'offline, and without a lock file');
  if (!lock.origin) {
    throw new OriginFailure(
      'missing',
      '',
      `offline, and the lock file does not exist: ${lock.path}`,
    );
  }
  const { chain_id: chainId, block: header } = lock.origin;
  const { number, hash } = readForkBlock(header);
  const isMeant =
    block === undefined ||
    (typeof block === 'string' ? block === hash : block < 0 || block === number);
  if (!isMeant) {
    const reason = `offline, and ${lock.path} is of block ${number}, not of ${block}`;
    throw new OriginFailure('missing', '', reason);
  }
  return { chainId, header, specVersion: undefined };
}
