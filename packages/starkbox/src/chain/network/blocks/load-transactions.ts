// Transactions of others: transfers of STRK by an account of its own, with the tips of the load.
import { toFelt } from '@starkbox/abi/basics';
import { type Block, BlockWeights, starknetKeccak, Transaction } from '@starkbox/engine';
import type { BROADCASTED_INVOKE_TXN } from '@starkbox/spec';
import { STRK } from '../../../predeployed.js';
import type { Probe } from '../../../probe.js';
import type { BlockRules } from '../../execution/block-context.js';
import { withExecutionErrors } from '../../execution/execution-errors.js';
import { executeForWriter, executeInBlock } from '../../execution/executions.js';
import { fundAccount } from '../../execution/fund-account.js';
import { recordExecuted, recordSubmitted } from '../../execution/transaction-record.js';
import { MINTER } from '../../genesis/accounts.js';
import { withDirectWrite } from '../../world/direct-writes.js';
import type { GasPrices } from '../../world/gas-prices.js';
import { withIncluded } from '../../world/world.js';
import { gasOf, LOAD_ACCOUNT } from '../background-load.js';
import { capacityOf } from '../capacity.js';
import { fittingLoad, l2GasOf, type NetworkWorld } from './network-block.js';

/** Addresses that get the transfers. */
const RECIPIENTS = 4;
/** In fri: fees of 10^9 transactions at usual prices. */
const FUNDS = 10n ** 30n;
/** A transfer takes a fraction of it. */
const L2_GAS = 10_000_000;

interface LoadRules extends BlockRules {
  readonly probe?: Probe;
}

/**
 * The world with the load of others in its pending block, and the L2 gas of it that is counted and not executed.
 *
 * @param context of the block
 */
export async function withLoad(
  world: NetworkWorld,
  context: Block,
  rules: LoadRules,
): Promise<readonly [NetworkWorld, number]> {
  const load = fittingLoad(world);
  const total = gasOf(load);
  const count = world.network.conditions.congestion?.transactions ?? 0;
  let [next, executed] = [world, 0];
  for (const [index, { tip }] of load.slice(0, count).entries()) {
    // Another one as the ones before must not exceed the load.
    if (executed + executed / Math.max(1, index) > total) break;
    const included = await withTransfer(next, { tip, index }, context, rules);
    if (!included) break;
    next = included;
    executed += l2GasOf(next.pending.transactions.last());
  }
  return [next, Math.max(0, total - executed)];
}

/** The world with one transaction more; undefined if it has no room for it, or rejects it. */
async function withTransfer(
  world: NetworkWorld,
  { tip, index }: { readonly tip: number; readonly index: number },
  context: Block,
  { chainId, chargesFee = true, probe }: LoadRules,
): Promise<NetworkWorld | undefined> {
  const { network, blocks, gas } = world;
  const ready = await withAccount(world);
  if (!ready) return undefined;
  const values: BROADCASTED_INVOKE_TXN = {
    type: 'INVOKE',
    version: '0x3',
    sender_address: LOAD_ACCOUNT,
    nonce: await ready.pendingState.nonceAt(LOAD_ACCOUNT),
    calldata: transferCalldata(index),
    resource_bounds: boundsAt(gas.current),
    tip: toFelt(tip),
    paymaster_data: [],
    account_deployment_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
    signature: [],
  };
  const transaction = new Transaction({ ...values }, chainId);
  const state = await fundAccount(ready.pendingState, transaction, FUNDS);
  const funded = state === ready.pendingState ? ready : withDirectWrite(ready, state);
  const flags = { validate: false, chargeFee: chargesFee, unboundedGas: !chargesFee };
  const call = { context, transaction, flags };
  const { capacity } = network.conditions;
  const room = network.weights && {
    weights: network.weights,
    capacity: capacityOf(capacity, blocks.starknetVersion),
  };
  const execution = room
    ? await withExecutionErrors(executeInBlock(state, call, room, probe))
    : await withExecutionErrors(executeForWriter(state, call, probe));
  if (!('next' in execution)) return undefined;
  const submitted = recordSubmitted({ transaction, values });
  const weights = 'weights' in execution ? execution.weights : undefined;
  return {
    ...funded,
    network: weights instanceof BlockWeights ? { ...network, weights } : network,
    pendingState: execution.next,
    pending: withIncluded(world.pending, recordExecuted(transaction.hash, submitted, execution)),
  };
}

/** The world in which the account exists; undefined without a class for it. */
async function withAccount(world: NetworkWorld): Promise<NetworkWorld | undefined> {
  const { pendingState: state } = world;
  const address = LOAD_ACCOUNT;
  if ((await state.classHashAt(address)) !== '0x0') return world;
  const class_hash = await state.classHashAt(MINTER.address);
  if (class_hash === '0x0') return undefined;
  const deployed = await state.apply({ deployed_contracts: [{ address, class_hash }] });
  return withDirectWrite(world, deployed);
}

function transferCalldata(index: number): readonly string[] {
  const recipient = toFelt(BigInt(LOAD_ACCOUNT) + BigInt(1 + (index % RECIPIENTS)));
  const call = [STRK, starknetKeccak('transfer'), toFelt(3), recipient, '0x1', '0x0'];
  return ['0x1', ...call];
}

/** Twice the prices, as clients offer. */
function boundsAt(prices: GasPrices): BROADCASTED_INVOKE_TXN['resource_bounds'] {
  const bounds = (units: number, price: bigint) => ({
    max_amount: toFelt(units),
    max_price_per_unit: toFelt(2n * price),
  });
  return {
    l1_gas: bounds(1_000, prices.gas_price_fri),
    l1_data_gas: bounds(10_000, prices.data_gas_price_fri),
    l2_gas: bounds(L2_GAS, prices.l2_gas_price_fri),
  };
}
