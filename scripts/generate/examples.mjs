// Examples of every method for docs/reference/methods.md: requests to a real node, and its answers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Account, ec, hash, RpcProvider, Signer, stark } from 'starknet';
import { WebSocket } from 'ws';
import { createChain } from '../../packages/starkbox/dist/index.js';
import { ROOT } from '../cargo.mjs';
import { INSTANCE, settled } from './example-text.mjs';

/** @typedef {{ readonly params: unknown, readonly answer?: unknown, readonly needs?: string }} Example */
/** @typedef {ReturnType<typeof JSON.parse>} Json */
/** @typedef {(method: string, params?: object) => Promise<Json>} Call */
/** @typedef {Awaited<ReturnType<typeof createChain>>} Chain */

const COUNTER = join(ROOT, 'contracts/cairo/counter.sierra.json');
/** The same class with the lines of its source. */
const PLACES = join(ROOT, 'contracts/places/counter.sierra.json.gz');
/** Methods that need more than a chain of their own: parameters alone. @type {Readonly<Record<string, Example>>} */
const NEEDING = {
  devnet_postmanLoad: { params: { network_url: 'http://127.0.0.1:8545' }, needs: 'an L1' },
  devnet_postmanFlush: { params: { dry_run: false }, needs: 'an L1' },
  devnet_replayTransaction: { params: { transaction_hash: '0x1234' }, needs: 'a fork' },
};
const L1_CONTRACT = '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0';
const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';
const BOUND = { max_amount: '0x5f5e100', max_price_per_unit: '0x2540be400' };
const BOUNDS = {
  l1_gas: BOUND,
  l1_data_gas: BOUND,
  l2_gas: { ...BOUND, max_amount: '0x3b9aca00' },
};

/** @returns {Promise<ReadonlyMap<string, Example>>} by the names of the methods */
export async function examples() {
  const node = await createChain({ seed: 0, port: 0, startTime: 1700000000 });
  /** @type {Map<string, Example>} */
  const examples = new Map(Object.entries(NEEDING));
  /** @param {string} method @param {object} [params] */
  const answered = async (method, params) => {
    const request = { jsonrpc: '2.0', id: 1, method, ...(params ? { params } : {}) };
    const text = (await node.handle(JSON.stringify(request))) ?? '{}';
    const { result, error } = JSON.parse(text);
    if (!examples.has(method)) examples.set(method, { params, answer: error ? { error } : result });
    return text;
  };
  /** @type {Call} */
  const call = async (method, params) => JSON.parse(await answered(method, params)).result;
  try {
    await blocksAndAccounts(call);
    await transactions(call, node, answered);
    await reading(call);
    await tools(call);
    await mempool(call);
    await instancesAndFiles(call);
    await subscriptions(examples, (await node.listen()).url);
  } finally {
    await node.close();
  }
  await paymaster(examples);
  return new Map(
    [...examples].map(([name, { params, answer, ...rest }]) => {
      const isOfInstance = typeof params === 'object' && params !== null && 'instance_id' in params;
      const settledParams = isOfInstance ? { instance_id: INSTANCE } : params;
      return [name, { ...rest, params: settledParams, answer: settled(answer) }];
    }),
  );
}

/** @param {Call} call */
async function blocksAndAccounts(call) {
  await call('devnet_setBlockSettings', { time_step: 10 });
  await call('devnet_getBlockSettings');
  await call('devnet_getConfig');
  const [alice] = await call('devnet_getPredeployedAccounts', { with_balance: true });
  await call('devnet_getAccountBalance', { address: alice.address, unit: 'FRI' });
  await call('devnet_mint', { address: '0xa11ce', amount: 1000 });
  await call('devnet_createBlock', { count: 2 });
  await call('devnet_reorg', { depth: 1, blocks: [[], []] });
  await call('devnet_abortBlocks', { starting_block_id: 'latest' });
  await call('devnet_acceptOnL1', { starting_block_id: { block_number: 1 } });
  await call('devnet_setGasPrice', { l2_gas_price_fri: 2000000000, generate_block: false });
  await call('devnet_setTime', { time: 1700001000, generate_block: true });
  await call('devnet_increaseTime', { time: 60 });
  await call('devnet_setBlockSettings', { time_step: 10 });
  await call('devnet_setNetworkConditions', {
    conditions: { gas_market: true, capacity: 'network' },
  });
  await call('devnet_setCongestion', { congestion: { demand: 0.5, median_tip: 1000000000 } });
  await call('devnet_getNetworkConditions');
  await call('devnet_setNetworkConditions', { conditions: null });
  const snapshot_id = await call('devnet_snapshot', { name: 'before' });
  await call('devnet_listSnapshots');
  await call('devnet_revert', { snapshot_id });
  await call('devnet_deleteSnapshot', { snapshot_id: await call('devnet_snapshot') });
}

/**
 * Declares, deploys and calls the counter, and deploys an account.
 *
 * @param {Call} call
 * @param {Chain} node
 * @param {(method: string, params?: object) => Promise<string>} answered
 */
async function transactions(call, node, answered) {
  /** The first transaction that starknet.js signed. @type {Json} */
  let signedInvoke;
  /** @type {typeof fetch} */
  const baseFetch = async (_url, options) => {
    const { method, params } = JSON.parse(String(options?.body));
    if (method === 'starknet_addInvokeTransaction') signedInvoke ??= params.invoke_transaction;
    return new Response(await answered(method, params));
  };
  const provider = new RpcProvider({ nodeUrl: node.rpcUrl, baseFetch });
  const [alice, bob] = node.accounts;
  if (!alice || !bob) throw new Error('the node has no accounts');
  const details = { tip: 0, resourceBounds: bounds() };
  const account = new Account({ provider, address: alice.address, signer: alice.privateKey });
  const contract = JSON.parse(readFileSync(COUNTER, 'utf8'));
  const casm = JSON.parse(readFileSync(COUNTER.replace('.sierra.', '.casm.'), 'utf8'));
  const { class_hash } = await account.declare({ contract, casm }, details);
  const { address } = await node.deploy({ classHash: class_hash, calldata: [41], salt: 1 });
  const increase = (/** @type {number} */ by) => ({
    contractAddress: address,
    entrypoint: 'increase',
    calldata: [by],
  });
  const block_id = { block_number: await call('starknet_blockNumber') };
  await account.execute(increase(1), details);
  await call('starknet_proveTransaction', { block_id, transaction: signedInvoke });
  await account.execute(increase(0), details);

  const key = '0x123456789';
  const publicKey = ec.starkCurve.getStarkKey(key);
  const accountClass = node.accountClassHash;
  const accountAddress = hash.calculateContractAddressFromHash(
    publicKey,
    accountClass,
    [publicKey],
    0,
  );
  await call('devnet_deal', {
    token: node.tokens.strk.address,
    address: accountAddress,
    amount: '1000000000000000000000',
  });
  const created = new Account({ provider, address: accountAddress, signer: key });
  await created.deployAccount(
    { classHash: accountClass, constructorCalldata: [publicKey], addressSalt: publicKey },
    details,
  );
  await simulations(call, { address, alice: alice.address, class_hash });
  const contract_class = JSON.parse(readFileSync(COUNTER.replace('counter', 'bridge'), 'utf8'));
  const declared = await call('devnet_declare', { contract_class });
  const { contract_address: bridge } = await call('devnet_deploy', {
    class_hash: declared.class_hash,
    salt: '0x2',
  });
  /** @param {string} entrypoint @param {readonly string[]} calldata */
  const invoke = (entrypoint, calldata) =>
    account.execute({ contractAddress: bridge, entrypoint, calldata: [...calldata] }, details);
  await invoke('connect', [L1_CONTRACT]);
  await deposit(call, bridge, alice.address);
  await invoke('withdraw', ['0xb0b', '0x5']);
  await call('devnet_postmanConsumeMessageFromL2', {
    from_address: bridge,
    to_address: L1_CONTRACT,
    payload: ['0xb0b', '0x5'],
  });
  await call('devnet_impersonateAccount', { account_address: bob.address });
  await call('devnet_stopImpersonateAccount', { account_address: bob.address });
}

/**
 * @param {Call} call
 * @param {string} bridge
 * @param {string} user
 */
async function deposit(call, bridge, user) {
  const entry_point_selector = hash.getSelectorFromName('deposit');
  const payload = [user, '0x64'];
  const message = {
    from_address: L1_CONTRACT,
    to_address: bridge,
    entry_point_selector,
    payload,
  };
  await call('starknet_estimateMessageFee', { message, block_id: 'latest' });
  const l1_transaction_hash = `0x${'12'.repeat(32)}`;
  await call('devnet_postmanSendMessageToL2', {
    l1_transaction_hash,
    l1_contract_address: L1_CONTRACT,
    l2_contract_address: bridge,
    entry_point_selector,
    payload,
    paid_fee_on_l1: '0x123456abcdef',
    nonce: '0x0',
  });
  await call('starknet_getMessagesStatus', { transaction_hash: l1_transaction_hash });
  await call('devnet_listMessages', { direction: 'TO_L2' });
}

function bounds() {
  /** @param {{ max_amount: string, max_price_per_unit: string }} bounds */
  const big = (bounds) => ({
    max_amount: BigInt(bounds.max_amount),
    max_price_per_unit: BigInt(bounds.max_price_per_unit),
  });
  const { l1_gas, l1_data_gas, l2_gas } = BOUNDS;
  return { l1_gas: big(l1_gas), l1_data_gas: big(l1_data_gas), l2_gas: big(l2_gas) };
}

/**
 * @param {Call} call
 * @param {{ address: string, alice: string, class_hash: string }} names
 */
async function simulations(call, { address, alice, class_hash }) {
  const increase = ['0x1', address, hash.getSelectorFromName('increase'), '0x1', '0x5'];
  const nonce = await call('starknet_getNonce', {
    block_id: 'pre_confirmed',
    contract_address: alice,
  });
  const transaction = unsigned(alice, increase, nonce);
  const skipped = ['SKIP_VALIDATE', 'SKIP_FEE_CHARGE'];
  const block_id = 'latest';
  await call('starknet_simulateTransactions', {
    block_id,
    transactions: [transaction],
    simulation_flags: skipped,
  });
  await call('starknet_estimateFee', {
    request: [transaction],
    simulation_flags: ['SKIP_VALIDATE'],
    block_id,
  });
  const get = hash.getSelectorFromName('get');
  const request = { contract_address: address, entry_point_selector: get, calldata: [] };
  await call('starknet_call', { request, block_id });
  const entries = [{ variable: 'count', value: '0x64' }];
  const storage = [{ contract_address: address, entries }];
  await call('devnet_call', { request, block_id, overrides: { storage } });
  const raise = hash.getSelectorFromName('increase');
  const called = { contract_address: address, entry_point_selector: raise, calldata: ['0x1'] };
  await call('devnet_callSequence', {
    calls: [
      { ...called, caller: '0xa11ce' },
      { ...called, calldata: ['0x0'] },
    ],
    block_id,
  });
  await call('devnet_estimateFee', {
    request: [transaction],
    simulation_flags: ['SKIP_VALIDATE'],
    block_id,
    overrides: { block: { gas_prices: { l2_gas_price_fri: 16000000000 } } },
  });
  await call('devnet_simulateTransactions', {
    block_id,
    transactions: [transaction],
    simulation_flags: skipped,
    overrides: { storage, balances: [{ address: alice, amount: '0' }] },
  });
  await call('starknet_getClassHashAt', { block_id, contract_address: address });
  await call('starknet_getClassAt', { block_id, contract_address: address });
  await call('starknet_getClass', { block_id, class_hash });
  await call('starknet_getCompiledCasm', { class_hash });
  await call('devnet_getStorage', { contract_address: address });
  await call('starknet_getStorageProof', { block_id, contract_addresses: [address] });
  const key = hash.getSelectorFromName('count');
  await call('starknet_getStorageAt', { contract_address: address, key, block_id });
  await call('devnet_nameStorage', { contracts: [{ contract_address: address, keys: [key] }] });
  await call('devnet_nameContracts', { contract_addresses: [address] });
  await call('devnet_getAbis', { contract_addresses: [address] });
  await call('devnet_replaceClass', { contract_address: address, class_hash });
  const storage_diffs = [{ address, storage_entries: [{ key, value: '0x7' }] }];
  await call('devnet_applyStateDiff', { state_diff: { storage_diffs } });
  await call('devnet_createBlock');
  await call('devnet_addArtifact', {
    artifact: JSON.parse(String(gunzipSync(readFileSync(PLACES)))),
  });
  await call('devnet_setLabel', { value: address, label: 'counter' });
  await call('devnet_getLabels');
}

/** @param {Call} call */
async function reading(call) {
  const { transactions: rows } = await call('devnet_listTransactions', { limit: 20 });
  await call('devnet_listRuleFindings', { limit: 2 });
  const invoke = rows.find((/** @type {Json} */ row) => row.type === 'INVOKE');
  const reverted = rows.find((/** @type {Json} */ row) => row.execution_status === 'REVERTED');
  const transaction_hash = invoke.transaction_hash;
  const block_id = { block_number: invoke.block_number };
  await call('devnet_explainTransaction', {
    transaction_hash: (reverted ?? invoke).transaction_hash,
  });
  await call('starknet_getTransactionByHash', { transaction_hash });
  await call('starknet_getTransactionReceipt', { transaction_hash });
  await call('starknet_getTransactionStatus', { transaction_hash });
  await call('starknet_traceTransaction', { transaction_hash });
  await call('starknet_traceBlockTransactions', { block_id });
  await call('starknet_getTransactionByBlockIdAndIndex', { block_id, index: 0 });
  await call('starknet_getBlockWithTxHashes', { block_id });
  await call('starknet_getBlockWithTxs', { block_id });
  await call('starknet_getBlockWithReceipts', { block_id });
  await call('starknet_getStateUpdate', { block_id });
  await call('starknet_getBlockTransactionCount', { block_id });
  await call('starknet_getEvents', { filter: { from_block: block_id, chunk_size: 2 } });
  await call('devnet_executedLines', { transaction_hash });
  const { trace_id, runs } = await call('devnet_openDebugTrace', { transaction_hash });
  const run = runs.length - 1;
  await call('devnet_readDebugSteps', { trace_id, run, first: 0, count: 2 });
  await call('devnet_readDebugMemory', { trace_id, run, segment: 1, first: 0, count: 4 });
  const { class_hash } = runs[run];
  await call('devnet_getDebugClass', { class_hash });
  await call('devnet_getDebugSource', { class_hash, file: 'src/counter.cairo' });
  await call('devnet_closeDebugTrace', { trace_id });
  await call('devnet_getBundle', { transaction_hash });
  for (const name of ['specVersion', 'blockNumber', 'blockHashAndNumber', 'chainId', 'syncing']) {
    await call(`starknet_${name}`);
  }
}

/** @param {Call} call */
async function tools(call) {
  await call('devnet_getStatus');
  await call('devnet_listBlocks', { limit: 2 });
  await call('devnet_listContracts', { limit: 2 });
  await call('devnet_listClasses', { limit: 2 });
  await call('devnet_search', { query: 'counter' });
  await call('devnet_gasReport', { limit: 5 });
  await call('devnet_coverage', { limit: 5 });
  await call('devnet_recordRequests', { enabled: true });
  await call('starknet_chainId');
  const { requests } = await call('devnet_getRequests', { limit: 1 });
  await call('devnet_getRequest', { id: requests?.[0]?.id ?? 1 });
  await call('devnet_recordRequests', { enabled: false });
  await call('rpc.discover');
}

/**
 * An invocation for an account that is impersonated, or whose validation is skipped.
 *
 * @param {string} sender_address
 * @param {readonly string[]} calldata
 * @param {string} nonce
 */
function unsigned(sender_address, calldata, nonce) {
  return {
    type: 'INVOKE',
    version: '0x3',
    sender_address,
    calldata,
    signature: [],
    nonce,
    resource_bounds: BOUNDS,
    tip: '0x0',
    paymaster_data: [],
    account_deployment_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
  };
}

/** @param {Call} call */
async function mempool(call) {
  const [, , carol] = await call('devnet_getPredeployedAccounts');
  const transfer = [
    '0x1',
    STRK,
    hash.getSelectorFromName('transfer'),
    '0x3',
    '0xa11ce',
    '0x5',
    '0x0',
  ];
  /** @param {string} nonce */
  const send = async (nonce) => {
    const invoke_transaction = unsigned(carol.address, transfer, nonce);
    return (await call('starknet_addInvokeTransaction', { invoke_transaction })).transaction_hash;
  };
  await call('devnet_autoImpersonate');
  await call('devnet_setBlockSettings', { block_generation_on: 'mempool' });
  await send('0x0');
  await send('0x1');
  const last = await send('0x2');
  await call('devnet_mempoolList');
  await call('devnet_mempoolSelect', { count: 1 });
  await call('devnet_mempoolPreConfirm', { count: 1 });
  await call('devnet_mempoolRemove', { transaction_hash: last });
  await call('devnet_mempoolSeal');
  await send('0x2');
  await call('devnet_mempoolClear');
  await call('devnet_setBlockSettings', { block_generation_on: 'transaction' });
  await call('devnet_stopAutoImpersonate');
}

/** @param {Call} call */
async function instancesAndFiles(call) {
  const { instance_id } = await call('devnet_createInstance', { name: 'worker 1' });
  await call('devnet_listInstances');
  await call('devnet_deleteInstance', { instance_id });
  const { image } = await call('devnet_dump', { format: 'image', inline: true });
  await call('devnet_load', { image });
  await call('devnet_restart');
}

/**
 * Builds, signs and sends a transfer that the paymaster pays, on a node of its own.
 *
 * @param {Map<string, Example>} examples
 */
async function paymaster(examples) {
  const node = await createChain({ seed: 0, startTime: 1700000000, paymaster: true });
  try {
    const [alice, bob] = node.accounts;
    if (!alice || !bob) throw new Error('the node has no accounts');
    /** @type {Call} */
    const call = async (method, params) => {
      const request = { jsonrpc: '2.0', id: 1, method, ...(params ? { params } : {}) };
      const { result, error } = JSON.parse((await node.handle(JSON.stringify(request))) ?? '{}');
      if (!examples.has(method))
        examples.set(method, { params, answer: error ? { error } : result });
      return result;
    };
    await call('devnet_setBlockSettings', { time_step: 10 });
    await call('devnet_setPaymaster', { budget: '1000000000000000000' });
    await call('paymaster_isAvailable');
    await call('paymaster_getSupportedTokens');
    const parameters = { version: '0x1', fee_mode: { mode: 'sponsored' } };
    const transfer = {
      to: STRK,
      selector: hash.getSelectorFromName('transfer'),
      calldata: [bob.address, '0x5', '0x0'],
    };
    const user_address = alice.address;
    const { typed_data } = await call('paymaster_buildTransaction', {
      transaction: { type: 'invoke', invoke: { user_address, calls: [transfer] } },
      parameters,
    });
    const signed = await new Signer(alice.privateKey).signMessage(typed_data, user_address);
    const signature = stark.signatureToHexArray(signed);
    const { tracking_id } = await call('paymaster_executeTransaction', {
      transaction: { type: 'invoke', invoke: { user_address, typed_data, signature } },
      parameters,
    });
    await call('paymaster_trackingIdToLatestHash', { tracking_id });
    await call('devnet_getPaymaster');
  } finally {
    await node.close();
  }
}

/**
 * @param {Map<string, Example>} examples
 * @param {string} url
 */
async function subscriptions(examples, url) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  /** @type {Call} */
  const call = (method, params) =>
    new Promise((resolve) => {
      /** @param {Buffer} data */
      const read = (data) => {
        const { id, result, error } = JSON.parse(String(data));
        if (id !== method) return;
        socket.off('message', read);
        const isId = method !== 'starknet_unsubscribe';
        const settledResult = isId ? { subscription_id: '0x1' }.subscription_id : result;
        examples.set(method, {
          params: isId ? params : { subscription_id: '0x1' },
          answer: error ? { error } : settledResult,
        });
        resolve(result);
      };
      socket.on('message', read);
      socket.send(
        JSON.stringify({ jsonrpc: '2.0', id: method, method, ...(params ? { params } : {}) }),
      );
    });
  await call('starknet_subscribeEvents', { finality_status: 'ACCEPTED_ON_L2' });
  await call('starknet_subscribeTransactionStatus', { transaction_hash: '0x1234' });
  await call('starknet_subscribeNewTransactions');
  await call('starknet_subscribeNewTransactionReceipts');
  await call('devnet_subscribeSandbox');
  await call('devnet_subscribeRequests');
  const subscription_id = await call('starknet_subscribeNewHeads');
  await call('starknet_unsubscribe', { subscription_id });
  socket.close();
}
