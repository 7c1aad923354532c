// Names of contracts, classes and functions.
import type { Abi, Names } from '@starkbox/abi';
import { shortAddress } from '@starkbox/abi/basics';
import { commonFunctions, distinctNames, FIXTURE_NAMES } from '@starkbox/abi/internal';
import type { NAME_SOURCE, TOKEN_FACTS } from '@starkbox/spec';
import { createContext, useContext, useEffect, useMemo, useSyncExternalStore } from 'react';
import { escapeText } from './untrusted-text.js';

const MAX_LABEL_LENGTH = 60;
/** Names that are kept; a page shows far fewer. */
const MAX_LOADED = 5_000;

type Label = { readonly value: string; readonly label: string };

/** Labels with their addresses, safe to show. */
export function safeLabels(
  labels: readonly Label[],
): (readonly [address: string, label: string])[] {
  return labels.map(({ value, label }) => [value, escapeText(label, MAX_LABEL_LENGTH).text]);
}

/** Numbers in names are compared by their value. */
export const NAME_ORDER = new Intl.Collator('en', { numeric: true });

/** Names of predeployed accounts and labelled contracts. */
export const NamesContext = createContext<Names>(FIXTURE_NAMES);

/** A name as the node returns it. */
export interface LoadedName {
  readonly name: string;
  readonly source: NAME_SOURCE;
  readonly classHash?: string | undefined;
  readonly token?: TOKEN_FACTS | undefined;
}

/** Sources of names that no contract can take from another. */
const GIVEN: ReadonlySet<NAME_SOURCE> = new Set(['LABEL', 'ACCOUNT', 'WELL_KNOWN']);

type Load = (felts: readonly string[]) => Promise<ReadonlyMap<string, LoadedName>>;

/** Names that the node gave, loaded in bulk for what is on the page. */
class LoadedNames {
  readonly #entries = new Map<string, LoadedName>();
  readonly #listeners = new Set<() => void>();
  /** How many mounted components show each felt. */
  readonly #shown = new Map<string, number>();
  readonly #loading = new Map<string, Promise<void>>();
  #queue = new Set<string>();
  #flushing: Promise<void> | undefined;
  #load: Load | undefined;
  #texts: Names | undefined;

  /** Sets the function that asks the node. */
  loadWith(load: Load): void {
    this.#load = load;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get(felt: string): LoadedName | undefined {
    return this.#entries.get(felt);
  }

  /** Names by felt, without those that are only addresses; the same map until a name changes. */
  readonly texts = (): Names => {
    this.#texts ??= distinctTexts(this.#entries);
    return this.#texts;
  };

  /** Keeps names of shown felts loaded until the returned function is called. */
  show(felts: readonly string[]): () => void {
    for (const felt of felts) this.#shown.set(felt, (this.#shown.get(felt) ?? 0) + 1);
    // A contract may have been deployed since it was found to have no class.
    this.load(felts.filter((felt) => this.#entries.get(felt)?.classHash === undefined)).catch(
      () => undefined,
    );
    return () => {
      for (const felt of felts) {
        const count = (this.#shown.get(felt) ?? 0) - 1;
        if (count > 0) this.#shown.set(felt, count);
        else this.#shown.delete(felt);
      }
    };
  }

  /** Resolves when the node has answered; a failure leaves the names out. */
  async load(felts: readonly string[]): Promise<void> {
    const pending = new Set<Promise<void>>();
    for (const felt of felts) {
      const loading = this.#loading.get(felt);
      if (loading) pending.add(loading);
      else this.#queue.add(felt);
    }
    if (this.#queue.size > 0) {
      this.#flushing ??= nextTick().then(() => this.#flush());
      pending.add(this.#flushing);
    }
    await Promise.all(pending);
  }

  /** Loads the names on the page again, and forgets all others. */
  refresh(): void {
    for (const felt of this.#entries.keys()) {
      if (!this.#shown.has(felt)) this.#entries.delete(felt);
    }
    this.load([...this.#shown.keys()]).catch(() => undefined);
  }

  async #flush(): Promise<void> {
    const felts = [...this.#queue];
    this.#queue = new Set();
    this.#flushing = undefined;
    const load = this.#load;
    if (!load || felts.length === 0) return;
    const loading = load(felts).then(
      (names) => this.#take(names),
      () => undefined,
    );
    for (const felt of felts) this.#loading.set(felt, loading);
    await loading;
    for (const felt of felts) this.#loading.delete(felt);
  }

  #take(names: ReadonlyMap<string, LoadedName>): void {
    for (const [felt, entry] of names) this.#entries.set(felt, entry);
    if (this.#entries.size > MAX_LOADED) {
      for (const felt of this.#entries.keys()) {
        if (!this.#shown.has(felt)) this.#entries.delete(felt);
      }
    }
    this.#texts = undefined;
    for (const listener of this.#listeners) listener();
  }
}

/** Components of one rendering share a request. */
const nextTick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Names of one request carry addresses only where that request has another contract of that name. */
function distinctTexts(entries: ReadonlyMap<string, LoadedName>): Names {
  const named: [felt: string, name: string][] = [];
  const given = new Map<string, string>();
  for (const [felt, { name, source }] of entries) {
    if (source === 'ADDRESS') continue;
    if (GIVEN.has(source)) given.set(felt, name);
    const suffix = ` ${shortAddress(felt)}`;
    const isPlain = GIVEN.has(source) || !name.endsWith(suffix);
    named.push([felt, isPlain ? name : name.slice(0, -suffix.length)]);
  }
  const reserved = new Set(Array.from(given.values(), (name) => name.toLowerCase()));
  const distinct = distinctNames(named, { names: given, reserved });
  return new Map(
    named.map(([felt, name]) => {
      // The node also knows names that are not loaded here.
      const text =
        distinct(felt, name) === name ? (entries.get(felt)?.name ?? name) : distinct(felt, name);
      return [felt, escapeText(text, 2 * MAX_LABEL_LENGTH).text];
    }),
  );
}

export const contractNames: LoadedNames = new LoadedNames();
export const classNames: LoadedNames = new LoadedNames();

/** Loads names again after a change of the chain, of labels or of artifacts. */
export function refreshNames(): void {
  contractNames.refresh();
  classNames.refresh();
}

/** Loads the names of felts while they are shown. */
function useShown(names: LoadedNames, felts: readonly string[]): void {
  const key = felts.join();
  useEffect(() => names.show(key === '' ? [] : key.split(',')), [names, key]);
}

/** Names of predeployed accounts and labelled contracts, which users can type. */
export function useOwnNames(): Names {
  return useContext(NamesContext);
}

/** All names that are known; {@link useNamesOf} loads names. */
export function useNames(): Names {
  const given = useContext(NamesContext);
  const loaded = useSyncExternalStore(contractNames.subscribe, contractNames.texts);
  return useMemo(() => new Map([...loaded, ...given]), [given, loaded]);
}

/** All names that are known, and the names of some contracts, once they are loaded. */
export function useNamesOf(addresses: readonly string[]): Names {
  useShown(contractNames, addresses);
  return useNames();
}

/** What the node says about a contract, loaded with the other names of the page. */
export function useContractFacts(address: string): LoadedName | undefined {
  useShown(contractNames, [address]);
  return useSyncExternalStore(contractNames.subscribe, () => contractNames.get(address));
}

/** The name of a contract; undefined until one is known, and for a contract without. */
export function useContractName(address: string): string | undefined {
  const givenName = useContext(NamesContext).get(address);
  useShown(contractNames, givenName === undefined ? [address] : []);
  const loaded = useSyncExternalStore(contractNames.subscribe, () =>
    contractNames.texts().get(address),
  );
  return givenName ?? loaded;
}

/** Loads the names of classes together with the other names of the page. */
export function useClassNamesOf(classHashes: readonly string[]): void {
  useShown(classNames, classHashes);
}

/** The name of a class; undefined until one is known, and for a class without. */
export function useClassName(classHash: string): string | undefined {
  const givenName = useContext(NamesContext).get(classHash);
  useShown(classNames, givenName === undefined ? [classHash] : []);
  const loaded = useSyncExternalStore(classNames.subscribe, () =>
    classNames.texts().get(classHash),
  );
  return givenName ?? loaded;
}

/** Common functions are known before any class is read. */
const functionNames = new Map(commonFunctions());
const functionListeners = new Set<() => void>();

function onFunctions(listener: () => void): () => void {
  functionListeners.add(listener);
  return () => functionListeners.delete(listener);
}

/**
 * Remembers the function names of an ABI, and returns the ABI. A name is right wherever its hash is the selector.
 */
export function learnNames(abi: Abi): Abi {
  const before = functionNames.size;
  for (const [selector, { name }] of abi.functions) functionNames.set(selector, name);
  if (functionNames.size > before) for (const listener of functionListeners) listener();
  return abi;
}

export function functionName(selector: string): string | undefined {
  return functionNames.get(selector);
}

/** The name of a function; renders again when an ABI brings it. */
export function useFunctionName(selector: string): string | undefined {
  return useSyncExternalStore(onFunctions, () => functionNames.get(selector));
}
