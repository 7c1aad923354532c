// Failures of accounts, fees, resource bounds and tokens.
import { executeCalldata } from '@starkbox/abi/internal';
import { builtinClass, publicKey } from '@starkbox/engine';
import type { FailingChain } from '@starkbox/test-support/failing-chain';
import {
  type Bounds,
  bounds,
  type Call,
  declareRequest,
  deployAccountRequest,
  ETH,
  hex,
  invokeRequest,
  STRK,
  selector,
  short,
} from '@starkbox/test-support/signing';
import { type Case, missing, u256 } from './failing-case.js';

const ENOUGH = { l1_gas: 100_000n, l1_data_gas: 100_000n, l2_gas: 10n ** 9n };
const limited = (
  title: string,
  call: Call & { of?: string },
  amount: Partial<typeof ENOUGH>,
  price?: bigint,
): Case => [
  title,
  ({ contracts, explainInvoke }) =>
    explainInvoke([{ ...call, to: contracts[call.to] ?? call.to }], {
      resource_bounds: bounds({ ...ENOUGH, ...amount }, price) satisfies Bounds,
    }),
];
const burn = (to: string): Call => ({ to, name: 'burn', calldata: [hex(1_000_000)] });
const write = (value: string): Call => ({ to: 'reverter', name: 'write', calldata: [value] });

export const RESOURCES: readonly Case[] = [
  limited('all L2 gas used', burn('reverter'), { l2_gas: 3_000_000n }),
  limited('all L2 gas used, in code of the older compiler', burn('reverter-2.8'), {
    l2_gas: 3_000_000n,
  }),
  limited(
    'no end, reading',
    { to: 'failing_calls', name: 'read_forever' },
    { l2_gas: 20_000_000n },
  ),
  limited('too little L2 gas to begin', write('0x1'), { l2_gas: 10n }),
  limited('too little L1 data gas to begin', write('0x1'), { l1_data_gas: 10n }),
  limited('too little L1 data gas for what was written', write('0x31'), { l1_data_gas: 140n }),
  limited(
    'too little L1 gas for messages',
    { to: 'failing_calls', name: 'send_message', calldata: ['0x1', '0x5'] },
    { l1_gas: 10n },
  ),
  limited('L1 gas alone, and too little', write('0x1'), {
    l1_gas: 20n,
    l1_data_gas: 0n,
    l2_gas: 0n,
  }),
  limited('prices that are too low', write('0x1'), {}, 10n),
  limited('no bounds', write('0x1'), { l1_gas: 0n, l1_data_gas: 0n, l2_gas: 0n }, 0n),
  limited('bounds above the balance', write('0x1'), { l2_gas: 10n ** 14n }),
  [
    'a fee that the calls have spent',
    async ({ fixture, explainInvoke, sender }) => {
      const { client, account } = fixture;
      const { amount } = await client.call('devnet_getAccountBalance', {
        address: sender.account.address,
      });
      const all = BigInt(amount) - 10n ** 10n;
      return explainInvoke([
        { to: STRK, name: 'transfer', calldata: [account(1).address, ...u256(all)] },
      ]);
    },
  ],
];

export const TOKENS: readonly Case[] = [
  [
    'STRK: more than the balance',
    ({ fixture: { account }, explainInvoke }) =>
      explainInvoke([
        { to: STRK, name: 'transfer', calldata: [account(2).address, '0x1', '0x0'] },
        { to: STRK, name: 'transfer', calldata: [account(1).address, ...u256(10n ** 24n)] },
        { to: STRK, name: 'transfer', calldata: [account(2).address, '0x2', '0x0'] },
      ]),
  ],
  [
    'ETH: more than the balance',
    ({ fixture: { account }, explainInvoke }) =>
      explainInvoke([
        { to: ETH, name: 'transfer', calldata: [account(1).address, ...u256(10n ** 21n)] },
      ]),
  ],
  [
    'STRK: more than is allowed',
    ({ fixture: { account }, explainInvoke }) =>
      explainInvoke([
        {
          to: STRK,
          name: 'transfer_from',
          calldata: [account(1).address, account(2).address, ...u256(15n * 10n ** 17n)],
        },
      ]),
  ],
];

export const BAD = { signature: ['0x1', '0x2'] };

/** An account of a class that sends an invoke with a wrong signature. */
const signedWrongly = (
  title: string,
  classOf: (chain: FailingChain) => Promise<string> | string,
  constructorCalldata?: readonly string[],
): Case => [
  title,
  async (chain) => {
    const account = await chain.fundedAccount(await classOf(chain), constructorCalldata);
    await chain.deployed(account);
    return chain.explainSent(
      invokeRequest(account, [{ to: STRK, name: 'transfer', calldata: ['0x1', '0x1', '0x0'] }], 1, {
        changes: BAD,
      }),
    );
  },
];

const failingAccount = (failingStep: string, isDeployed = true): Case => [
  `failing_account: ${failingStep}`,
  async (chain) => {
    const { classes, sender } = chain;
    const account = await chain.fundedAccount(classes['failing_account']?.hash ?? '', [
      short(failingStep),
    ]);
    if (!isDeployed) return chain.explainSent(deployAccountRequest(account));
    await chain.deployed(account);
    if (failingStep === 'declare') {
      const request = [declareRequest(account, classes['account'] ?? missing(), 1)];
      return chain.explainError('starknet_estimateFee', [request, [], 'latest']);
    }
    const to = sender.account.address;
    return chain.explainSent(invokeRequest(account, [{ to, name: 'get_public_key' }], 1));
  },
];

const KEY = publicKey('0x77');

export const ACCOUNTS: readonly Case[] = [
  ['OpenZeppelin, Cairo 1: wrong signature', ({ explainInvoke }) => explainInvoke([], BAD)],
  signedWrongly('our own: wrong signature', ({ classes }) => classes['account']?.hash ?? ''),
  signedWrongly('Argent: wrong signature', ({ node }) => node.argent?.regular ?? '', [
    '0x0',
    KEY,
    '0x1',
  ]),
  [
    'Argent multisig: a signature of another form',
    async (chain) => {
      const classHash = chain.node.argent?.multisig ?? '';
      const account = await chain.fundedAccount(classHash, ['0x1', '0x1', '0x0', KEY]);
      return chain.explainSent(deployAccountRequest(account));
    },
  ],
  [
    'OpenZeppelin, Cairo 0: wrong signature, and calls in the newer encoding',
    async (chain) => {
      const { hash } = await builtinClass('account-cairo0');
      const account = await chain.deployed(await chain.fundedAccount(hash));
      return chain.explainSent(invokeRequest(account, [{ to: STRK, name: 'name' }], 1));
    },
  ],
  [
    'OpenZeppelin, Cairo 0: a contract panics',
    async (chain) => {
      const { hash } = await builtinClass('account-cairo0');
      const account = await chain.fundedAccount(hash, [publicKey('0x78')]);
      const deployedAccount = await chain.deployed({ ...account, privateKey: '0x78' });
      const call = {
        contract: chain.contracts['reverter'] ?? '',
        selector: selector('fail'),
        calldata: ['0x1', short('oops')],
      };
      const calldata = executeCalldata([call], 'call array');
      return chain.explainSent(invokeRequest(deployedAccount, [], 1, { changes: { calldata } }));
    },
  ],
  failingAccount('constructor', false),
  failingAccount('deploy', false),
  failingAccount('declare'),
  failingAccount('validate'),
  failingAccount('verdict'),
  failingAccount('calls'),
  failingAccount('endless'),
  failingAccount('execute'),
  failingAccount('overflow'),
  ['a nonce that is too high', ({ explainInvoke }) => explainInvoke([], { nonce: '0xffff' })],
  ['a nonce that was used', ({ explainInvoke }) => explainInvoke([], { nonce: '0x0' })],
  [
    'a sender that is not deployed',
    ({ explainInvoke }) => explainInvoke([], { sender_address: '0x9999', nonce: '0x0' }),
  ],
  [
    'a sender that is no account',
    async ({ contracts, explainInvoke, node }) => {
      const sender_address = contracts['reverter'] ?? '';
      await node.mint(sender_address, 10n ** 21n);
      return explainInvoke([], { sender_address, nonce: '0x0' });
    },
  ],
  [
    'an account of a class that is not declared',
    async (chain) => chain.explainSent(deployAccountRequest(await chain.fundedAccount('0x4321'))),
  ],
  [
    'a class that is declared already',
    async ({ classes, sender, explainSent }) =>
      explainSent(await sender.declareRequest(classes['counter'] ?? missing())),
  ],
  [
    'a compiled class hash of another compiler',
    async ({ classes, sender, explainSent }) =>
      explainSent(
        await sender.declareRequest(classes['counter'] ?? missing(), {
          compiled_class_hash: '0x1234',
        }),
      ),
  ],
];
