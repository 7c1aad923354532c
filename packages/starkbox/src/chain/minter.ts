// Signed transactions of the minting account, which exists on every chain and has tokens enough.
import { type Class, sign, Transaction } from '@starkbox/engine';
import type {
  BROADCASTED_CONTRACT_CLASS,
  BROADCASTED_DECLARE_TXN,
  BROADCASTED_INVOKE_TXN,
} from '@starkbox/spec';
import { hex } from '../felt.js';
import type { Chain } from './chain.js';
import { MINTER } from './genesis/accounts.js';
import type { World } from './world/world.js';

export interface ContractCall {
  readonly to: string;
  readonly selector: string;
  readonly calldata: readonly string[];
}

/** An invoke of calls, one after another. */
export async function minterInvoke(
  chain: Chain,
  world: World,
  calls: readonly ContractCall[],
): Promise<BROADCASTED_INVOKE_TXN> {
  const values: BROADCASTED_INVOKE_TXN = {
    type: 'INVOKE',
    calldata: [
      hex(calls.length),
      ...calls.flatMap(({ to, selector, calldata }) => [
        to,
        selector,
        hex(calldata.length),
        ...calldata,
      ]),
    ],
    ...(await envelope(chain, world)),
  };
  const { hash } = new Transaction({ ...values }, chain.options.chainId);
  return { ...values, signature: sign(MINTER.privateKey, hash) };
}

/** A declaration of a compiled class. */
export async function minterDeclaration(
  chain: Chain,
  world: World,
  contractClass: BROADCASTED_CONTRACT_CLASS,
  compiled: Class,
): Promise<BROADCASTED_DECLARE_TXN> {
  const values = {
    type: 'DECLARE' as const,
    compiled_class_hash: compiled.compiledClassHash ?? '0x0',
    ...(await envelope(chain, world)),
  };
  const { hash } = new Transaction({ ...values }, chain.options.chainId, compiled);
  return { ...values, contract_class: contractClass, signature: sign(MINTER.privateKey, hash) };
}

/** What both kinds have in common. */
async function envelope(chain: Chain, { pendingState: state, gas }: World) {
  const { prices: first } = chain.options;
  // At least the initial prices, so that equal histories have equal hashes.
  const bounds = (
    units: number,
    name: 'gas_price_fri' | 'data_gas_price_fri' | 'l2_gas_price_fri',
  ) => ({
    max_amount: hex(units),
    max_price_per_unit: hex(first[name] > gas.current[name] ? first[name] : gas.current[name]),
  });
  return {
    version: '0x3' as const,
    sender_address: MINTER.address,
    nonce: await state.nonceAt(MINTER.address),
    resource_bounds: {
      l1_gas: bounds(1_000_000, 'gas_price_fri'),
      l1_data_gas: bounds(1_000_000, 'data_gas_price_fri'),
      l2_gas: bounds(1_000_000_000, 'l2_gas_price_fri'),
    },
    tip: '0x0',
    paymaster_data: [],
    account_deployment_data: [],
    nonce_data_availability_mode: 'L1' as const,
    fee_data_availability_mode: 'L1' as const,
    signature: [],
  };
}
