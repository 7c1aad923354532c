// State of the playground, and what its buttons do.
import { type Names, namesOf } from '@starkbox/abi';
import { createStore, type Store } from '@starkbox/explorer';
import type { Chain, PredeployedAccount, RemoteChain } from 'starkbox/client';
import {
  imageOfChain,
  type LoadProgress,
  loadImage,
  newImage,
  nodeOfPage,
  openChain,
  type PageChain,
} from './chain.js';
import { compile } from './compile.js';
import { artifactOf, CONTRACTS, contractWith, type ReadyContract } from './contracts.js';
import type { LineMark } from './editor.js';
import {
  type BaseImage,
  fragmentOf,
  InvalidLink,
  isStateFragment,
  MAX_FRAGMENT_LENGTH,
  readFragment,
  type SharedState,
} from './link.js';
import {
  addSource,
  contractsOf,
  deploy,
  failedLine,
  failureOf,
  isDeclared,
  type Outcome,
  type SourceClass,
} from './session.js';

export type ChainPhase =
  | { readonly phase: 'loading'; readonly progress: LoadProgress | undefined }
  | { readonly phase: 'failed'; readonly message: string }
  | {
      readonly phase: 'ready';
      readonly page: PageChain;
      readonly chain: RemoteChain;
    };

export interface Notice {
  readonly isFailure: boolean;
  readonly text: string;
}

export interface PlaygroundState {
  readonly chain: ChainPhase;
  readonly contract: ReadyContract;
  /** The text in the editor. */
  readonly source: string;
  /** The class of the editor, once it is loaded or compiled. */
  readonly sourceClass: SourceClass | undefined;
  /** Contracts of that class, oldest first. */
  readonly deployed: readonly string[];
  /** The contract that functions are called on. */
  readonly address: string | undefined;
  readonly marks: readonly LineMark[];
  readonly notice: Notice | undefined;
  /** Increases when the chain is replaced: results of the old one disappear. */
  readonly epoch: number;
}

const first = contractWith(undefined);

export const playground: Store<PlaygroundState> = createStore<PlaygroundState>({
  chain: { phase: 'loading', progress: undefined },
  contract: first,
  source: first.source,
  sourceClass: undefined,
  deployed: [],
  address: undefined,
  marks: [],
  notice: undefined,
  epoch: 0,
});

function update(changes: Partial<PlaygroundState>): void {
  playground.set({ ...playground.get(), ...changes });
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function notify(text: string, isFailure = false): void {
  update({ notice: { isFailure, text } });
}

export function dismissNotice(): void {
  update({ notice: undefined });
}

/** @param at how many contracts of the class are older */
function labelOf(id: string, at: number): string {
  return at === 0 ? id : `${id} ${at + 1}`;
}

/** Names of the accounts, and of the contracts of the class in the editor. */
export function namesIn(
  accounts: readonly PredeployedAccount[] | undefined,
  { id }: ReadyContract,
  deployed: readonly string[],
): Names {
  return namesOf(
    accounts?.map(({ address }) => address) ?? [],
    deployed.map((address, at) => [address, labelOf(id, at)]),
  );
}

/** Runs the work of a button; a failure becomes a notice. */
export function perform(work: () => Promise<void>): void {
  work().catch((error: unknown) => notify(textOf(error), true));
}

/** Opens the chain, with the state of the link if there is one. */
export async function start(): Promise<void> {
  choose(first.id);
  update({ chain: { phase: 'loading', progress: undefined }, notice: undefined });
  try {
    const page = await openChain((progress) => update({ chain: { phase: 'loading', progress } }));
    const { chain } = page;
    const state = await linkedState(chain);
    if (state) await replaceChain(chain, state.image);
    update({ chain: { phase: 'ready', page, chain } });
    const { contract, sourceClass } = playground.get();
    if (state) choose(state.contract, state.source);
    else if (sourceClass) await setClass(contract, sourceClass);
  } catch (error) {
    update({ chain: { phase: 'failed', message: textOf(error) } });
  }
}

/** The chain, once it is ready; undefined if it does not start. */
function readyChain(): Promise<Chain | undefined> {
  return new Promise((resolve) => {
    const settle = (): boolean => {
      const { chain } = playground.get();
      if (chain.phase === 'loading') return false;
      resolve(chain.phase === 'ready' ? chain.chain : undefined);
      return true;
    };
    if (settle()) return;
    const end = playground.subscribe(() => {
      if (settle()) end();
    });
  });
}

/** Replaces the chain by that of a link, which was put into the address of the open page. */
export async function openLink(): Promise<void> {
  const { chain, epoch } = playground.get();
  if (chain.phase !== 'ready' || !mayOpenLink()) return;
  const state = await readFragment(location.hash, baseBy(chain.chain));
  await replaceChain(chain.chain, state.image);
  update({ notice: undefined, epoch: epoch + 1 });
  choose(state.contract, state.source);
}

/** Whether the address holds a chain. Other programs use the chain of a node too, so its user decides. */
function mayOpenLink(): boolean {
  if (!isStateFragment(location.hash)) return false;
  const node = nodeOfPage();
  return (
    node === null ||
    confirm(`This link holds a chain. Do you want to replace the whole chain of ${node} with it?`)
  );
}

async function linkedState(chain: RemoteChain): Promise<SharedState | undefined> {
  if (!mayOpenLink()) return undefined;
  try {
    return await readFragment(location.hash, baseBy(chain));
  } catch (error) {
    if (!(error instanceof InvalidLink)) throw error;
    notify(`${error.message} This is a new chain.`, true);
    return undefined;
  }
}

/** Shows a ready contract, and finds the contracts of its class. */
export function choose(id: string, source?: string): void {
  const contract = contractWith(id);
  update({
    contract,
    source: source ?? contract.source,
    sourceClass: undefined,
    deployed: [],
    address: undefined,
    marks: [],
  });
  perform(async () => {
    const { file, source: text } = contract;
    const sourceClass = { artifact: await artifactOf(contract), file, source: text };
    if (playground.get().contract === contract) await setClass(contract, sourceClass);
  });
}

async function setClass(contract: ReadyContract, sourceClass: SourceClass): Promise<void> {
  update({ sourceClass });
  const { chain } = playground.get();
  if (chain.phase !== 'ready') return;
  const classHash = await addSource(chain.chain, sourceClass);
  const listed = await contractsOf(chain.chain, classHash);
  if (playground.get().contract !== contract) return;
  // A contract may have been deployed while the list was read.
  const added = playground.get().deployed.filter((address) => !listed.includes(address));
  const deployed = [...listed, ...added];
  update({ deployed, address: deployed.at(-1) });
}

export function selectContract(address: string): void {
  update({ address });
}

export function edit(source: string): void {
  update({ source, marks: [] });
}

/** Compiles the text in the editor, if the page has a compiler. */
export async function compileSource(): Promise<void> {
  const { contract, source } = playground.get();
  if (!compile) return;
  const compiled = await compile(source);
  if ('diagnostics' in compiled) {
    const marks = compiled.diagnostics.map(({ line, message }) => ({ line, text: message }));
    update({ marks });
    notify(`The contract does not compile: ${marks[0]?.text ?? 'no reason was given'}`, true);
    return;
  }
  update({ marks: [], notice: undefined });
  await setClass(contract, { ...compiled, source });
}

/**
 * Deploys the class of the editor, once the chain is ready.
 *
 * @param encode returns the arguments; undefined if one is wrong
 * @returns the outcome if it fails
 */
export async function deployContract(
  encode: (names: Names) => readonly string[] | undefined,
): Promise<Outcome | undefined> {
  const chain = await readyChain();
  const { sourceClass, contract, deployed: before } = playground.get();
  const calldata = chain && encode(namesIn(chain.accounts, contract, before));
  if (!chain || !sourceClass || !calldata) return undefined;
  try {
    const label = labelOf(contract.id, before.length);
    const address = await deploy(chain, sourceClass, calldata, label);
    const { deployed, contract: current } = playground.get();
    if (current === contract) update({ deployed: [...deployed, address], address, marks: [] });
    return undefined;
  } catch (error) {
    const outcome = failureOf(error);
    markFailure(outcome);
    return outcome;
  }
}

/** Marks the line of a failure in the editor, and removes the mark of the last one. */
export function markFailure(outcome: Outcome): void {
  const { sourceClass, source } = playground.get();
  const line =
    outcome.kind === 'failed' && outcome.explanation && sourceClass?.source === source
      ? failedLine(outcome.explanation, sourceClass.file)
      : undefined;
  const isFailed = outcome.kind === 'failed' && line !== undefined;
  update({ marks: isFailed ? [{ line, text: outcome.message }] : [] });
}

/** Begins again with a new chain. */
export async function reset(): Promise<void> {
  const { chain, contract, epoch } = playground.get();
  if (chain.phase !== 'ready') return;
  await chain.chain.request('devnet_restart');
  history.replaceState(null, '', location.pathname + location.search);
  update({ notice: undefined, epoch: epoch + 1 });
  choose(contract.id);
}

function baseBy(chain: RemoteChain): BaseImage {
  return async (ids) => {
    const ready = CONTRACTS.filter(({ id }) => ids.includes(id));
    return newImage(chain, await Promise.all(ready.map(artifactOf)));
  };
}

/** Images hold no sources. */
async function replaceChain(chain: Chain, image: Uint8Array): Promise<void> {
  await loadImage(chain, image);
  await addReadySources(chain);
}

/** Adds the sources of all ready contracts; returns their ids and class hashes. */
function addReadySources(chain: Chain): Promise<readonly (readonly [id: string, hash: string])[]> {
  return Promise.all(
    CONTRACTS.map(async (contract) => {
      const sourceClass = { ...contract, artifact: await artifactOf(contract) };
      return [contract.id, await addSource(chain, sourceClass)] as const;
    }),
  );
}

async function sharedState(chain: RemoteChain): Promise<SharedState> {
  const { contract, source } = playground.get();
  const image = await imageOfChain(chain);
  const classes: string[] = [];
  for (const [id, classHash] of await addReadySources(chain)) {
    if (await isDeclared(chain, classHash)) classes.push(id);
  }
  return {
    contract: contract.id,
    classes,
    image,
    ...(source === contract.source ? {} : { source }),
  };
}

/** Copies a link with the whole state, and shows it in the address. */
export async function copyLink(): Promise<void> {
  const { chain } = playground.get();
  if (chain.phase !== 'ready') return;
  notify('Writing the link …');
  const fragment = await fragmentOf(await sharedState(chain.chain), baseBy(chain.chain));
  if (fragment.length > MAX_FRAGMENT_LENGTH) {
    const kilobytes = Math.ceil(fragment.length / 1000);
    notify(
      `A link with this chain would take ${kilobytes} KB; the limit is ${MAX_FRAGMENT_LENGTH / 1000} KB. Download the chain as a file instead.`,
      true,
    );
    return;
  }
  history.replaceState(null, '', location.pathname + location.search + fragment);
  try {
    await navigator.clipboard.writeText(location.href);
    notify('The link with the whole chain is in the clipboard.');
  } catch {
    notify('The browser denies access to the clipboard: copy the address of this page.');
  }
}

/** Saves the chain as an image, which a node loads too. */
export async function download(): Promise<void> {
  const { chain } = playground.get();
  if (chain.phase !== 'ready') return;
  const image = await imageOfChain(chain.chain);
  const url = URL.createObjectURL(new Blob([image], { type: 'application/octet-stream' }));
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = 'playground.image';
  anchor.click();
  URL.revokeObjectURL(url);
}

/** Replaces the chain by the image in a file. */
export async function openFile(file: File): Promise<void> {
  const { chain, contract, epoch } = playground.get();
  if (chain.phase !== 'ready') return;
  try {
    await replaceChain(chain.chain, new Uint8Array(await file.arrayBuffer()));
  } catch (error) {
    notify(`${file.name} was not opened. ${textOf(error)}`, true);
    return;
  }
  update({ notice: { isFailure: false, text: `${file.name} is open.` }, epoch: epoch + 1 });
  choose(contract.id);
}
