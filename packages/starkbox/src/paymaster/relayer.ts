// Relayer: the account that sends the transactions of a paymaster.
import { toFelt } from '@starkbox/abi/basics';
import { sign, starknetKeccak } from '@starkbox/engine';
import type { BROADCASTED_INVOKE_TXN, FEE_ESTIMATE, RESOURCE_BOUNDS_MAPPING } from '@starkbox/spec';
import type { Chain } from '../chain/chain.js';
import { balanceIn } from '../chain/execution/fund-account.js';
import { RELAYER_BALANCE, type RelayerAccount } from '../chain/genesis/genesis.js';
import { findByNonce } from '../chain/mempool/mempool.js';
import { mint } from '../chain/mint.js';
import { type ContractCall, signInvoke } from '../chain/minter.js';
import { estimateFee } from '../chain/queries/simulate.js';
import { callCause } from '../chain/world/cause.js';
import { STRK } from '../predeployed.js';

/** With less, in fri, the relayer is funded again. */
const LEAST_BALANCE = RELAYER_BALANCE / 2n;
/** Bounds over the estimate, as clients have by default: in gas, and in its price. */
const MARGIN_PERCENT = 150n;

const NO_BOUNDS: RESOURCE_BOUNDS_MAPPING = {
  l1_gas: { max_amount: '0x0', max_price_per_unit: '0x0' },
  l1_data_gas: { max_amount: '0x0', max_price_per_unit: '0x0' },
  l2_gas: { max_amount: '0x0', max_price_per_unit: '0x0' },
};

export class Relayer {
  readonly #chain: Chain;

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  get #account(): RelayerAccount {
    const { relayer } = this.#chain.options.genesis;
    if (!relayer) throw new Error('a chain with a paymaster has a relayer');
    return relayer;
  }

  get address(): string {
    return this.#account.address;
  }

  /** Deploys and funds the account where the chain lacks it, such as a loaded one. */
  async prepare(): Promise<void> {
    const { address, setup } = this.#account;
    const { pendingState: state } = this.#chain.world;
    if ((await state.classHashAt(address)) === '0x0') {
      const change = { state_diff: setup };
      await this.#chain.applyStateDiff(change, callCause('devnet_applyStateDiff', change));
    }
    if ((await balanceIn(state, STRK, address)) >= LEAST_BALANCE) return;
    const cause = callCause('devnet_mint', { address, amount: RELAYER_BALANCE, unit: 'FRI' });
    await mint(this.#chain, address, RELAYER_BALANCE, 'FRI', cause);
  }

  /** The nonce after all its transactions, waiting ones included. */
  async nonce(): Promise<bigint> {
    const { pendingState: state, mempool } = this.#chain.world;
    const { address } = this.#account;
    let nonce = BigInt(await state.nonceAt(address));
    while (findByNonce(mempool, address, nonce)) nonce += 1n;
    return nonce;
  }

  /** Calls that cost about as much as the checks of an outside execution: of the relayer, of the user, and its hash. */
  signatureChecks(): readonly ContractCall[] {
    const { address, privateKey } = this.#account;
    const hash = starknetKeccak('signature');
    const signature = sign(privateKey, hash);
    const calldata = [hash, toFelt(signature.length), ...signature];
    const check = { to: address, selector: starknetKeccak('is_valid_signature'), calldata };
    return [check, check, check];
  }

  /** A signed transaction within the bounds of an estimate; without one, for an estimate. */
  async invoke(
    calls: readonly ContractCall[],
    estimate?: FEE_ESTIMATE,
  ): Promise<BROADCASTED_INVOKE_TXN> {
    const nonce = toFelt(await this.nonce());
    const resource_bounds = estimate ? boundsOver(estimate) : NO_BOUNDS;
    return signInvoke(this.#chain, this.#account, calls, { nonce, resource_bounds });
  }

  /** The fee of its transaction. Throws the error of an execution that fails. */
  async estimate(calls: readonly ContractCall[], signal?: AbortSignal): Promise<FEE_ESTIMATE> {
    const transaction = await this.invoke(calls);
    const options = { skipValidate: false };
    const [fee] = await estimateFee(this.#chain, [transaction], options, 'pre_confirmed', signal);
    if (!fee) throw new Error('an estimate of one transaction has one fee');
    return fee;
  }
}

/** Bounds of a transaction over its estimate. */
function boundsOver(estimate: FEE_ESTIMATE): RESOURCE_BOUNDS_MAPPING {
  const over = (value: string): string => toFelt((BigInt(value) * MARGIN_PERCENT + 99n) / 100n);
  return {
    l1_gas: {
      max_amount: over(estimate.l1_gas_consumed),
      max_price_per_unit: over(estimate.l1_gas_price),
    },
    l1_data_gas: {
      max_amount: over(estimate.l1_data_gas_consumed),
      max_price_per_unit: over(estimate.l1_data_gas_price),
    },
    l2_gas: {
      max_amount: over(estimate.l2_gas_consumed),
      max_price_per_unit: over(estimate.l2_gas_price),
    },
  };
}

/** A transaction of a user's account as estimates take it: unsigned. */
export function unsignedInvoke(
  sender_address: string,
  nonce: string,
  calldata: readonly string[],
): BROADCASTED_INVOKE_TXN {
  return {
    type: 'INVOKE',
    version: '0x3',
    sender_address,
    nonce,
    calldata,
    signature: [],
    resource_bounds: NO_BOUNDS,
    tip: '0x0',
    paymaster_data: [],
    account_deployment_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
  };
}
