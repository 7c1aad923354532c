// Reader of images: the world that an image holds, without executing anything.
import { setImmediate as turn } from 'node:timers/promises';
import { State, type StateSource } from '@starkbox/engine';
import { History } from '../../chain/history/history.js';
import { settleMempool } from '../../chain/mempool/restore.js';
import { checkBlock, type Declarations } from '../../chain/world/check-records.js';
import type { World } from '../../chain/world/world.js';
import { readWorldJson } from '../../chain/world/world-json.js';
import { List } from '../../immutable.js';
import { objectText } from '../../json/reader.js';
import { sliced } from '../../scheduling/slices.js';
import { ImageReader, type Progress, type SectionSize } from './format.js';
import { type ImageHeader, imageHeader, readHeader } from './header.js';
import { splitByPrefixes } from './length-prefix.js';
import { ImageError, type Source } from './source.js';

/** Requirements of the chain that loads the image; an absent one is not checked. */
export interface ReadOptions {
  readonly chainId?: string;
  /** Number of the first block, and its parent hash, which is not zero on a fork. */
  readonly first?: number;
  readonly parentHash?: string | undefined;
  /** Whether states of older blocks are kept. */
  readonly keepsHistory?: boolean;
  /** The origin of a fork. */
  readonly origin?: StateSource | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

// Limits of what sections unpack to, in times the size of the whole image. Real images reach 2 to 10.
const MAX_GAINED = 64;
/** The engine holds a state in up to twenty times its bytes. */
const MAX_GAINED_BY_STATES = 8;
/** Blocks are written as they are, because their texts are packed already. */
const NOT_PACKED = 0;

/** Length of a call without parameters and id, in bytes. */
const SHORTEST_CALL = '{"method":"devnet_"}'.length;

export interface Loaded {
  readonly header: ImageHeader;
  readonly sections: readonly SectionSize[];
  readonly world: World;
}

/** Throws an `ImageError` if the source is not an image, is damaged, or does not fit the chain. */
export async function readImage(source: Source, reading: ReadOptions = {}): Promise<Loaded> {
  // Verification takes a tenth of the time of reading, and rejects damaged images early.
  const { header, sections } = await surveyImage(source);
  assertFits(header, reading);
  // States are read mostly by an engine thread, while this thread reads the blocks.
  const parts = [
    readOthers(source, reading),
    turn().then(() => readBlocks(source, header)),
  ] as const;
  // The caller may close the source after an error, so both reads must have ended.
  await Promise.allSettled(parts);
  const [others, { history, declarations }] = await Promise.all(parts);
  assertFollows(history, reading);
  try {
    const world = joinHistory(history, others, reading);
    assertHeader(world, header);
    assertDifferences(world, header);
    await assertClasses(world, declarations);
    return { header, sections, world };
  } catch (error) {
    throw new ImageError(`the image is damaged: ${error instanceof Error ? error.message : error}`);
  }
}

function assertHeader(world: World, header: ImageHeader): void {
  const { written_by: writtenBy, chain_id: chainId, keeps_history, genesis } = header;
  const keepsJournal = header.journal_calls !== null;
  const context = { writtenBy, chainId, keepsJournal, genesis };
  const actual = { ...imageHeader(world, context), keeps_history };
  const wrong = names(actual).find((name) => actual[name] !== header[name]);
  must(wrong === undefined, `its header does not match its content: ${wrong}`);
}

function names<T extends object>(value: T): readonly (keyof T & string)[] {
  const keys: (keyof T & string)[] = [];
  for (const key in value) keys.push(key);
  return keys;
}

/** A state with history has the diffs of all blocks; otherwise each block has its own. */
function assertDifferences(
  { history, pendingState: state }: World,
  { keeps_history: keepsHistory }: ImageHeader,
): void {
  if (keepsHistory) {
    must(state.firstVersion <= history.first, `the state of block ${history.first} is missing`);
    return;
  }
  for (let number = history.first; number < history.next; number += 1) {
    must(history.carriesDiff(number), `the changes of block ${number} are missing`);
  }
}

/** Every declared class must be in the state, because transactions are run again with it. */
async function assertClasses(world: World, declarations: Declarations): Promise<void> {
  const { pendingState: state, pending } = world;
  const declared = new Map(declarations);
  for (const [index, { record }] of pending.transactions.entries()) {
    const { type, class_hash } = objectText(record.transaction, 'transaction');
    if (type === 'DECLARE') declared.set(String(class_hash), `pending[${index}].transaction`);
  }
  for await (const [hash, where] of sliced(declared)) {
    must((await state.class(hash)) !== undefined, `${where}: there is no class ${hash}`);
  }
}

interface CheckedBlocks {
  readonly history: History;
  readonly declarations: Declarations;
}

async function readBlocks(source: Source, { first_block }: ImageHeader): Promise<CheckedBlocks> {
  const reader = new ImageReader(source);
  const declarations: Declarations = new Map();
  try {
    reader.begin();
    must(reader.next() === 'moment', 'the section "moment" is missing');
    await reader.skip();
    must(reader.next() === 'blocks', 'the section "blocks" is missing');
    const records = splitByPrefixes(reader.pieces(NOT_PACKED));
    const history = await History.restore(first_block, records, (number, block, before) =>
      checkBlock(number, block, before, declarations),
    );
    must(history.latest !== undefined, 'there is no block');
    return { history, declarations };
  } catch (error) {
    throw reader.explain(error);
  }
}

type Others = Omit<World, 'history' | 'archived'>;

/** Reads all sections but the blocks, in the order of the file. */
async function readOthers(source: Source, { origin, onProgress }: ReadOptions): Promise<Others> {
  const reader = new ImageReader(source, onProgress);
  try {
    reader.begin();
    must(reader.next() === 'moment', 'the section "moment" is missing');
    const rest = readWorldJson(Buffer.concat([...reader.pieces(MAX_GAINED)]).toString());
    must(rest.messages.l1 === undefined, 'an image cannot contain a connection to L1');
    must(reader.next() === 'blocks', 'the section "blocks" is missing');
    await reader.skip();
    must(reader.next() === 'state', 'the section "state" is missing');
    const state = await State.import(reader.pieces(MAX_GAINED_BY_STATES), origin);
    let next = reader.next();
    let latest: State | undefined;
    if (next === 'latest') {
      latest = await State.import(reader.pieces(MAX_GAINED_BY_STATES), origin);
      next = reader.next();
    }
    latest ??= await state.rewind(state.version - 1);
    must(latest.version === state.version, 'the two states have different versions');
    let journal = List<string>();
    if (next === 'journal') {
      const calls: string[] = [];
      for await (const call of sliced(splitByPrefixes(reader.pieces(MAX_GAINED), SHORTEST_CALL))) {
        calls.push(Buffer.from(call).toString());
      }
      journal = List(calls);
      next = reader.next();
    }
    must(next === undefined, `the section "${next}" is unknown`);
    const mempool = await settleMempool(rest.mempool, (address) => state.nonceAt(address));
    const directWrites: World['directWrites'] = [];
    return { ...rest, mempool, pendingState: state, latestState: latest, directWrites, journal };
  } catch (error) {
    throw reader.explain(error);
  }
}

function joinHistory(
  history: History,
  others: Others,
  { keepsHistory = true }: ReadOptions,
): World {
  const { pendingState: state, acceptedOnL1, messages } = others;
  must(state.version === history.next, 'blocks and state have different versions');
  must((acceptedOnL1 ?? 0) < history.next, 'an accepted block is missing');
  must(
    messages.outgoing.every(({ block }) => block < history.next),
    'the block of a message is missing',
  );
  return Object.freeze({
    ...others,
    keepsHistory: others.keepsHistory && keepsHistory,
    history,
    archived: undefined,
  });
}

function assertFits(header: ImageHeader, { chainId, first }: ReadOptions): void {
  if (chainId !== undefined && header.chain_id !== chainId) {
    throw new ImageError(
      `the image belongs to the chain ${header.chain_id}, and this one is ${chainId}: start with --chain-id ${header.chain_id}`,
    );
  }
  if (first !== undefined && header.first_block !== first) {
    throw new ImageError(
      `the image begins at block ${header.first_block}, and this chain at block ${first}: they are not forks of the same block`,
    );
  }
}

function assertFollows(history: History, { parentHash }: ReadOptions): void {
  const actualHash = history.header(history.first)?.parentHash;
  if (parentHash !== undefined && actualHash !== parentHash) {
    throw new ImageError(
      `the image is of a fork of block ${actualHash}, and this chain of one of ${parentHash}`,
    );
  }
}

/** The header alone; only its own checksum is verified. */
export function headerIn(source: Source): ImageHeader {
  return readHeader(new ImageReader(source).begin());
}

/** The header and the sizes of the sections; verifies all checksums without decompressing. */
async function surveyImage(source: Source): Promise<Omit<Loaded, 'world'>> {
  const reader = new ImageReader(source);
  try {
    const header = readHeader(reader.begin());
    while (reader.next() !== undefined) await reader.skip();
    return { header, sections: reader.sizes };
  } catch (error) {
    throw reader.explain(error);
  }
}

/** The reader adds the section, unless the error concerns the whole image. */
function must(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}
