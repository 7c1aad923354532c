// Words for felts of runs: names of functions, events, slots and contracts, by the classes that ran.
import {
  type Abi,
  type AbiFunction,
  decodeEvent,
  decodeOutputs,
  type FeltTexts,
  readAbi,
  readFailure,
  selectorOf,
  valueText,
} from '@starkbox/abi';
import { membersOf, shortAddress } from '@starkbox/abi/basics';
import {
  decodeSlot,
  type HashCache,
  type KeyWords,
  plainFeltText,
  type SlotName,
  SlotSearch,
  slotPartText,
  slotText,
} from '@starkbox/abi/internal';
import { State } from '@starkbox/engine';
import { BoundedMap } from '../bounded-map.js';
import { HASHES, NamedClasses } from '../chain/storage-names/class-variables.js';
import { commonWords, mentionedIn } from '../chain/storage-names/key-words.js';
import type { DebugInfos } from '../debug-info/debug-infos.js';
import { parse } from '../json/json.js';
import { endSharedSlice } from '../scheduling/slices.js';
import type { Change } from './report.js';
import type { Run, RunCall, RunEvent, SlotDifference } from './run.js';

const NO_WORDS: KeyWords = { felts: [], pairs: [] };
/** Hashes that may be computed to name slots, in all. */
const MAX_HASHES = 2_000_000;
const SHARED_HASHES = 200_000;

const CONSTRUCTOR = selectorOf('constructor');

export class Describer {
  readonly #contract: string;
  readonly #classes: NamedClasses;
  readonly #abis = new Map<string, Promise<Abi | undefined>>();
  readonly #cache: HashCache = new BoundedMap<string, string>(SHARED_HASHES);
  readonly #budget = { left: MAX_HASHES };
  readonly #unnamed = new Set<string>();
  #state: State = State.create();
  #oldClass = '0x0';
  #newClass = '0x0';

  constructor(contract: string, infos: DebugInfos) {
    this.#contract = contract;
    this.#classes = new NamedClasses(infos);
  }

  /** Sets the state in which the next runs began, with the new class declared. */
  at(state: State, oldClass: string, newClass: string): void {
    this.#state = state;
    this.#oldClass = oldClass;
    this.#newClass = newClass;
  }

  get #texts(): FeltTexts {
    const address = (felt: string): string => this.#address(felt);
    return {
      felt: (felt) => plainFeltText(felt, (text) => text),
      address,
      classHash: shortAddress,
    };
  }

  #address(felt: string): string {
    return felt === this.#contract ? 'contract' : shortAddress(felt);
  }

  reason(text: string): string {
    return readFailure(text).message;
  }

  async functionOf({ contract, classHash, selector }: RunCall): Promise<string> {
    const name = (await this.#function(classHash, selector))?.name ?? shortAddress(selector);
    const shown = selector === CONSTRUCTOR ? 'constructor' : name;
    return contract === this.#contract ? shown : `${this.#address(contract)}.${shown}`;
  }

  /** The function of the contract in the reason of a failure. */
  async failedFunction(...runs: readonly Run[]): Promise<string> {
    for (const { reason } of runs) {
      const frames = reason === undefined ? [] : readFailure(reason).path;
      const frame = frames.find(({ contract }) => contract === this.#contract);
      if (frame)
        return (await this.#function(frame.classHash, frame.selector))?.name ?? frame.selector;
    }
    return 'no call';
  }

  async result({ classHash, selector, result }: RunCall): Promise<string> {
    const abi = await this.#abi(classHash);
    const abiFunction = await this.#function(classHash, selector);
    const values = abi && abiFunction && decodeOutputs(abiFunction, result, abi);
    if (!values) return `[${result.join(', ')}]`;
    return values.length === 0
      ? 'nothing'
      : values.map((value) => valueText(value, this.#texts)).join(', ');
  }

  /** @param event of the run */
  async eventName(run: Run, event: RunEvent | undefined): Promise<string> {
    if (!event) return 'event';
    const abi = await this.#abi(this.#classIn(run, event.from));
    const name = abi && decodeEvent(event.keys, event.data, abi)?.name;
    const shown = name ?? `event ${shortAddress(event.keys[0] ?? '0x0')}`;
    return event.from === this.#contract ? shown : `${this.#address(event.from)}.${shown}`;
  }

  async event(run: Run, event: RunEvent): Promise<string> {
    const abi = await this.#abi(this.#classIn(run, event.from));
    const decoded = abi && decodeEvent(event.keys, event.data, abi);
    if (!decoded) return `keys [${event.keys.join(', ')}] data [${event.data.join(', ')}]`;
    const members = decoded.members.map(
      ({ name, value }) => `${name}: ${valueText(value, this.#texts)}`,
    );
    return `{ ${members.join(', ')} }`;
  }

  /** The slots by their names, with decoded values. */
  async slots(
    differences: readonly SlotDifference[],
    old: Run,
    now: Run,
  ): Promise<readonly Change[]> {
    const changes: Change[] = [];
    for (const contract of new Set(differences.map((difference) => difference.contract))) {
      const ofContract = differences.filter((difference) => difference.contract === contract);
      const names = await this.#names(
        contract,
        ofContract.map(({ key }) => key),
        [old, now],
      );
      for (const difference of ofContract) {
        changes.push(await this.#slot(difference, names.get(difference.key)));
      }
    }
    return changes;
  }

  async #slot(difference: SlotDifference, name: SlotName | undefined): Promise<Change> {
    const { contract, key } = difference;
    const text = name
      ? slotText(name, { address: (felt) => this.#address(felt), felt: this.#texts.felt })
      : `slot ${shortAddress(key)}`;
    const part = name && slotPartText(name);
    const subject = `${contract === this.#contract ? '' : `${this.#address(contract)}.`}${text}${part === undefined ? '' : ` (${part})`}`;
    const show = async (value: string | undefined): Promise<string> => {
      const felt = value ?? (await this.#state.storageAt(contract, key));
      return name ? valueText(decodeSlot(name, felt), this.#texts) : this.#texts.felt(felt);
    };
    return {
      kind: 'storage',
      subject,
      old: await show(difference.old),
      new: await show(difference.new),
    };
  }

  async #names(
    contract: string,
    slots: readonly string[],
    runs: readonly Run[],
  ): Promise<ReadonlyMap<string, SlotName>> {
    const names = new Map<string, SlotName>();
    const classes =
      contract === this.#contract
        ? [this.#oldClass, this.#newClass]
        : [await this.#state.classHashAt(contract)];
    for (const hash of classes) {
      const named = await this.#classes.of(hash, this.#state);
      if (!named) continue;
      for (const slot of slots) {
        const name = named.names.get(slot);
        if (name && !names.has(slot)) names.set(slot, name);
      }
      let words = NO_WORDS;
      const search = async (more: KeyWords): Promise<void> => {
        const missing = slots.filter(
          (slot) => !names.has(slot) && !this.#unnamed.has(`${hash} ${slot}`),
        );
        if (missing.length === 0) return;
        const searching = new SlotSearch(named.variables, missing, {
          hashes: HASHES,
          cache: this.#cache,
          read: (slot) => this.#state.storageAt(contract, slot),
          budget: this.#budget,
          pause: endSharedSlice,
        });
        await searching.run(more);
        for (const [slot, name] of searching.names) {
          names.set(slot, name);
          named.names.set(slot, name);
        }
      };
      await search(NO_WORDS);
      for (const run of runs) {
        words = mentionedIn(run.trace, contract).words;
        await search(words);
      }
      await search(commonWords([contract], named.variables.constants, words));
      for (const slot of slots) if (!names.has(slot)) this.#unnamed.add(`${hash} ${slot}`);
    }
    return names;
  }

  /** The class that emitted in the name of a contract. */
  #classIn({ calls }: Run, contract: string): string | undefined {
    return calls.findLast((call) => call.contract === contract)?.classHash;
  }

  async #function(classHash: string, selector: string): Promise<AbiFunction | undefined> {
    return (await this.#abi(classHash))?.functions.get(selector);
  }

  #abi(classHash: string | undefined): Promise<Abi | undefined> {
    if (classHash === undefined) return Promise.resolve(undefined);
    const reading = this.#abis.get(classHash) ?? this.#readAbi(classHash);
    this.#abis.set(classHash, reading);
    return reading;
  }

  async #readAbi(classHash: string): Promise<Abi | undefined> {
    const text = await (await this.#state.class(classHash))?.json();
    return text === undefined ? undefined : readAbi(membersOf(parse(text))['abi']);
  }
}
