// Names and decoded values of the calls of one transaction.
import type { Abi, AbiFunction } from '../abi.js';
import type { Frame } from '../call-tree.js';
import {
  type Decoded,
  decodeInputs,
  decodeOutputs,
  type FeltTexts,
  type NamedValue,
  valueText,
} from '../decode.js';
import { canonicalFelt, decodeShortString, shortAddress } from '../felt.js';
import {
  type ContractName,
  commonFunctions,
  contractName,
  type GivenNames,
  type Names,
} from '../names.js';
import { shortType } from '../type-name.js';
import type { ExplainedArgument } from './explained.js';

/** Where an explanation gets what it needs beside the transaction. */
export interface Sources {
  /** The ABI of a class. */
  readonly abi: (classHash: string) => Promise<Abi | undefined>;
  /** Names by address or class hash. */
  readonly names: Names;
  /** Names beside labels: of artifacts, tokens and classes. */
  readonly namesOf?: (
    addresses: readonly string[],
    classHashes: readonly string[],
  ) => Promise<GivenNames>;
  /** The class of a contract, on the state before the transaction. */
  readonly classAt?: (address: string) => Promise<string | undefined>;
  /** The nonce of an account, on the state before the transaction. */
  readonly nonceAt?: (address: string) => Promise<string | undefined>;
  /** The timestamp of the block that the transaction is in, or would be in. */
  readonly time?: number;
  /** The price of L2 gas of that block, in fri. */
  readonly l2GasPrice?: bigint;
  /** Values in the storage of a contract on the newest state: a bounded number of them. */
  readonly storedAt?: (contract: string) => Promise<readonly string[]>;
  /** What a function returns on the state before the transaction. */
  readonly read?: (
    contract: string,
    name: string,
    calldata: readonly string[],
  ) => Promise<readonly string[] | undefined>;
}

/** Arguments of these functions are calls, which are frames of their own. */
const TAKES_CALLS: ReadonlySet<string> = new Set(['__execute__', '__validate__']);
const MAX_RAW = 8;
const MAX_TEXT_LENGTH = 200;

interface ViewParts {
  /** By class hash. */
  readonly abis: ReadonlyMap<string, Abi>;
  /** Class hashes by address. */
  readonly classes: ReadonlyMap<string, string>;
  readonly names: Names;
  readonly given: GivenNames | undefined;
}

/** What is shown of calls: made once for a tree, when the ABIs of its classes are loaded. */
export class View {
  readonly #abis: ReadonlyMap<string, Abi>;
  readonly #classes: ReadonlyMap<string, string>;
  readonly #names: Names;
  readonly #given: GivenNames | undefined;
  readonly #texts: FeltTexts;

  constructor({ abis, classes, names, given }: ViewParts) {
    this.#abis = abis;
    this.#classes = classes;
    this.#names = names;
    this.#given = given;
    this.#texts = {
      felt: feltText,
      address: (felt) => this.address(felt),
      classHash: shortAddress,
    };
  }

  static async of(
    roots: readonly Frame[],
    { abi, names, namesOf, classAt }: Sources,
  ): Promise<View> {
    const frames = roots.flatMap(withInner);
    const unknown = new Set(
      frames.flatMap(({ contract, classHash }) => (classHash === undefined ? [contract] : [])),
    );
    const classes = new Map<string, string>();
    for (const { contract, classHash } of frames) {
      if (classHash !== undefined && !classes.has(contract)) classes.set(contract, classHash);
    }
    await Promise.all(
      [...unknown].map(async (contract) => {
        const classHash = classes.get(contract) ?? (await classAt?.(contract));
        if (classHash !== undefined) classes.set(contract, classHash);
      }),
    );
    const hashes = new Set([
      ...frames.flatMap(({ classHash }) => classHash ?? []),
      ...classes.values(),
    ]);
    const abis = new Map<string, Abi>();
    await Promise.all(
      [...hashes].map(async (hash) => {
        const classAbi = await abi(hash);
        if (classAbi) abis.set(hash, classAbi);
      }),
    );
    const given = await namesOf?.([...classes.keys()], [...hashes]);
    return new View({ abis, classes, names, given });
  }

  classOf({ classHash, contract }: Frame): string | undefined {
    return classHash ?? this.#classes.get(contract);
  }

  abiOf(frame: Frame): Abi | undefined {
    const hash = this.classOf(frame);
    return hash === undefined ? undefined : this.#abis.get(hash);
  }

  nameOf(frame: Frame): ContractName {
    const isLibrary = frame.kind === 'DELEGATE';
    return contractName(
      frame.contract,
      this.classOf(frame),
      this.abiOf(frame),
      this.#names,
      isLibrary && this.#given ? { ...this.#given, tokens: new Map() } : this.#given,
    );
  }

  /** The name in a line: contracts that have only that of their class are distinguished by their addresses. */
  contract(frame: Frame): string {
    const { name, isOwn } = this.nameOf(frame);
    return isOwn ? name : `${name}@${shortAddress(frame.contract)}`;
  }

  address(text: string): string {
    const felt = canonicalFelt(text) ?? text;
    const classHash = this.#classes.get(felt);
    if (classHash === undefined) return this.#names.get(felt) ?? shortAddress(felt);
    const abi = this.#abis.get(classHash);
    const { name, isOwn } = contractName(felt, classHash, abi, this.#names, this.#given);
    return isOwn ? name : `${name}@${shortAddress(felt)}`;
  }

  entryOf(frame: Frame): AbiFunction | undefined {
    const abi = this.abiOf(frame);
    return frame.kind === 'CONSTRUCTOR' ? abi?.constructor_ : abi?.functions.get(frame.selector);
  }

  functionOf(frame: Frame): string {
    const name = this.entryOf(frame)?.name ?? commonFunctions().get(frame.selector);
    if (name !== undefined) return name;
    return frame.kind === 'CONSTRUCTOR' ? 'constructor' : shortAddress(frame.selector);
  }

  /** The arguments of a call, or undefined where its calldata is unknown or does not fit. */
  inputsOf(frame: Frame): readonly NamedValue[] | undefined {
    const [entry, abi] = [this.entryOf(frame), this.abiOf(frame)];
    return entry && abi && frame.calldata ? decodeInputs(entry, frame.calldata, abi) : undefined;
  }

  argumentsOf(frame: Frame): readonly ExplainedArgument[] | undefined {
    if (TAKES_CALLS.has(this.functionOf(frame))) return undefined;
    return this.inputsOf(frame)?.map(({ name, type, value }) => ({
      name,
      type: shortType(type),
      value: valueText(value, WHOLE),
    }));
  }

  /** `STRK.transfer(recipient: account 1, amount: 5)` */
  call(frame: Frame): string {
    return `${this.contract(frame)}.${this.functionOf(frame)}(${this.#inputs(frame)})`;
  }

  #inputs(frame: Frame): string {
    const { calldata } = frame;
    if (calldata === undefined || TAKES_CALLS.has(this.functionOf(frame))) return '…';
    const inputs = this.inputsOf(frame);
    if (inputs) return this.members(inputs);
    const more = calldata.length > MAX_RAW ? `, … ${calldata.length} felts` : '';
    return `${calldata.slice(0, MAX_RAW).map(feltText).join(', ')}${more}`;
  }

  members(members: readonly NamedValue[]): string {
    return members.map(({ name, value }) => `${name}: ${this.value(value)}`).join(', ');
  }

  /** What a call returned, if that is worth a line. */
  outputs(frame: Frame): string | undefined {
    const [entry, abi] = [this.entryOf(frame), this.abiOf(frame)];
    if (!entry || !abi || !frame.result || TAKES_CALLS.has(entry.name)) return undefined;
    const values = decodeOutputs(entry, frame.result, abi);
    return values && values.length > 0
      ? values.map((value) => this.value(value)).join(', ')
      : undefined;
  }

  value(value: Decoded): string {
    if (value.kind === 'number') return numberText(value.value);
    return shorten(valueText(value, this.#texts));
  }
}

function withInner(frame: Frame): readonly Frame[] {
  return [frame, ...frame.children.flatMap(withInner)];
}

function shorten(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH)}…`;
}

function feltText(value: string): string {
  const felt = canonicalFelt(value) ?? value;
  const text = decodeShortString(felt);
  return text === undefined ? shortAddress(felt) : `'${text}'`;
}

const WHOLE: FeltTexts = {
  felt: (felt) => {
    const text = decodeShortString(felt);
    return text === undefined ? felt : `'${text}'`;
  },
  address: (felt) => felt,
  classHash: (felt) => felt,
};

/** `1500000000000000000 [1.5e18]`: zeros of long numbers are hard to count. */
export function numberText(value: bigint): string {
  const digits = String(value < 0n ? -value : value);
  if (digits.length < 7) return String(value);
  const significant = digits.replace(/0+$/, '');
  if (significant.length > 4) return String(value);
  const [first = '', ...rest] = significant;
  const fraction = rest.length > 0 ? `.${rest.join('')}` : '';
  return `${value} [${value < 0n ? '-' : ''}${first}${fraction}e${digits.length - 1}]`;
}
