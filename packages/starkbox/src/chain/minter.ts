// Signed transactions of the node's own accounts, such as the minting account, which exists on every chain.
import { toFelt } from '@starkbox/abi/basics';
import { type Class, sign, Transaction } from '@starkbox/engine';
import type {
  BROADCASTED_CONTRACT_CLASS,
  BROADCASTED_DECLARE_TXN,
  BROADCASTED_INVOKE_TXN,
  RESOURCE_BOUNDS_MAPPING,
} from '@starkbox/spec';
import type { PredeployedAccount } from '../predeployed.js';
import type { Chain } from './chain.js';
import { MINTER } from './genesis/accounts.js';
import type { World } from './world/world.js';

export interface ContractCall {
  readonly to: string;
  readonly selector: string;
  readonly calldata: readonly string[];
}

/** A list of calls as calldata: of `__execute__`, and of outside executions. */
export function callsAsCalldata(calls: readonly ContractCall[]): readonly string[] {
  return [
    toFelt(calls.length),
    ...calls.flatMap(({ to, selector, calldata }) => [
      to,
      selector,
      toFelt(calldata.length),
      ...calldata,
    ]),
  ];
}

/** An invoke of calls, one after another. */
export async function minterInvoke(
  chain: Chain,
  world: World,
  calls: readonly ContractCall[],
): Promise<BROADCASTED_INVOKE_TXN> {
  const { pendingState: state, gas } = world;
  const nonce = await state.nonceAt(MINTER.address);
  return signInvoke(chain, MINTER, calls, { nonce, resource_bounds: boundsAt(chain, gas) });
}

/** The parts of a transaction that an account chooses. */
export interface InvokeDetails {
  readonly nonce: string;
  readonly resource_bounds: RESOURCE_BOUNDS_MAPPING;
}

/** An invoke of calls by an account. */
export function signInvoke(
  { options }: Pick<Chain, 'options'>,
  { address, privateKey }: PredeployedAccount,
  calls: readonly ContractCall[],
  details: InvokeDetails,
): BROADCASTED_INVOKE_TXN {
  const values: BROADCASTED_INVOKE_TXN = {
    type: 'INVOKE',
    calldata: callsAsCalldata(calls),
    sender_address: address,
    ...details,
    ...COMMON,
  };
  const { hash } = new Transaction({ ...values }, options.chainId);
  return { ...values, signature: sign(privateKey, hash) };
}

/** A declaration of a compiled class. */
export async function minterDeclaration(
  chain: Chain,
  world: World,
  contractClass: BROADCASTED_CONTRACT_CLASS,
  compiled: Class,
): Promise<BROADCASTED_DECLARE_TXN> {
  const { pendingState: state, gas } = world;
  const values = {
    type: 'DECLARE' as const,
    compiled_class_hash: compiled.compiledClassHash ?? '0x0',
    sender_address: MINTER.address,
    nonce: await state.nonceAt(MINTER.address),
    resource_bounds: boundsAt(chain, gas, L2_GAS + codeBytes(compiled) * GAS_PER_CODE_BYTE),
    ...COMMON,
  };
  const { hash } = new Transaction({ ...values }, chain.options.chainId, compiled);
  return { ...values, contract_class: contractClass, signature: sign(MINTER.privateKey, hash) };
}

/** What transactions of the node's own accounts have in common. */
const COMMON = {
  version: '0x3',
  tip: '0x0',
  paymaster_data: [],
  account_deployment_data: [],
  nonce_data_availability_mode: 'L1',
  fee_data_availability_mode: 'L1',
  signature: [],
} as const;

/** More than an execution of the node's own calls takes. */
const L2_GAS = 1_000_000_000;
/** L2 gas that a declaration pays for each byte of its class, in all versions of the protocol that blocks can have. */
const GAS_PER_CODE_BYTE = 1280;

/** The size of a class as the protocol counts it for the fee. */
function codeBytes({ figures }: Class): number {
  const { sierraFelts, bytecodeFelts, abiBytes } = figures;
  return (sierraFelts + bytecodeFelts) * 32 + abiBytes;
}

function boundsAt(chain: Chain, gas: World['gas'], l2Gas = L2_GAS): RESOURCE_BOUNDS_MAPPING {
  const { prices: first } = chain.options;
  // At least the initial prices, so that equal histories have equal hashes.
  const bounds = (
    units: number,
    name: 'gas_price_fri' | 'data_gas_price_fri' | 'l2_gas_price_fri',
  ) => ({
    max_amount: toFelt(units),
    max_price_per_unit: toFelt(first[name] > gas.current[name] ? first[name] : gas.current[name]),
  });
  return {
    l1_gas: bounds(1_000_000, 'gas_price_fri'),
    l1_data_gas: bounds(1_000_000, 'data_gas_price_fri'),
    l2_gas: bounds(l2Gas, 'l2_gas_price_fri'),
  };
}
