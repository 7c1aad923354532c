// The engine without a node: what would remain if HTTP, JSON-RPC and the chain cost nothing.
import { type Block, type State, type StateDiff, starknetKeccak } from '@starkbox/engine';
import {
  type Account,
  block,
  firstAccount,
  genesis,
  invoke,
  STRK,
} from '../../packages/engine/test/fixtures/chain.js';
import { milliseconds } from './rounds.js';
import { receiver, transferTo } from './signed-requests.js';

/** A state with accounts, which keeps nothing except differences. */
export class BareEngine {
  #state: State;
  readonly #account: Account;
  readonly #block: Block = block(1);
  #serial = 0;

  constructor(state: State, account: Account) {
    this.#state = state;
    this.#account = account;
  }

  static async create(): Promise<BareEngine> {
    const chain = await genesis();
    return new BareEngine(chain.state, firstAccount(chain));
  }

  #transfers(count: number) {
    return Array.from({ length: count }, (_, nonce) => {
      this.#serial += 1;
      return invoke(this.#account, [transferTo(receiver(this.#serial))], nonce);
    });
  }

  /** Signs transfers that run in a loop of the sequencer's executor; each run gives its milliseconds. */
  loop(count: number): () => Promise<number> {
    const natives = this.#transfers(count).map(({ native }) => native);
    return async () => (await this.#state.native.benchBare(this.#block.native, natives)) / 1000;
  }

  /** Milliseconds of a transfer in such a loop. */
  async transfer(count: number): Promise<number> {
    return (await this.loop(count)()) / count;
  }

  /** Milliseconds until transfers are simulated by the engine, with their traces. */
  simulate(count: number): Promise<number> {
    const transactions = this.#transfers(count);
    return milliseconds(() =>
      this.#state.executeMany(this.#block, transactions, {}, { report: 'execution' }),
    );
  }

  /** Calls `balanceOf`. */
  async call(): Promise<void> {
    await this.#state.call(this.#block, {
      contract_address: STRK,
      entry_point_selector: starknetKeccak('balanceOf'),
      calldata: ['0x1234'],
    });
  }

  /** Milliseconds until a difference is part of the state. */
  apply(diff: Partial<StateDiff>): Promise<number> {
    return milliseconds(async () => {
      this.#state = await this.#state.apply(diff);
    });
  }
}
