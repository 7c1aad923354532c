// Limits of a public network: what is just within is accepted, what is just beyond is refused with the reason.
import { groupDigits } from '@starkbox/abi/basics';
import { Class, type TransactionValues } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { runCommandLine } from '@starkbox/test-support/command-line';
import { type Fixture, startFixture } from '@starkbox/test-support/fixture';
import {
  bounds,
  boundsOf,
  type Contract,
  contract,
  declareRequest,
  deployAccountRequest,
  hex,
  invokeRequest,
  newAccount,
  STRK,
  ZERO,
} from '@starkbox/test-support/signing';
import { describe, expect, test } from 'vitest';
import { type SierraClass, swelling, unaudited } from '../../../engine/test/fixtures/sierra.js';

const CALL = { to: STRK, name: 'transfer', calldata: ['0x77', '0x1', '0x0'] };
const INVOKE = 'starknet_addInvokeTransaction';
const DECLARE = 'starknet_addDeclareTransaction';
const DEPLOY = 'starknet_addDeployAccountTransaction';

const counter = await contract('counter');
// In the mempool, what the account itself would reject is accepted too.
const ruled = await startFixture({ blockGenerationOn: 'mempool', rules: 'mainnet' });
const free = await startFixture({ blockGenerationOn: 'mempool' });

const account: Fixture['account'] = (index) => ruled.account(index);

const zeros = (length: number): readonly string[] => Array(length).fill('0x0');
const priced = (price: bigint) => ({
  resource_bounds: bounds({ l1_data_gas: 1000n, l2_gas: 10n ** 9n }, price),
});
const gas = (l2_gas: bigint) => ({ resource_bounds: bounds({ l1_data_gas: 1000n, l2_gas }) });

type Named = bigint | number | string;

/** What data has to name: the rule, its limit, the value. */
function naming(rule: string, limit: Named, value: Named) {
  const written = (of: Named): string => {
    if (typeof of === 'string') return of;
    return rule.startsWith('min_gas_price') ? `${Number(of) / 1e9} gfri` : groupDigits(of);
  };
  return expect.stringMatching(
    new RegExp(`^${rule}: .*\\b${written(value)}\\b.*; mainnet .*\\b${written(limit)}\\b`),
  );
}

/** A class of JSON text, as requests carry it. */
async function contractOf(sierra: unknown): Promise<Contract> {
  const compiledClass = await Class.compile(JSON.stringify(sierra));
  const { hash, compiledClassHash: compiledHash = '0x0' } = compiledClass;
  return { class: compiledClass, hash, compiledHash, body: JSON.parse(await compiledClass.json()) };
}

const sierraContract = (sierra: SierraClass): Promise<Contract> =>
  contractOf({ ...sierra, abi: '[]' });

const WITHIN = { nonce_data_availability_mode: 'L1', fee_data_availability_mode: 'L1' } as const;

describe.each([
  [
    'an invocation',
    INVOKE,
    (changes: TransactionValues) => invokeRequest(account(), [CALL], 0, { changes }),
  ],
  [
    'a deployment',
    DEPLOY,
    (changes: TransactionValues) => deployAccountRequest(newAccount('0x123'), { changes }),
  ],
  [
    'a declaration',
    DECLARE,
    (changes: TransactionValues) => declareRequest(account(), counter, 0, { changes }),
  ],
] as const)('%s', (what, method, request) => {
  test.each([
    ['paymaster_data', { paymaster_data: ['0x1'] }],
    ['account_deployment_data', { account_deployment_data: ['0x1'] }],
    ['nonce_data_availability_mode', { ...WITHIN, nonce_data_availability_mode: 'L2' }],
    ['fee_data_availability_mode', { ...WITHIN, fee_data_availability_mode: 'L2' }],
    ['max_signature_length', { signature: zeros(4001) }],
  ])('is refused for its %s', async (field, changes) => {
    // A deployment has no such field.
    if (what === 'a deployment' && field === 'account_deployment_data') return;
    expect(await ruled.client.failure(method, [request(changes)])).toMatchObject({
      code: ERRORS.VALIDATION_FAILURE.code,
      data: expect.stringMatching(new RegExp(`^${field}: .*; mainnet `)),
    });
  });

  test('is accepted with all of them at their limits', async () => {
    await ruled.client.call('devnet_mempoolClear');
    await ruled.client.call(method, [request({ ...WITHIN, signature: zeros(4000) })]);
    expect(await ruled.client.call('devnet_mempoolClear')).toEqual({ removed: 1 });
  });
});

describe('an invocation', () => {
  test.each([
    ['min_gas_price', priced, 8_000_000_000n, 7_999_999_999n],
    ['max_l2_gas_amount', gas, 1_210_000_000n, 1_210_000_001n],
    ['max_calldata_length', (n: bigint) => ({ calldata: zeros(Number(n)) }), 5000n, 5001n],
    ['max_signature_length', (n: bigint) => ({ signature: zeros(Number(n)) }), 4000n, 4001n],
  ] as const)('is held to %s', async (rule, changing, limit, beyond) => {
    await ruled.client.call('devnet_mempoolClear');
    const within = invokeRequest(account(), [CALL], 0, { changes: changing(limit) });
    await ruled.client.call(INVOKE, [within]);
    const refused = invokeRequest(account(), [CALL], 1, { changes: changing(beyond) });
    expect(await ruled.client.failure(INVOKE, [refused])).toMatchObject({
      code: ERRORS.VALIDATION_FAILURE.code,
      data: naming(rule, limit, beyond),
    });
    await free.client.call(INVOKE, [refused]);
    await free.client.call('devnet_mempoolClear');
  });

  test('is held to the nonce gap and, as a declaration, to none', async () => {
    const at = (nonce: number) => invokeRequest(account(1), [CALL], nonce);
    await ruled.client.call(INVOKE, [at(200)]);
    expect(await ruled.client.failure(INVOKE, [at(201)])).toMatchObject({
      code: ERRORS.INVALID_TRANSACTION_NONCE.code,
      data: naming('max_allowed_nonce_gap', 200, 201),
    });
    await free.client.call(INVOKE, [at(201)]);

    expect(
      await ruled.client.failure(DECLARE, [declareRequest(account(2), counter, 1)]),
    ).toMatchObject({
      code: ERRORS.INVALID_TRANSACTION_NONCE.code,
      data: naming('reject_future_declare_txs', 0, 1),
    });
    await free.client.call(DECLARE, [declareRequest(account(2), counter, 1)]);
  });

  test('is held to the price of the latest block', async () => {
    const { client } = await startFixture({
      blockGenerationOn: 'mempool',
      rules: 'mainnet',
      l2GasPriceFri: 20_000_000_000n,
    });
    const at = (price: bigint, nonce: number) =>
      invokeRequest(account(), [CALL], nonce, { changes: priced(price) });
    await client.call(INVOKE, [at(20_000_000_000n, 0)]);
    expect(await client.failure(INVOKE, [at(19_999_999_999n, 1)])).toMatchObject({
      code: ERRORS.VALIDATION_FAILURE.code,
      data: naming('min_gas_price_percentage', 20_000_000_000n, 19_999_999_999n),
    });
  });
});

test('the deployment of an account is held to the length of its calldata', async () => {
  const of = (length: number) =>
    deployAccountRequest(newAccount('0x123'), {
      changes: { constructor_calldata: zeros(length), signature: [] },
    });
  await ruled.client.call(DEPLOY, [of(5000)]);
  expect(await ruled.client.failure(DEPLOY, [of(5001)])).toMatchObject({
    code: ERRORS.VALIDATION_FAILURE.code,
    data: naming('max_calldata_length', 5000, 5001),
  });
});

test('proof facts count as calldata, and the proof has a limit of its own', async () => {
  const { client } = await startFixture({
    blockGenerationOn: 'mempool',
    rules: 'mainnet',
    proofMode: 'none',
  });
  const of = (felts: number, bytes: number) => {
    const changes = { calldata: zeros(felts), proof_facts: ['0x1', '0x2'] };
    const proof = Buffer.alloc(bytes).toString('base64');
    return [{ ...invokeRequest(account(), [CALL], 0, { changes }), proof }];
  };
  expect(await client.failure(INVOKE, of(4999, 1))).toMatchObject({
    code: ERRORS.VALIDATION_FAILURE.code,
    data: naming('max_calldata_length', 5000, 5001),
  });
  expect(await client.failure(INVOKE, of(4998, 480_001))).toMatchObject({
    code: ERRORS.VALIDATION_FAILURE.code,
    data: naming('max_proof_size', 480_000, 480_001),
  });
  await client.call(INVOKE, of(4998, 480_000));
});

test('without fees the bounds are free, and the other rules hold', async () => {
  const { client } = await startFixture({ rules: 'mainnet', chargeFee: false });
  const l2_gas = { max_amount: hex(1_210_000_001n), max_price_per_unit: '0x1' };
  for (const [nonce, resource_bounds] of [ZERO, { ...ZERO, l2_gas }].entries()) {
    const request = invokeRequest(account(), [CALL], nonce, { changes: { resource_bounds } });
    const { transaction_hash } = await client.call(INVOKE, [request]);
    expect(await client.call('starknet_getTransactionReceipt', [transaction_hash])).toMatchObject({
      execution_status: 'SUCCEEDED',
    });
  }
  const long = invokeRequest(account(), [CALL], 2, { changes: { calldata: zeros(5001) } });
  expect(await client.failure(INVOKE, [long])).toMatchObject({
    code: ERRORS.VALIDATION_FAILURE.code,
    data: naming('max_calldata_length', 5000, 5001),
  });
});

describe('a declaration', () => {
  const declaration = async (declared: Contract, changes = {}) => [
    declareRequest(account(2), declared, 0, { changes }),
  ];

  test('may have more L2 gas than others', async () => {
    await ruled.client.call('devnet_mempoolClear');
    await ruled.client.call(DECLARE, await declaration(counter, gas(1_210_000_001n)));
    expect(await ruled.client.call('devnet_mempoolList')).toMatchObject({ size: 1 });
  });

  test.each([
    ['min_sierra_version', [1, 1, 0], [1, 0, 99]],
    ['max_sierra_version', [1, 9, 99], [1, 10, 0]],
    ['max_sierra_version', [1, 9, 0], [2, 0, 0]],
  ])('is held to %s', async (rule, within, beyond) => {
    const { body } = counter;
    if (typeof body !== 'object') throw new Error('the class is no object');
    const program: readonly string[] = Object(body).sierra_program;
    const of = (version: readonly number[]) => {
      const sierra_program = [...version.map(hex), ...program.slice(3)];
      return declaration(counter, { contract_class: { ...body, sierra_program } });
    };
    expect(await ruled.client.failure(DECLARE, await of(beyond))).toMatchObject({
      code: ERRORS.UNSUPPORTED_CONTRACT_CLASS_VERSION.code,
      data: naming(rule, '1\\.1\\.0 to 1\\.9', beyond.join('\\.')),
    });
    // It is another class than the one that was signed, but its version is within.
    expect((await ruled.client.failure(DECLARE, await of(within))).code).not.toBe(62);
  });

  test('has entry points in order, each once', async () => {
    const { body } = counter;
    if (typeof body !== 'object') throw new Error('the class is no object');
    const { entry_points_by_type }: { entry_points_by_type?: unknown } = Object(body);
    const { EXTERNAL }: { readonly EXTERNAL?: readonly object[] } = Object(entry_points_by_type);
    const [first = {}, second = {}, ...rest] = EXTERNAL ?? [];
    const of = (...external: readonly object[]) => {
      const entries = { ...Object(entry_points_by_type), EXTERNAL: [...external, ...rest] };
      return declaration(counter, { contract_class: { ...body, entry_points_by_type: entries } });
    };
    for (const external of [
      [second, first],
      [first, first, second],
    ]) {
      expect(await ruled.client.failure(DECLARE, await of(...external))).toMatchObject({
        code: ERRORS.VALIDATION_FAILURE.code,
        data: expect.stringMatching(/^entry_points_by_type: .*EXTERNAL.*; mainnet /),
      });
    }
    await ruled.client.call('devnet_mempoolClear');
    await ruled.client.call(DECLARE, await of(first, second));
    expect(await ruled.client.call('devnet_mempoolList')).toMatchObject({ size: 1 });
  });

  test('is held to the length of the Sierra program', async () => {
    const { body } = counter;
    if (typeof body !== 'object') throw new Error('the class is no object');
    const version = ['0x1', '0x6', '0x0'];
    const of = (length: number) =>
      declaration(counter, {
        contract_class: { ...body, sierra_program: [...version, ...zeros(length - 3)] },
      });
    expect(await ruled.client.failure(DECLARE, await of(81_921))).toMatchObject({
      code: ERRORS.CONTRACT_CLASS_SIZE_IS_TOO_LARGE.code,
      data: naming('max_contract_bytecode_size', 81_920, 81_921),
    });
    // Zeros do not compile, but their number is within.
    expect((await ruled.client.failure(DECLARE, await of(81_920))).code).toBe(-1);
  });

  test('is held to the size of the class', async () => {
    const LIMIT = 4_089_446;
    const { body } = await sierraContract(swelling(1));
    if (typeof body !== 'object') throw new Error('the class is no object');
    const bare = JSON.stringify({ ...body, abi: '' }).length;
    const of = (size: number) => contractOf({ ...body, abi: ' '.repeat(size - bare) });
    const beyond = await declaration(await of(LIMIT + 1));
    expect(await ruled.client.failure(DECLARE, beyond)).toMatchObject({
      code: ERRORS.CONTRACT_CLASS_SIZE_IS_TOO_LARGE.code,
      data: naming('max_contract_class_object_size', LIMIT, LIMIT + 1),
    });
    await ruled.client.call('devnet_mempoolClear');
    await ruled.client.call(DECLARE, await declaration(await of(LIMIT)));
    await free.client.call(DECLARE, beyond);
  });

  test('is held to the length of its compiled code', async () => {
    const most = await sierraContract(swelling(4));
    const more = await sierraContract(swelling(5));
    expect(most.class.figures.bytecodeFelts).toBeLessThanOrEqual(81_920);
    await ruled.client.call('devnet_mempoolClear');
    await ruled.client.call(DECLARE, await declaration(most));
    const value = more.class.figures.bytecodeFelts;
    expect(await ruled.client.failure(DECLARE, await declaration(more))).toMatchObject({
      code: ERRORS.CONTRACT_CLASS_SIZE_IS_TOO_LARGE.code,
      data: naming('max_bytecode_size', 81_920, value),
    });
  });

  test('is held to audited libfuncs', async () => {
    const unauditedContract = await sierraContract(unaudited);
    expect(await ruled.client.failure(DECLARE, await declaration(unauditedContract))).toMatchObject(
      {
        code: ERRORS.COMPILATION_FAILED.code,
        data: expect.stringMatching(/^audited_libfuncs_only: .*\bunsafe_panic\b.* mainnet /),
      },
    );
    await free.client.call('devnet_mempoolClear');
    await free.client.call(DECLARE, await declaration(unauditedContract));
  });
});

async function bannerOf(...argv: readonly string[]): Promise<string> {
  const { outcome, stdout } = await runCommandLine(['--port', '0', ...argv]);
  if ('node' in outcome) await outcome.node.close();
  return stdout;
}

test('the rules are shown, and the chain starts at their gas price', async () => {
  const { client } = await startFixture({ rules: 'sepolia' });
  expect(await client.call('devnet_getConfig')).toMatchObject({
    rules: 'sepolia',
    l2_gas_price_fri: 8_000_000_000,
  });
  expect(await bannerOf('--rules', 'sepolia')).toContain('Rules: sepolia\n');
  expect(await free.client.call('devnet_getConfig')).not.toHaveProperty('rules');
  expect(await bannerOf()).not.toContain('Rules');

  const low = invokeRequest(account(), [CALL], 0, { changes: priced(1n) });
  expect((await client.failure(INVOKE, [low])).data).toContain('; sepolia ');
  const { transaction_hash } = await client.call(INVOKE, [invokeRequest(account(), [CALL], 0)]);
  expect(await client.call('starknet_getTransactionReceipt', [transaction_hash])).toMatchObject({
    execution_status: 'SUCCEEDED',
    actual_fee: { unit: 'FRI' },
  });
  await client.call('devnet_mint', { address: '0x123', amount: 1 });
});

test('bounds of exactly what was estimated are accepted', async () => {
  const { client } = await startFixture({ rules: 'mainnet' });
  const request = invokeRequest(account(), [CALL], 0);
  const [estimate] = await client.call('starknet_estimateFee', [[request], [], 'latest']);
  if (!estimate) throw new Error('there is no estimate');
  const resource_bounds = boundsOf(estimate, (gas) => gas, BigInt(estimate.l2_gas_price));
  const { transaction_hash } = await client.call(INVOKE, [
    invokeRequest(account(), [CALL], 0, { changes: { resource_bounds } }),
  ]);
  expect(await client.call('starknet_getTransactionReceipt', [transaction_hash])).toMatchObject({
    execution_status: 'SUCCEEDED',
  });
});

test('a chain without rules lists what a network would have refused', async () => {
  const chain = await startFixture();
  const price = 10n ** 10n;
  const changes = [
    priced(price),
    priced(7_999_999_999n),
    { resource_bounds: bounds({ l1_data_gas: 1000n, l2_gas: 1_210_000_001n }, price) },
  ];
  const hashes: string[] = [];
  for (const [nonce, change] of changes.entries()) {
    const request = invokeRequest(chain.account(), [CALL], nonce, { changes: change });
    const { transaction_hash } = await chain.client.call(INVOKE, [request]);
    hashes.push(transaction_hash);
  }
  await chain.client.call('devnet_mint', { address: '0x77', amount: 1 });
  const page = await chain.client.call('devnet_listRuleFindings', { limit: 1 });
  expect(page).toMatchObject({
    network: 'mainnet',
    findings: [{ transaction_hash: hashes[2], rule: 'max_l2_gas_amount', block_number: 3 }],
  });
  const { next: cursor } = page;
  const rest = await chain.client.call('devnet_listRuleFindings', { cursor, network: 'sepolia' });
  expect(rest.findings).toMatchObject([
    {
      transaction_hash: hashes[1],
      rule: 'min_gas_price',
      sender_address: chain.account().address,
      reason: expect.stringMatching(/is 7\.999999999 gfri; sepolia requires at least 8 gfri/),
    },
  ]);
  expect(rest.next).toBeUndefined();
});
