// Bundles of executions of a chain: a transaction of a block, one that was refused or simulated, or a view call.

import { crc32 } from 'node:zlib';
import { membersOf } from '@starkbox/abi/basics';
import { type Retrace, type SourceQuestion, StateSource } from '@starkbox/engine';
import type { BLOCK_ID, BUNDLE, Methods } from '@starkbox/spec';
import { effectiveBlockGeneration } from '../../block-settings.js';
import { Chain } from '../../chain/chain.js';
import { Abis } from '../../chain/queries/abis.js';
import { callNames } from '../../chain/queries/call-names.js';
import { Explainer } from '../../chain/queries/explain.js';
import {
  checkSubject,
  locateRepeatable,
  locationAt,
  retraceAttempt,
  retraceCall,
  retraceTransaction,
} from '../../chain/retrace/retrace.js';
import { withNoSnapshots } from '../../chain/snapshots.js';
import { pendingNumber } from '../../chain/world/find-block.js';
import { labelled } from '../../chain/world/labels.js';
import { findTransaction, type World } from '../../chain/world/world.js';
import type { DebugInfos } from '../../debug-info/debug-infos.js';
import { loadArchivedWorld } from '../../dump/image/load-archived.js';
import { readImage } from '../../dump/image/read.js';
import { ImageError, sourceOfBytes } from '../../dump/image/source.js';
import { imageBytes } from '../../dump/image/write.js';
import { refuse } from '../../errors.js';
import type { Fork } from '../../fork/fork.js';
import { nameOf } from '../../fork/origin/reads.js';
import { parse, stringify } from '../../json/json.js';
import type { Log } from '../../log.js';
import { type CutRange, cutWorld, startOf, withStart } from './cut.js';
import {
  type BundleContent,
  type BundledArtifact,
  type BundledRead,
  type BundleSubject,
  checkName,
  LARGEST_BUNDLE,
  writeBundle,
} from './format.js';

export interface BundleOptions {
  readonly chain: Chain;
  readonly explainer: Explainer;
  readonly infos: DebugInfos;
  /** Of this package. */
  readonly version: string;
  /** Bytes of the longest answer. */
  readonly longest: number;
  readonly log: Log;
}

/** Characters of the longest function in a file name, and digits of the hash behind it. */
const MAX_NAME_LENGTH = 60;
const HASH_DIGITS = 8;
/** Characters of all source texts in a bundle. */
const MAX_SOURCE = 16 << 20;

type Request = Methods['devnet_getBundle']['params'];

/** An execution, and the blocks that it runs on. */
interface Located {
  readonly subject: BundleSubject;
  /** Of a transaction of a block. */
  readonly index?: number;
  readonly range: CutRange;
}

/** The bundle of an execution, in base64. */
export async function bundleOf(
  options: BundleOptions,
  request: Request,
  signal: AbortSignal | undefined,
): Promise<BUNDLE> {
  const { chain } = options;
  const { world } = chain;
  const located = locate(options, world, request);
  const content = await contentOf(options, world, located, signal);
  const pieces: Uint8Array[] = [];
  let length = 0;
  await writeBundle(content, {
    async write(bytes) {
      length += bytes.length;
      // Base64 encodes three bytes as four characters.
      const most = Math.min(LARGEST_BUNDLE, Math.floor(options.longest / 4) * 3);
      if (length > most) tooLong(most);
      pieces.push(bytes);
    },
  });
  const bytes = Buffer.concat(pieces);
  return { bundle: bytes.toString('base64'), bytes: bytes.length, name: content.header.name };
}

function tooLong(most: number): never {
  return refuse(
    `The bundle has more than ${most} bytes. Raise --maximum-response-size, up to 180,000,000 bytes, or send the transaction on a smaller chain.`,
  );
}

function locate({ chain, explainer }: BundleOptions, world: World, request: Request): Located {
  checkSubject(request);
  const { transaction_hash: hash, call, transactions, block_id, skip_validate } = request;
  if (hash !== undefined) return locateTransaction(chain, explainer, world, hash);
  const { blockId, range } = locateBlock(world, block_id);
  if (call) return { range, subject: { call, block_id: blockId } };
  return {
    range,
    subject: {
      ...(transactions ? { transactions } : {}),
      block_id: blockId,
      ...(skip_validate === undefined ? {} : { skip_validate }),
    },
  };
}

function locateBlock(
  world: World,
  id: BLOCK_ID = 'pre_confirmed',
): { readonly blockId: BLOCK_ID; readonly range: CutRange } {
  // Refuses a block whose state is not kept.
  const { number } = locationAt(world, id);
  return number === pendingNumber(world)
    ? { blockId: 'pre_confirmed', range: { first: number - 1, last: number } }
    : { blockId: { block_number: number }, range: { first: number, last: number } };
}

function locateTransaction(
  chain: Chain,
  explainer: Explainer,
  world: World,
  hash: string,
): Located {
  const refused = findTransaction(world, hash) ? undefined : explainer.getRefused(hash);
  if (!refused) {
    const { block, index } = locateRepeatable(chain, hash);
    return { range: { first: block - 1, last: block }, index, subject: { transaction_hash: hash } };
  }
  // Until the pending block is closed, it is the one that the transaction was refused on.
  const isPending = refused.block === pendingNumber(world);
  const id = isPending ? 'pre_confirmed' : { block_number: refused.block - 1 };
  const { blockId, range } = locateBlock(world, id);
  return { range, subject: { transactions: [refused.transaction], block_id: blockId } };
}

async function contentOf(
  options: BundleOptions,
  world: World,
  { subject, range, index }: Located,
  signal: AbortSignal | undefined,
): Promise<BundleContent> {
  const { chain, infos, version } = options;
  const { fork, genesis, chainId, chargesFee = true } = chain.options;
  const whole = await loadArchivedWorld(world, fork?.stateSource);
  const generation = effectiveBlockGeneration(world, chain.options);
  const cut = withAccountNames(
    await cutWorld(whole, range, { origin: fork?.stateSource, generation }),
    chain,
  );
  const writing = {
    chainId,
    writtenBy: `starkbox ${version}`,
    keepsJournal: false,
    origin: fork?.stateSource,
  };
  const { image } = await imageBytes(cut, writing, LARGEST_BUNDLE).catch((error: unknown) => {
    if (error instanceof ImageError) tooLong(LARGEST_BUNDLE);
    throw error;
  });
  const start =
    index === undefined
      ? undefined
      : await startOf({ world: whole, options: chain.options }, range.last, index);
  const reading = fork && (await recordReads(fork, image));
  const scratch = scratchChain(chain, await withStart(reading?.world ?? cut, start));
  const ran = await runAgain(scratch, subject, signal);
  const name = fileNameOf(await functionOf(scratch, ran), subject);
  const { transaction_hash } = subject;
  if (reading && transaction_hash !== undefined) {
    // An explanation reads more than the execution, such as the symbols of tokens.
    const explainer = new Explainer(scratch, infos, new Abis(), options.log);
    await explainer.transaction(transaction_hash, { signal });
  }
  const classes = [...new Set(ran?.frames.map(({ class_hash }) => class_hash))];
  if (reading) await reading.addClasses(classes);
  const casm = parse(await genesis.accountClass.casm());
  return {
    header: {
      version,
      compiler: String(membersOf(casm)['compiler_version'] ?? ''),
      chain_id: chainId,
      charges_fee: chargesFee,
      name,
    },
    subject,
    start,
    image,
    artifacts: await artifactsOf(infos, classes),
    reads: reading?.reads(),
  };
}

/** Labels name the accounts, so that the bundle needs neither their seed nor their class. */
function withAccountNames(world: World, { options: { genesis } }: Chain): World {
  return genesis.accounts.reduce(
    (named, { address }, index) =>
      named.labels.has(address) ? named : labelled(named, address, `account ${index}`),
    world,
  );
}

function scratchChain({ options, executions }: Chain, world: World): Chain {
  return new Chain(options, withNoSnapshots(world), undefined, executions.ofChain());
}

/** The execution in the cut world. */
function runAgain(
  chain: Chain,
  { transaction_hash, call, transactions = [], block_id, skip_validate = false }: BundleSubject,
  signal: AbortSignal | undefined,
): Promise<Retrace | undefined> {
  if (transaction_hash !== undefined)
    return retraceTransaction(chain, transaction_hash, { signal });
  const location = locationAt(chain.world, block_id);
  return call
    ? retraceCall(chain, call, location, { signal })
    : retraceAttempt(chain, [...transactions], location, { validate: !skip_validate, signal });
}

/** A function of a contract as part of a file name, with a hash of the execution. */
function fileNameOf(called: string, subject: BundleSubject): string {
  const { transaction_hash } = subject;
  const digits = transaction_hash?.slice(2) ?? crc32(stringify(subject)).toString(16);
  const plain = called.replaceAll(/[^\w.]+/g, '-').replaceAll(/^[-.]+|[-.]+$/g, '');
  return checkName(`${plain.slice(0, MAX_NAME_LENGTH)}-${digits.slice(0, HASH_DIGITS)}`);
}

/** The call that failed first in the account, or else the first call. */
async function functionOf(chain: Chain, ran: Retrace | undefined): Promise<string> {
  const { namesOf } = await import('@starkbox/abi');
  const frames = ran?.frames ?? [];
  const inner = frames.filter(({ depth }) => depth === 1);
  const frame = inner.find(({ failed }) => failed) ?? inner[0] ?? frames[0];
  if (!frame) return 'transaction';
  const { pendingState, labels } = chain.world;
  const abi = await new Abis().of(frame.class_hash, pendingState);
  const { contract_name, function_name } = callNames(frame, abi, {
    own: namesOf([], labels),
  });
  return function_name === undefined ? contract_name : `${contract_name}.${function_name}`;
}

/** Debug information and source texts of the classes that the node has them of, in the order of their hashes. */
async function artifactsOf(
  infos: DebugInfos,
  classes: readonly string[],
): Promise<readonly BundledArtifact[]> {
  const artifacts: BundledArtifact[] = [];
  let length = 0;
  for (const class_hash of classes.toSorted()) {
    const debug_info = infos.textOf(class_hash);
    if (debug_info === undefined) continue;
    const sources = new Map<string, string>();
    for (const file of [...(infos.get(class_hash)?.files ?? [])].sort()) {
      const source = await infos.texts(class_hash)?.read(file);
      if (!source) continue;
      length += source.text.length;
      if (length <= MAX_SOURCE) sources.set(file, source.text);
    }
    artifacts.push({ class_hash, debug_info, sources: Object.fromEntries(sources) });
  }
  return artifacts;
}

/** Reads of a forked network, recorded while the execution runs again in a world that has none of them in memory. */
interface RecordedReads {
  readonly world: World;
  /** Adds classes that ran: the engine may have had them in memory. */
  addClasses(hashes: readonly string[]): Promise<void>;
  reads(): readonly BundledRead[];
}

async function recordReads(fork: Fork, image: Uint8Array): Promise<RecordedReads> {
  const answers = new Map<string, BundledRead>();
  const ask = async (question: SourceQuestion): Promise<string | null> => {
    const answer = await fork.read(question);
    answers.set(nameOf(question), [question, answer]);
    return answer;
  };
  const origin = new StateSource(ask, fork.sourceOptions);
  const { world } = await readImage(sourceOfBytes(image), { origin });
  return {
    world,
    async addClasses(hashes) {
      const deployed = [...answers.values()].flatMap(([{ kind }, answer]) =>
        kind === 'class_hash' && answer !== null && answer !== '0x0' ? answer : [],
      );
      for (const class_hash of new Set([...hashes, ...deployed])) {
        const isLocal = world.pendingState.classSince(class_hash) !== undefined;
        if (!isLocal) await ask({ kind: 'class', class_hash });
      }
    },
    reads: () =>
      [...answers]
        .toSorted(([first], [other]) => (first < other ? -1 : 1))
        .map(([, answer]) => answer),
  };
}
