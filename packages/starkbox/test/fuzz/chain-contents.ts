// Contents of the chain under test, inserted where a request asks for something.
import { readFile } from 'node:fs/promises';
import { Class, storageAddress } from '@starkbox/engine';
import { MINTER, seededAccounts } from '../../src/chain/genesis/accounts.js';
import { isList, isRecord } from './mutation.js';
import { chance, type Dice, pick } from './random.js';
import * as real from './real-transaction.js';

export type Ask = (method: string, params?: unknown) => Promise<unknown>;

/** Values that exist, by what they are. */
export interface ChainContents {
  readonly addresses: readonly string[];
  readonly classes: readonly string[];
  /** The class of the accounts. */
  readonly accountClass: string;
  /** Old ones are replaced by new ones; see {@link recordTransaction}. */
  readonly transactions: string[];
  readonly blocks: readonly string[];
  readonly keys: readonly string[];
  readonly l1Transactions: readonly string[];
  /** The number of the newest block when all was set up. */
  readonly tip: number;
  /** The next nonce of each sender, updated when a transaction is sent. */
  readonly nonces: Map<string, number>;
}

interface Contract extends real.Declarable {
  readonly name: string;
  readonly address: string;
}

const NAMES = [
  'counter',
  'emitter',
  'messenger',
  'context',
  'reverter',
  'upgradable',
  'account_reject',
  'slots',
] as const;

async function readContract(name: string, index: number): Promise<Contract> {
  const file = new URL(`../../../../contracts/cairo/${name}.sierra.json`, import.meta.url);
  const { abi, ...rest }: Omit<real.SierraClass, 'abi'> & { abi: unknown } = JSON.parse(
    await readFile(file, 'utf8'),
  );
  const wire = { ...rest, abi: JSON.stringify(abi) };
  const compiledClass = await Class.compile(JSON.stringify(wire));
  return { name, address: `0xf0${index}`, wire, compiledClass };
}

/** Contracts of ours, each at an address of its own. */
export const contracts: readonly Contract[] = await Promise.all(NAMES.map(readContract));
/** Not on the chain, so that it can be declared. */
export const spare: Contract = await readContract('upgraded', NAMES.length);

const TOKENS = [
  '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d',
  '0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7',
] as const;

/** Those of seed 0. */
export const accounts = seededAccounts(0, 10);

/** Restarts the chain, and creates one of each thing that requests can name. */
export async function prepare(ask: Ask): Promise<ChainContents> {
  await ask('devnet_restart');
  await ask('devnet_applyStateDiff', {
    state_diff: {
      deployed_contracts: contracts.map(({ address, compiledClass }) => ({
        address,
        class_hash: compiledClass.hash,
      })),
    },
    classes: contracts.map(({ wire }) => ({ contract_class: wire })),
  });
  const nonces = new Map<string, number>();
  const send = async (name: string, entry: string, calldata: readonly string[]): Promise<void> => {
    const [sender = MINTER] = accounts;
    const nonce = nonces.get(sender.address) ?? 0;
    const to = contracts.find((contract) => contract.name === name)?.address ?? TOKENS[0];
    const call = { to, name: entry, calldata };
    const invoke_transaction = real.signed(real.invoke(sender, nonce, [call]), sender);
    await ask('starknet_addInvokeTransaction', { invoke_transaction });
    nonces.set(sender.address, nonce + 1);
  };
  const address = (name: string): string =>
    contracts.find((contract) => contract.name === name)?.address ?? '0x1';

  const accountClass = String(
    await ask('starknet_getClassHashAt', ['latest', accounts[0]?.address]),
  );
  await ask('devnet_applyStateDiff', { state_diff: { storage_diffs: [funds(accountClass)] } });

  await send('strk', 'transfer', ['0xbeef', '0x5', '0x0']);
  await send('counter', 'increase', ['0x3']);
  await send('counter', 'increase', ['0x0']); // reverts
  await send('emitter', 'emit_batch', ['0x8', '0x2', '0x1']);
  await send('messenger', 'send', ['0x11', '0x1', '0x2']);
  await send('slots', 'fill', ['0x0', '0x8']);
  await send('reverter', 'catch', [address('counter'), '0x1', '0x0']);
  await send('upgradable', 'set_kept', ['0x9']);
  await ask('devnet_mint', { address: address('account_reject'), amount: 10 ** 18 });
  await ask('devnet_postmanSendMessageToL2', {
    l2_contract_address: address('messenger'),
    entry_point_selector: real.selector('deposit'),
    l1_contract_address: '0x1234',
    payload: ['0xbeef', '0x1'],
    paid_fee_on_l1: '0x1',
    nonce: '0x0',
    l1_transaction_hash: '0xabc',
  });
  await ask('devnet_createBlock');
  return { ...(await look(ask)), accountClass, l1Transactions: ['0xabc', '0xdef'], nonces };
}

/** Salts of accounts that can pay for their deployment. */
export const SALTS = 30;

function funds(accountClass: string): object {
  const storage_entries = Array.from({ length: SALTS }, (_, salt) => {
    const signer = accounts[salt % accounts.length] ?? MINTER;
    const address = real.deployedAddress(accountClass, signer, salt);
    return { key: storageAddress('ERC20_balances', [address]), value: `0x${'f'.repeat(17)}` };
  });
  return { address: TOKENS[0], storage_entries };
}

/** Records the transaction of an answer in place of an older one. */
export function recordTransaction({ transactions }: ChainContents, answer: string): void {
  const [, hash] = /"(?:transaction|tx)_hash":"(0x[0-9a-f]+)"/.exec(answer.slice(0, 500)) ?? [];
  if (hash !== undefined) transactions.splice(Number(BigInt(hash) % 8n), 1, hash);
}

type ReadContents = Omit<ChainContents, 'nonces' | 'l1Transactions' | 'accountClass'>;

async function look(ask: Ask): Promise<ReadContents> {
  const tip = Number(await ask('starknet_blockNumber'));
  const transactions: string[] = [];
  const blocks: string[] = [];
  for (let number = 0; number <= tip; number += 1) {
    const block = await ask('starknet_getBlockWithTxHashes', {
      block_id: { block_number: number },
    });
    if (!isRecord(block)) continue;
    blocks.push(String(block['block_hash']));
    if (isList(block['transactions'])) transactions.push(...block['transactions'].map(String));
  }
  const tokens: string[] = [];
  for (const token of [...TOKENS, accounts[0]?.address]) {
    tokens.push(String(await ask('starknet_getClassHashAt', ['latest', token])));
  }
  return {
    addresses: [
      ...TOKENS,
      ...accounts.slice(0, 4).map((account) => account.address),
      ...contracts.map((contract) => contract.address),
      MINTER.address,
      '0x1',
      '0xbeef',
    ],
    classes: [...tokens, ...contracts.map(({ compiledClass }) => compiledClass.hash)],
    transactions,
    blocks,
    keys: [
      storageAddress('count'),
      storageAddress('ERC20_total_supply'),
      ...accounts.slice(0, 3).map((account) => storageAddress('ERC20_balances', [account.address])),
      '0x0',
      '0x1',
    ],
    tip,
  };
}

type Maker = (contents: ChainContents, roll: Dice) => unknown;

const address: Maker = ({ addresses }, roll) => pick(roll, addresses);
const classHash: Maker = ({ classes }, roll) => pick(roll, classes);
const number: Maker = ({ tip }, roll) => Math.max(0, tip + 2 - roll(tip + 4));
const small: Maker = (_known, roll) => `0x${roll(20).toString(16)}`;
const felts: Maker = (contents, roll) =>
  Array.from({ length: roll(5) }, () => (chance(roll, 40) ? address : small)(contents, roll));
const price: Maker = (_known, roll) => 10 ** 9 + roll(5) * 10 ** 8;
const seconds: Maker = (_known, roll) => roll(4) * 10 ** 9;
const addresses: Maker = (contents, roll) =>
  Array.from({ length: roll(3) }, () => address(contents, roll));
const keys: Maker = ({ keys: storageKeys }, roll) => [
  pick(roll, storageKeys),
  pick(roll, storageKeys),
];

const blockId: Maker = (contents, roll) => {
  if (chance(roll, 40)) return { block_number: number(contents, roll) };
  if (chance(roll, 30)) return { block_hash: pick(roll, contents.blocks) };
  return pick(roll, ['latest', 'pre_confirmed', 'l1_accepted']);
};

/** What the members of requests are called, and what fits there. */
const MEMBERS: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ['block_id', blockId],
  ['starting_block_id', blockId],
  ['from_block', blockId],
  ['to_block', blockId],
  ['block_number', number],
  ['block_hash', ({ blocks }, roll) => pick(roll, blocks)],
  ['contract_address', address],
  ['sender_address', address],
  ['account_address', address],
  ['to_address', address],
  ['l2_contract_address', address],
  ['address', address],
  ['contract_addresses', addresses],
  ['class_hash', classHash],
  ['key', ({ keys: storageKeys }, roll) => pick(roll, storageKeys)],
  ['storage_keys', keys],
  ['entry_point_selector', (_known, roll) => real.selector(pick(roll, real.ENTRY_POINTS)[1])],
  ['calldata', felts],
  ['payload', felts],
  ['index', (_known, roll) => roll(3)],
  ['chunk_size', (_known, roll) => 1 + roll(20)],
  ['nonce', small],
  ['snapshot_id', small],
  ['time', seconds],
  ['gas_price_wei', price],
  ['data_gas_price_wei', price],
  ['gas_price_fri', price],
  ['data_gas_price_fri', price],
  ['l2_gas_price_wei', price],
  ['l2_gas_price_fri', price],
]);

/** The same params with existing values in some places; the others stay random. */
export function seeded(
  params: unknown,
  method: string,
  contents: ChainContents,
  roll: Dice,
): unknown {
  const visit = (value: unknown, name?: string): unknown => {
    const maker = name === undefined ? undefined : MEMBERS.get(name);
    if (maker !== undefined && chance(roll, 85)) return maker(contents, roll);
    if (name === 'transaction_hash' && chance(roll, 85)) {
      const isOfL1 = method === 'starknet_getMessagesStatus';
      return pick(roll, isOfL1 ? contents.l1Transactions : contents.transactions);
    }
    if (isList(value)) return value.map((item) => visit(item));
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).map(([member, item]) => [member, visit(item, member)]);
    return Object.fromEntries(entries);
  };
  return visit(params);
}

/** A call that its contract understands, as far as it is not about numbers. */
export function contractCall(contents: ChainContents, roll: Dice): real.Call {
  const [contract, name, ...takes] = pick(roll, real.ENTRY_POINTS);
  const number = (): string => (chance(roll, 5) ? oddNumber(roll) : `0x${roll(6).toString(16)}`);
  const argument = (kind: (typeof takes)[number]): readonly string[] => {
    switch (kind) {
      case 'address':
        return [pick(roll, contents.addresses) ?? '0x1'];
      case 'class':
        return [pick(roll, contents.classes) ?? '0x1'];
      case 'selector':
        return [real.selector(pick(roll, real.ENTRY_POINTS)[1])];
      case 'list': {
        const items = Array.from({ length: roll(4) }, number);
        return [`0x${items.length}`, ...items];
      }
      default:
        return [number()];
    }
  };
  return { to: placeOf(contract), name, calldata: takes.flatMap(argument) };
}

/** Loops get small numbers only: large ones run until their gas ends, for seconds. */
const ODD_NUMBERS: readonly [bigint, ...bigint[]] = [2n ** 32n, 2n ** 64n, 2n ** 128n, 2n ** 251n];
const oddNumber = (roll: Dice): string =>
  `0x${(pick(roll, ODD_NUMBERS) + BigInt(roll(2))).toString(16)}`;

function placeOf(contract: string): string {
  if (contract === 'strk') return TOKENS[0];
  if (contract === 'eth') return TOKENS[1];
  if (contract === 'account') return accounts[0]?.address ?? '0x1';
  return contracts.find(({ name }) => name === contract)?.address ?? '0x1';
}
