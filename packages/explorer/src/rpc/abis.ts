// ABIs of classes, without their programs; those asked for together share one call.
import { type Abi, readAbi } from '@starkbox/abi';
import { call, isMissing } from './client.js';

/** The node takes this many in one call. */
const MOST_AT_ONCE = 1_000;

let waiting: Promise<ReadonlyMap<string, unknown>> | undefined;
let gathered = new Set<string>();
let isServed = true;

/** Rejects for a class that does not exist. */
export async function readClassAbi(classHash: string): Promise<Abi> {
  const abi = isServed ? (await askedTogether(classHash)).get(classHash) : undefined;
  return readAbi(abi ?? (await wholeClass(classHash)).abi);
}

/** The program comes along; for a node without `devnet_getAbis`, and for what an answer left out. */
function wholeClass(class_hash: string) {
  return call('starknet_getClass', { block_id: 'pre_confirmed', class_hash });
}

function askedTogether(classHash: string): Promise<ReadonlyMap<string, unknown>> {
  if (gathered.size >= MOST_AT_ONCE) waiting = undefined;
  if (!waiting) {
    const hashes = new Set<string>();
    gathered = hashes;
    waiting = new Promise<void>((resolve) => setTimeout(resolve, 0)).then(() => {
      if (gathered === hashes) waiting = undefined;
      return ask([...hashes]);
    });
  }
  gathered.add(classHash);
  return waiting;
}

async function ask(class_hashes: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
  try {
    const { classes } = await call('devnet_getAbis', { class_hashes });
    return new Map(classes.map(({ class_hash, abi }) => [class_hash, abi]));
  } catch (error) {
    if (!isMissing(error)) throw error;
    isServed = false;
    return new Map();
  }
}
