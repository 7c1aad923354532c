// Opening of bundles, which may come from other people: no file, host or option that they name is used.
import { Class, StateSource } from '@starkbox/engine';
import { EMPTY_MEMPOOL } from '../chain/mempool/mempool.js';
import { listClasses } from '../chain/queries/list-contracts.js';
import type { World } from '../chain/world/world.js';
import type { DebugInfos } from '../debug-info/debug-infos.js';
import { GivenTexts, MAX_TEXT_LENGTH } from '../debug-info/source-texts.js';
import { readImage } from '../dump/image/read.js';
import { sourceOfBytes, sourceOfFile } from '../dump/image/source.js';
import { BundleError, RpcError, reasonOf } from '../errors.js';
import { nameOf } from '../fork/origin/reads.js';
import { MAX_DEPTH, parse } from '../json/json.js';
import { MAX_VALUES } from '../json/reader.js';
import type { LocalChain } from '../library/local-chain.js';
import { silentLog } from '../log.js';
import { Lifecycle } from '../node/lifecycle.js';
import { startNode } from '../node/start.js';
import { packageVersion } from '../node/version.js';
import type { ChainService } from '../service/chain-service.js';
import { Protocol } from '../service/protocol.js';
import { stillGeneration, withStart } from './content/cut.js';
import {
  type BundleContent,
  type BundledArtifact,
  type BundledRead,
  type BundleHeader,
  type BundleSubject,
  checkName,
  readBundle,
} from './content/format.js';

/** The execution of a bundle, as a debugger takes it. */
export type BundleTarget =
  | { readonly transactionHash: string }
  | { readonly call: object; readonly blockId?: unknown }
  | {
      readonly transactions: readonly object[];
      readonly blockId?: unknown;
      readonly skipValidate?: boolean;
    };

/** A bundle that was read. */
export interface OpenedBundle {
  /** A chain in this process as it was around the execution. Close it. */
  readonly chain: LocalChain;
  /** The execution in it, as `openDebugger` of `@starkbox/debugger` takes it. */
  readonly target: BundleTarget;
  /** The contract, the function and a hash. */
  readonly name: string;
}

/**
 * Starts a chain in this process from a bundle.
 *
 * @throws BundleError if the file is no bundle, is damaged, or another version wrote it
 * @throws FileError if the file cannot be read
 */
export async function openBundle(file: string): Promise<OpenedBundle> {
  const source = sourceOfFile(file);
  try {
    const content = readBundle(source, packageVersion());
    const target = targetOf(await checkSubject(content.subject));
    // Everything is read and checked before the chain starts.
    const world = await worldOf(content);
    const artifacts = content.artifacts.map(readArtifact);
    const chain = await startChain(content.header, world, artifacts);
    return { chain, target, name: checkName(content.header.name) };
  } catch (error) {
    throw new BundleError(`${file} cannot be opened: ${reasonOf(error)}`, { cause: error });
  } finally {
    source.close();
  }
}

/** Checks the execution as the method that records it does. */
async function checkSubject(subject: BundleSubject): Promise<BundleSubject> {
  const { schema } = new Protocol(undefined, packageVersion());
  const read = await schema.reader('devnet_openDebugTrace');
  try {
    return read(subject);
  } catch (error) {
    const { data } = error instanceof RpcError ? error : {};
    throw new BundleError(`its execution is malformed: ${data ?? reasonOf(error)}`);
  }
}

function targetOf(subject: BundleSubject): BundleTarget {
  const { transaction_hash, call, transactions, block_id, skip_validate } = subject;
  const blockId = block_id === undefined ? {} : { blockId: block_id };
  if (transaction_hash !== undefined) return { transactionHash: transaction_hash };
  if (call) return { call, ...blockId };
  if (!transactions) throw new BundleError('it has no execution');
  const skipValidate = skip_validate === undefined ? {} : { skipValidate: skip_validate };
  return { transactions, ...blockId, ...skipValidate };
}

/** The world of the image, without what would change it. */
async function worldOf({ header, start, image, reads }: BundleContent): Promise<World> {
  const reading = { chainId: header.chain_id, origin: reads && originOf(reads) };
  const { world } = await readImage(sourceOfBytes(image), reading);
  if (!world.journal.isEmpty()) throw new BundleError('its image contains a journal');
  await checkClasses(world, reads ?? []);
  const generation = stillGeneration(world.blocks.generation);
  const blocks = { ...world.blocks, generation, l1Acceptance: undefined };
  const started = await withStart(world, start);
  return Object.freeze({ ...started, blocks, mempool: EMPTY_MEMPOOL });
}

/** What is compiled of a class is kept in a cache by its hash, for other chains too: each must be what its hash says. */
async function checkClasses(world: World, reads: readonly BundledRead[]): Promise<void> {
  const check = async (class_hash: string, text: string): Promise<void> => {
    const actual = await Class.hashOf(text).catch(() => undefined);
    if (actual !== class_hash) throw new BundleError(`the class ${class_hash} has another hash`);
  };
  let cursor: string | undefined;
  do {
    const { rows, next } = await listClasses(world, { cursor, limit: PAGE });
    for (const { class_hash } of rows) {
      const contractClass = await world.pendingState.class(class_hash);
      if (contractClass) await check(class_hash, await contractClass.json());
    }
    cursor = next;
  } while (cursor !== undefined);
  for (const [question, answer] of reads) {
    if (question.kind === 'class' && answer !== null) await check(question.class_hash, answer);
  }
}

/** Classes that are looked at together. */
const PAGE = 100;

/** Adds the debug information of a class to that of a chain. */
type ArtifactReader = (infos: DebugInfos) => void;

function readArtifact({ class_hash, debug_info, sources }: BundledArtifact): ArtifactReader {
  const isLong = Object.values(sources).some(({ length }) => length > MAX_TEXT_LENGTH);
  if (isLong) throw new BundleError(`a source file has more than ${MAX_TEXT_LENGTH} characters`);
  return (infos) => {
    const artifact = { sierra_program_debug_info: parse(debug_info, MAX_DEPTH, MAX_VALUES) };
    infos.add(class_hash, artifact, (files) => new GivenTexts(sources, files));
  };
}

function startChain(
  { chain_id: chainId, charges_fee: chargeFee }: BundleHeader,
  world: World,
  artifacts: readonly ArtifactReader[],
): Promise<LocalChain> {
  // The labels of its world name the accounts.
  const options = { chainId, chargeFee, accounts: 0, seed: 0, port: 0 };
  const load = async ({ chain, shared }: ChainService): Promise<void> => {
    for (const add of artifacts) add(shared.debugInfos);
    await chain.replace(world);
  };
  return startNode(options, { load }, new Lifecycle(silentLog));
}

/** The forked network, as far as the execution read it. */
function originOf(reads: readonly BundledRead[]): StateSource {
  const answers = new Map(reads.map(([question, answer]) => [nameOf(question), answer]));
  return new StateSource(async (question) => {
    const answer = answers.get(nameOf(question));
    if (answer !== undefined) return answer;
    throw new Error('the bundle has only the values of the forked network that its execution read');
  });
}
