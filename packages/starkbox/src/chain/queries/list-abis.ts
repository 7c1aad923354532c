// ABIs of many classes and contracts, without their programs.
import type { CLASS_OF_CONTRACT } from '@starkbox/spec';
import { invalidParams } from '../../errors.js';
import { JsonText } from '../../json/json.js';
import type { World } from '../world/world.js';
import type { Abis } from './abis.js';
import { inParallel } from './in-parallel.js';

/** Classes and contracts of one call. */
const MAX_COUNT = 1_000;
/** Classes that are read at once: on a fork, each may be a request to the origin. */
const WIDTH = 8;
/** Characters of the ABIs of one response. */
const MAX_CHARACTERS = 16 * 2 ** 20;

interface Requested {
  readonly classHashes: readonly string[];
  readonly addresses: readonly string[];
}

/** What does not exist is left out. */
export async function listAbis(
  world: World,
  abis: Abis,
  { classHashes, addresses }: Requested,
): Promise<{
  readonly classes: readonly { readonly class_hash: string; readonly abi: JsonText }[];
  readonly contracts: readonly CLASS_OF_CONTRACT[];
}> {
  const count = classHashes.length + addresses.length;
  if (count > MAX_COUNT) {
    invalidParams(`params: expected at most ${MAX_COUNT} classes and contracts, got ${count}`);
  }
  const state = world.pendingState;
  const contracts = await inParallel([...new Set(addresses)], WIDTH, async (address) => ({
    contract_address: address,
    class_hash: await state.classHashAt(address).catch(() => '0x0'),
  }));
  const deployed = contracts.filter(({ class_hash }) => class_hash !== '0x0');
  const hashes = new Set([...classHashes, ...deployed.map(({ class_hash }) => class_hash)]);
  let characters = 0;
  const texts = await inParallel([...hashes], WIDTH, async (hash) => {
    if (characters > MAX_CHARACTERS) return undefined;
    const text = await abis.textOf(hash, state);
    characters += text?.length ?? 0;
    return text === undefined ? undefined : { class_hash: hash, abi: new JsonText(text) };
  });
  return { classes: texts.flatMap((text) => text ?? []), contracts: deployed };
}
