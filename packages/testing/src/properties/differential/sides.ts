// The two sides of a comparison: branches on which contracts have different classes.
import { readFile } from 'node:fs/promises';
import { canonicalFelt } from '@starkbox/abi/basics';
import type { CallBranch } from 'starkbox';
import type { LocalTestChain } from '../../test-chain.js';

/** A chain, or a chain on which some contracts have other classes. */
export type DifferentialSide =
  | LocalTestChain
  | {
      readonly chain: LocalTestChain;
      /** By address: the path of a compiled class, its content, or the hash of a declared class. */
      readonly classes: Readonly<Record<string, string | URL | object>>;
    };

const HASH = /^0x[0-9a-f]+$/i;

interface ReadSide {
  readonly chain: LocalTestChain;
  readonly classes: ReadonlyMap<string, string | URL | object>;
}

function readSide(side: DifferentialSide): ReadSide {
  if (!('classes' in side)) return { chain: side, classes: new Map() };
  const classes = Object.entries(side.classes).map(([text, artifact]) => {
    const address = canonicalFelt(text);
    if (address === undefined) {
      throw new TypeError(`Expected addresses as the keys of "classes", not ${text}`);
    }
    return [address, artifact] as const;
  });
  return { chain: side.chain, classes: new Map(classes) };
}

/**
 * Opens both sides at the same time, and at the same block of one chain: a class that one side replaces is replaced on the other too, by the
 * class that the contract has there.
 */
export async function openSides(
  a: DifferentialSide,
  b: DifferentialSide,
): Promise<{ readonly a: CallBranch; readonly b: CallBranch; readonly chain: LocalTestChain }> {
  const [first, second] = [readSide(a), readSide(b)];
  const addresses = [...new Set([...first.classes.keys(), ...second.classes.keys()])];
  const branches = {
    a: await openSide(first, addresses),
    b: await openSide(second, addresses),
  };
  alignTimes(branches.a, branches.b);
  return { ...branches, chain: first.chain };
}

/** Two chains were created at different times. */
function alignTimes(a: CallBranch, b: CallBranch): void {
  const gap = a.time - b.time;
  if (gap > 0) b.increaseTime(gap);
  if (gap < 0) a.increaseTime(-gap);
}

async function openSide(
  { chain, classes }: ReadSide,
  addresses: readonly string[],
): Promise<CallBranch> {
  const branch = chain.callBranch();
  for (const address of addresses) {
    const artifact = classes.get(address);
    await branch.onChain(async (local) => {
      const replacement =
        artifact === undefined
          ? { class_hash: await classHashAt(local, address) }
          : await replacementOf(artifact);
      await local.request('devnet_replaceClass', { contract_address: address, ...replacement });
    });
  }
  return branch;
}

function classHashAt(chain: Pick<LocalTestChain, 'request'>, address: string): Promise<string> {
  return chain.request('starknet_getClassHashAt', {
    block_id: 'pre_confirmed',
    contract_address: address,
  });
}

async function replacementOf(
  artifact: string | URL | object,
): Promise<
  { readonly class_hash: string } | { readonly contract_class: Readonly<Record<string, unknown>> }
> {
  if (typeof artifact === 'string' && HASH.test(artifact)) return { class_hash: artifact };
  const isFile = typeof artifact === 'string' || artifact instanceof URL;
  const contract_class: unknown = isFile ? JSON.parse(await readFile(artifact, 'utf8')) : artifact;
  if (typeof contract_class === 'object' && contract_class !== null) {
    return { contract_class: { ...contract_class } };
  }
  throw new TypeError(
    `Expected a compiled class in ${String(artifact)}, not ${typeof contract_class}`,
  );
}
