// ABIs of classes and contracts, without their programs; those asked for together share one call.
import { type Abi, readAbi } from '@starkbox/abi';
import { call, isMissing } from './client.js';

/** The node takes this many in one call. */
const MAX_AT_ONCE = 1_000;

interface Answers {
  readonly abis: ReadonlyMap<string, unknown>;
  readonly classOf: ReadonlyMap<string, string>;
}

/** Classes and contracts of the next call. */
interface Batch {
  readonly classHashes: Set<string>;
  readonly addresses: Set<string>;
  readonly answers: Promise<Answers>;
}

const NO_ANSWERS: Answers = { abis: new Map(), classOf: new Map() };

let open: Batch | undefined;
let isServed = true;

/** Rejects for a class that does not exist. */
export async function readClassAbi(classHash: string): Promise<Abi> {
  const batch = openBatch();
  batch.classHashes.add(classHash);
  return abiIn(await batch.answers, classHash);
}

/** The ABI of the current class at an address. Rejects where no contract is. */
export async function readContractAbi(contract_address: string): Promise<Abi> {
  const batch = openBatch();
  batch.addresses.add(contract_address);
  const answers = await batch.answers;
  const classHash =
    answers.classOf.get(contract_address) ??
    (await call('starknet_getClassHashAt', { block_id: 'pre_confirmed', contract_address }));
  return abiIn(answers, classHash);
}

/** The program comes along for a node without `devnet_getAbis`, and for an ABI that an answer left out. */
async function abiIn({ abis }: Answers, class_hash: string): Promise<Abi> {
  const abi = abis.get(class_hash);
  if (abi !== undefined) return readAbi(abi);
  return readAbi((await call('starknet_getClass', { block_id: 'pre_confirmed', class_hash })).abi);
}

function openBatch(): Batch {
  if (open && open.classHashes.size + open.addresses.size < MAX_AT_ONCE) return open;
  const classHashes = new Set<string>();
  const addresses = new Set<string>();
  const answers = new Promise<void>((resolve) => setTimeout(resolve, 0)).then(() => {
    if (open?.answers === answers) open = undefined;
    return isServed ? ask([...classHashes], [...addresses]) : NO_ANSWERS;
  });
  open = { classHashes, addresses, answers };
  return open;
}

async function ask(
  class_hashes: readonly string[],
  contract_addresses: readonly string[],
): Promise<Answers> {
  try {
    const { classes, contracts } = await call('devnet_getAbis', {
      ...(class_hashes.length === 0 ? {} : { class_hashes }),
      ...(contract_addresses.length === 0 ? {} : { contract_addresses }),
    });
    return {
      abis: new Map(classes.map(({ class_hash, abi }) => [class_hash, abi])),
      classOf: new Map(contracts.map((row) => [row.contract_address, row.class_hash])),
    };
  } catch (error) {
    if (!isMissing(error)) throw error;
    isServed = false;
    return NO_ANSWERS;
  }
}
