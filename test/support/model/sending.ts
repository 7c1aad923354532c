// Transactions and messages as they are sent to a node, and their expected results.
import { messageToL1Hash, Transaction } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import * as cast from './accounts-and-contracts.js';
import { agree } from './agreement.js';
import type { Command } from './commands.js';
import type { NodeAndModel } from './node-and-model.js';
import {
  after,
  deposited,
  invoke,
  messageToL1,
  minted,
  refusal,
  type Sent,
  transferCall,
} from './transactions.js';
import {
  balanceOf,
  className,
  moved,
  nonceName,
  numberAt,
  readWide,
  START_PRICES,
  transactionsOf,
  type Values,
  withValues,
} from './world.js';

type Of<D extends Command['does']> = Command & { readonly does: D };

export async function transfer(stage: NodeAndModel, command: Of<'transfer'>): Promise<void> {
  const account = cast.sender(command.from);
  const balance = balanceOf(stage.world.values, account.address);
  const amount =
    typeof command.amount === 'number'
      ? BigInt(command.amount)
      : { half: balance / 2n, all: balance, 'too much': balance + 1n }[command.amount];
  const call = transferCall(account.address, cast.holder(command.to).address, amount);
  await submit(stage, invoke(stage.world, account, [call], command));
}

export async function submit(stage: NodeAndModel, transaction: Sent): Promise<void> {
  if (!stage.sent.includes(transaction)) stage.sent.push(transaction);
  const isKnown = transactionsOf(stage.world).some(({ hash }) => hash === transaction.hash);
  const code = refusal(stage.world, transaction, isKnown, stage.setup.blocksOn === 'transaction');
  if (code !== undefined) return stage.fails(transaction.method, transaction.params, code);
  const { transaction_hash } = await stage.door.ask(transaction.method, transaction.params);
  agree(transaction_hash, transaction.hash);
  await follow(stage, transaction);
}

/** Leaves nothing behind. */
export async function simulate(stage: NodeAndModel, { from, to }: Of<'simulate'>): Promise<void> {
  const { address } = cast.sender(from);
  const call = transferCall(address, cast.holder(to).address, 1n);
  const transaction = invoke(stage.world, cast.sender(from), [call], { flaw: 'none', tip: 0 });
  const code = refusal(stage.world, transaction, false, true);
  const transactions = Object.values(transaction.params);
  const params = { block_id: 'pre_confirmed', transactions, simulation_flags: [] };
  const { result, error } = await stage.door.answer('starknet_simulateTransactions', params);
  agree(
    error?.code,
    code === undefined ? undefined : ERRORS.TRANSACTION_EXECUTION_ERROR.code,
    `the code of ${error?.message}`,
  );
  const [simulated] = Array.isArray(result) ? result : [];
  agree(simulated === undefined, code !== undefined);
}

type Ran = Pick<Sent, 'type' | 'hash' | 'sender' | 'tip' | 'offered' | 'effects' | 'messages'>;

/** The node says what a transaction cost, the model what it did. */
async function follow(stage: NodeAndModel, transaction: Ran): Promise<void> {
  const { values } = stage.world;
  const receipt = await stage.door.ask('starknet_getTransactionReceipt', {
    transaction_hash: transaction.hash,
  });
  const fee = BigInt(receipt.actual_fee.amount);
  agree(receipt.actual_fee.unit, 'FRI');
  agree(fee > 0n && fee <= transaction.offered, true, `whether ${fee} is more than was offered`);

  const isReverted = receipt.execution_status === 'REVERTED';
  const newValues = after(values, transaction.effects);
  if (!isReverted || !newValues) checkFee(stage, fee, transaction.tip, receipt.execution_resources);
  else {
    // Only a fee that could not be paid any more undoes what went well. It is then charged for
    // what had been done, which the receipt does not show.
    const couldPay = balanceOf(newValues, transaction.sender) >= transaction.offered;
    agree(couldPay, false, `whether ${receipt.revert_reason} is no reason, as it`);
  }
  const base = isReverted ? values : newValues;
  const settled = base && moved(base, transaction.sender, cast.SEQUENCER, fee);
  if (!settled) {
    throw new Error(`${transaction.hash} succeeded, and cost ${fee}; the model says it cannot`);
  }
  const nonce = nonceName(transaction.sender);
  const { hash, type, messages } = transaction;
  stage.include(
    { hash, type, isReverted, fee, sent: isReverted ? [] : messages },
    withValues(settled, [[nonce, numberAt(settled, nonce) + 1n]]),
  );
}

interface Gas {
  readonly l1_gas: number;
  readonly l1_data_gas: number;
  readonly l2_gas: number;
}

/** A receipt does not show what new storage cost: whole units of data gas may be left over. */
function checkFee({ world }: NodeAndModel, fee: bigint, tip: bigint, gas: Gas): void {
  const { gas_price_fri, data_gas_price_fri, l2_gas_price_fri } = world.current;
  const data = BigInt(data_gas_price_fri);
  const rest =
    fee -
    BigInt(gas.l1_gas) * BigInt(gas_price_fri) -
    BigInt(gas.l2_gas) * (BigInt(l2_gas_price_fri) + tip);
  const isRight = rest % data === 0n && rest >= BigInt(gas.l1_data_gas) * data;
  agree(isRight, true, `whether ${fee} is the price of ${JSON.stringify(gas)}`);
}

export async function mint(stage: NodeAndModel, { to, amount, unit }: Of<'mint'>): Promise<void> {
  const { address } = cast.holder(to);
  const { current, values } = stage.world;
  const token = unit === 'FRI' ? cast.STRK : cast.ETH;
  const price = (name: 'gas_price_fri' | 'data_gas_price_fri' | 'l2_gas_price_fri'): bigint =>
    BigInt(Math.max(START_PRICES[name], current[name]));
  const offered =
    10n ** 6n * (price('gas_price_fri') + price('data_gas_price_fri')) +
    10n ** 9n * price('l2_gas_price_fri');
  const sender = cast.minter.address;
  const params = { address, amount, unit };
  if (balanceOf(values, sender) < offered)
    return stage.fails('devnet_mint', params, ERRORS.INSUFFICIENT_ACCOUNT_BALANCE.code);

  const { result, error } = await stage.door.answer('devnet_mint', params);
  const supply = readWide(values, token, cast.SUPPLY);
  const overflows = supply + amount >= 2n ** 256n;
  agree(error?.code, overflows ? -1 : undefined, `the code of ${error?.message}`);
  const hash = error ? hashIn(error.data) : result.tx_hash;
  const effects = [(from: Values) => minted(from, address, amount, token, supply)];
  await follow(stage, { type: 'INVOKE', hash, sender, tip: 0n, offered, effects, messages: [] });
  const balance = balanceOf(stage.world.values, address, token);
  if (!error) agree(result, { unit, new_balance: balance.toString() });
}

/** A mint that was reverted is kept; its error says where. */
function hashIn(data: unknown): string {
  const has = typeof data === 'object' && data !== null && 'tx_hash' in data;
  return has ? String(data.tx_hash) : '';
}

/** A message from L1. One that fails is kept as reverted; no fee is paid on L2. */
export async function deposit(stage: NodeAndModel, { user, amount }: Of<'deposit'>): Promise<void> {
  const { values } = stage.world;
  const { address } = cast.sender(user);
  stage.deposits += 1;
  const nonce = cast.hex(stage.deposits);
  const l1Hash = cast.hex(0x1_0000 + (stage.deposits % 2));
  const message = {
    l1_transaction_hash: l1Hash,
    l1_contract_address: cast.L1_SENDER,
    l2_contract_address: cast.MESSENGER,
    entry_point_selector: cast.selector('deposit'),
    payload: [address, cast.hex(amount)],
    paid_fee_on_l1: '0x1',
    nonce,
  };
  const { hash } = new Transaction(
    {
      type: 'L1_HANDLER',
      version: '0x0',
      nonce,
      contract_address: cast.MESSENGER,
      entry_point_selector: message.entry_point_selector,
      calldata: [cast.L1_SENDER, ...message.payload],
      paid_fee_on_l1: '0x1',
    },
    cast.CHAIN_ID,
  );
  const { transaction_hash } = await stage.door.ask('devnet_postmanSendMessageToL2', message);
  agree(transaction_hash, hash);
  const newValues = values.has(className(cast.MESSENGER)) && deposited(values, address, amount);
  const receipt = await stage.door.ask('starknet_getTransactionReceipt', { transaction_hash });
  agree(receipt, {
    type: 'L1_HANDLER',
    execution_status: newValues ? 'SUCCEEDED' : 'REVERTED',
    actual_fee: { amount: '0x0' },
  });
  stage.include(
    { hash, type: 'L1_HANDLER', isReverted: !newValues, fee: 0n, sent: [], l1Hash },
    newValues || values,
  );
}

/** Takes a message to L1, once for each time that it was sent. */
export async function consume(stage: NodeAndModel, { payload }: Of<'consume'>): Promise<void> {
  const message = messageToL1(payload);
  const hash = messageToL1Hash(message);
  const count = stage.world.consumable.get(hash) ?? 0;
  const method = 'devnet_postmanConsumeMessageFromL2';
  if (count === 0) return stage.fails(method, message, -1);
  agree(await stage.door.ask(method, message), { message_hash: hash });
  const consumable = new Map(stage.world.consumable).set(hash, count - 1);
  stage.world = { ...stage.world, consumable };
}
