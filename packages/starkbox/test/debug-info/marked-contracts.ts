// The contracts whose failing lines are marked, on a state of the engine, and the stacks of their failures.
import type { SourceLine } from '@starkbox/abi/internal';
import {
  Block,
  Class,
  type DebugTrace,
  type RetracedFrame,
  State,
  starknetKeccak,
  storageAddress,
  Transaction,
  type TransactionValues,
} from '@starkbox/engine';
import { short } from '@starkbox/test-support/signing';
import { classTextWithPlaces } from '../../../../contracts/classes.js';
import { cairoStack } from '../../src/chain/retrace/cairo-stack.js';
import { DebugInfos } from '../../src/debug-info/debug-infos.js';

export const CONTRACTS = {
  failures: '0xf0',
  failing_calls: '0xca',
  failing_callee: '0xce',
  failing_library: '0x1b',
  backtrace: '0xba',
  prints: '0x9a',
} as const;
export type Name = keyof typeof CONTRACTS;

/** Accounts of `failing_account`, by the place where they fail. */
export const ACCOUNTS = {
  nowhere: '0xa0',
  validate: '0xa1',
  syscall: '0xa2',
  calls: '0xa3',
  endless: '0xa4',
  execute: '0xa5',
  overflow: '0xa6',
  declare: '0xa7',
} as const;

const GWEI = { wei: '1000000000', fri: '1000000000' };
const blockAt = (number: number): Block =>
  new Block({
    number,
    timestamp: 1_700_000_000,
    sequencer_address: '0x1000',
    chain_id: 'SN_SEPOLIA',
    fee_tokens: { strk: '0x1', eth: '0x2' },
    gas_prices: { l1_gas: GWEI, l1_data_gas: GWEI, l2_gas: GWEI },
  });
const BLOCK = blockAt(20);
/** A block before which there are too few for the hash of one. */
const EARLY = blockAt(5);

const LIMITS = { maxSteps: 4_000_000, maxBytes: 2 ** 28 };

export class MarkedContracts {
  readonly infos = new DebugInfos();
  readonly #classes = new Map<string, Class>();
  #state = State.create({ version: 20 });

  static async create(): Promise<MarkedContracts> {
    const contracts = new MarkedContracts();
    await contracts.#deploy();
    return contracts;
  }

  async #deploy(): Promise<void> {
    for (const name of [...Object.keys(CONTRACTS), 'failing_account']) {
      const text = await classTextWithPlaces(name);
      const compiled = await Class.compile(text);
      this.infos.add(compiled.hash, JSON.parse(text));
      this.#classes.set(name, compiled);
    }
    const contracts = Object.entries(CONTRACTS).map(([name, address]) => ({
      address,
      class_hash: this.hashOf(name),
    }));
    const accounts = Object.values(ACCOUNTS).map((address) => ({
      address,
      class_hash: this.hashOf('failing_account'),
    }));
    const places = Object.entries(ACCOUNTS).map(([failingStep, address]) => ({
      address,
      storage_entries: [{ key: storageAddress('place'), value: short(failingStep) }],
    }));
    const owner = {
      address: CONTRACTS.failures,
      storage_entries: [{ key: storageAddress('owner'), value: '0x1' }],
    };
    const diff = {
      deployed_contracts: [...contracts, ...accounts],
      storage_diffs: [...places, owner],
    };
    this.#state = await this.#state.apply(diff, [...this.#classes.values()]);
  }

  get state(): State {
    return this.#state;
  }

  classOf(name: string): Class {
    const compiledClass = this.#classes.get(name);
    if (!compiledClass) throw new Error(`${name} was not compiled`);
    return compiledClass;
  }

  classByHash(hash: string): Class | undefined {
    return [...this.#classes.values()].find((compiledClass) => compiledClass.hash === hash);
  }

  hashOf(name: string): string {
    return this.classOf(name).hash;
  }

  /** The frames of a call. */
  async call(to: string, entry: string, calldata: readonly string[]) {
    const entry_point_selector = starknetKeccak(entry);
    const request = { contract_address: to, entry_point_selector, calldata };
    return (await this.#state.retraceCall(BLOCK, request)).frames;
  }

  /** The frames of a transaction, run as it would be included, without a fee. */
  async run(
    values: TransactionValues,
    { declared, isEarly = false }: { readonly declared?: Class; readonly isEarly?: boolean } = {},
  ): Promise<readonly RetracedFrame[]> {
    const transaction = new Transaction(values, 'SN_SEPOLIA', declared);
    const flags = { chargeFee: false, strictNonce: false };
    const block = isEarly ? EARLY : BLOCK;
    const [traced] = await this.#state.retrace(block, [transaction], flags);
    return traced?.frames ?? [];
  }

  /** A call, recorded step by step. */
  recordCall(to: string, entry: string, calldata: readonly string[]): Promise<DebugTrace> {
    const entry_point_selector = starknetKeccak(entry);
    const request = { contract_address: to, entry_point_selector, calldata };
    return this.#state.recordCall(BLOCK, request, LIMITS);
  }

  /** A transaction, recorded step by step. */
  record(
    values: TransactionValues,
    { declared, isEarly = false }: { readonly declared?: Class; readonly isEarly?: boolean } = {},
  ): Promise<DebugTrace> {
    const transaction = new Transaction(values, 'SN_SEPOLIA', declared);
    const flags = { chargeFee: false, strictNonce: false };
    return this.#state.record(isEarly ? EARLY : BLOCK, [transaction], flags, LIMITS);
  }

  /** The stack of a frame that failed. */
  stackOf(frame: RetracedFrame): Promise<readonly SourceLine[]> {
    return cairoStack(frame, this.infos, this.#state);
  }
}
