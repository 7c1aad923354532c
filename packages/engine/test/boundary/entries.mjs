// Every export of the addon: an instance of each class, and arguments that each function accepts.
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const ACCOUNT = '0xacc';
const TOKEN = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';
const CHAIN_ID = 'SN_SEPOLIA';
const GWEI = { wei: '1000000000', fri: '1000000000' };
const BOUND = { max_amount: '0x1000000', max_price_per_unit: '0x1000000000' };
const BLOCK = JSON.stringify({
  number: 1,
  timestamp: 1_700_000_000,
  sequencer_address: '0x1000',
  chain_id: CHAIN_ID,
  fee_tokens: { strk: TOKEN, eth: TOKEN },
  gas_prices: { l1_gas: GWEI, l1_data_gas: GWEI, l2_gas: GWEI },
});
const TRANSACTION = JSON.stringify({
  type: 'INVOKE',
  version: '0x3',
  sender_address: ACCOUNT,
  calldata: ['0x0'],
  signature: ['0x1', '0x2'],
  nonce: '0x0',
  resource_bounds: { l1_gas: BOUND, l1_data_gas: BOUND, l2_gas: BOUND },
  tip: '0x0',
  paymaster_data: [],
  account_deployment_data: [],
  nonce_data_availability_mode: 'L1',
  fee_data_availability_mode: 'L1',
});
const CALL = {
  contract_address: ACCOUNT,
  entry_point_selector: '0x1',
  calldata: [],
  caller: '0x2',
};
const WRITE = { address: '0x1', key: '0x2', value: '0x3' };
const STORAGE = JSON.stringify([
  { address: ACCOUNT, storage_entries: [{ key: '0x2', value: '0x3' }] },
]);
const LIMITS = { sierraFelts: 1 };
const CAPACITY = {
  l1_gas: 1e6,
  message_segment_length: 1e3,
  n_events: 1e3,
  n_txs: 100,
  state_diff_size: 1e3,
  sierra_gas: 1e9,
  proving_gas: 1e9,
  receipt_l2_gas: 1e9,
};

let locks = 0;
const classFile = (name) => new URL(`../../classes/${name}.class`, import.meta.url);

/**
 * What calls need: an instance of each class by its name, and other values. The state has one closed version, and
 * an account whose class is of Cairo 0, so that executions run code.
 *
 * @param compiler path of the compiler
 */
export async function subjects(addon, compiler) {
  const packed = readFileSync(classFile('account-cairo0'));
  const sierra = addon.Class.unpack(readFileSync(classFile('udc')));
  const cairo0 = addon.Class.unpack(packed);
  const empty = new addon.State(0, true);
  const diff = { deployed_contracts: [{ address: ACCOUNT, class_hash: cairo0.hash }] };
  const state = (await empty.apply(JSON.stringify(diff), [cairo0])).advance();
  const storageList = await addon.StorageList.read(STORAGE);
  const block = new addon.Block(BLOCK);
  const transaction = new addon.Transaction(TRANSACTION, CHAIN_ID);
  const image = [];
  const stream = new addon.StateExport(state);
  for (let piece = await stream.next(); piece; piece = await stream.next()) image.push(piece);
  locks += 1;
  const lockFile = join(tmpdir(), `lock-${process.pid}-${threadId}-${locks}`);
  return {
    instances: {
      // Another one for each call, because a run ends it.
      get Batch() {
        return new addon.Batch(state, block, [transaction], [{}]);
      },
      Block: block,
      BlockWeights: new addon.BlockWeights(),
      Class: sierra,
      Closed: empty.closeEmpty(block, '0x0'),
      Execution: await state.execute(block, transaction),
      FileLock: addon.FileLock.take(lockFile),
      StateSource: new addon.StateSource(async () => null),
      Coverage: new addon.Coverage(),
      Invocation: state.invokeSync(block, CALL),
      DebugTrace: await state.recordCall(block, CALL, { steps: 10, bytes: 1_000 }),
      State: state,
      StateExport: new addon.StateExport(state),
      StateImport: new addon.StateImport(),
      StorageList: storageList,
      Transaction: transaction,
    },
    values: {
      packed,
      cairo0,
      lockFile,
      compiler,
      cache: join(tmpdir(), 'cache'),
      image: Buffer.concat(image),
      wire: await cairo0.wire(),
    },
  };
}

/**
 * For each entry its arguments, of which the first `required` must be there and of the right type. An argument
 * that is a function takes the subjects, so that a call gets fresh objects.
 */
export const ENTRIES = {
  benchFreed: { args: [] },
  blake: { args: [['0x1']], required: 1 },
  // Of the whole process: what a wrong call sets is set right before the last calls.
  configure: {
    args: [({ values }) => values.compiler, ({ values }) => values.cache, 1e9],
    required: 1,
  },
  contractAddress: { args: ['0x1', '0x2', ['0x3'], '0x0'], required: 4 },
  hades: { args: [['0x1', '0x2', '0x3']], required: 1 },
  keccak: { args: ['text'], required: 1 },
  messageToL1Hash: { args: ['0x1', '0x2', ['0x3']], required: 3 },
  pedersen: { args: [['0x1']], required: 1 },
  pedersenPair: { args: ['0x1', '0x2'], required: 2 },
  poseidon: { args: [['0x1']], required: 1 },
  privateKeys: { args: [0, 2], required: 2 },
  publicKey: { args: ['0x1'], required: 1 },
  sign: { args: ['0x1', '0x2'], required: 2 },
  storageAddress: { args: ['name', ['0x1']], required: 2 },
  allocatorFigures: { args: [] },
  trimMemory: { args: [] },
  versions: { args: [] },

  'new Batch': {
    args: [
      ({ instances }) => instances.State,
      ({ instances }) => instances.Block,
      ({ instances }) => [instances.Transaction],
      [{}],
      WRITE,
    ],
    required: 4,
  },
  'Batch#next': { args: [] },
  'Batch#simulate': { args: [10, { receipt: true, trace: true }, true], required: 3 },
  'Batch#retrace': { args: [10, 0, true], required: 3 },
  'Batch#record': { args: [10, 0, { steps: 10, bytes: 1_000 }], required: 3 },
  'Batch#end': { args: [] },

  'new Block': { args: [BLOCK], required: 1 },

  'new BlockWeights': { args: [] },
  'BlockWeights.parse': { args: [({ instances }) => instances.BlockWeights.toText()], required: 1 },
  'BlockWeights#figures': { args: [] },
  'BlockWeights#toText': { args: [] },

  'Class.compile': { args: [({ values }) => values.wire, LIMITS], required: 1 },
  'Class.withCasm': { args: [({ values }) => values.wire, '{}'], required: 2 },
  'Class.unpack': { args: [({ values }) => values.packed], required: 1 },
  'Class.hashOf': { args: [({ values }) => values.wire], required: 1 },
  'Class#pack': { args: [] },
  'Class#warm': { args: [] },
  'Class#hash': { args: [] },
  'Class#isSierra': { args: [] },
  'Class#isCompiledHere': { args: [] },
  'Class#compiledClassHash': { args: [] },
  'Class#figures': { args: [] },
  'Class#compiledClassHashPoseidon': { args: [] },
  'Class#unauditedLibfunc': { args: [] },
  'Class#functions': { args: [] },
  'Class#codedStatements': { args: [] },
  'Class#variables': { args: [] },
  'Class#wire': { args: [] },
  'Class#casm': { args: [] },

  'new Closed': { args: [], refused: true },
  'Closed#seal': { args: [] },
  'Closed#diff': { args: [] },
  'Closed#latest': { args: [] },
  'Closed#next': { args: [] },

  'new Class': { args: [], refused: true },
  'new Execution': { args: [], refused: true },
  'Execution#outcome': { args: [] },
  'Execution#receipt': { args: [] },
  'Execution#takeTrace': { args: [] },
  'Execution#failure': { args: [] },
  'Execution#printed': { args: [] },
  'Execution#initialReads': { args: [] },
  'Execution#bytes': { args: [] },
  'Execution#next': { args: [] },
  'Execution#weights': { args: [] },
  'Execution#exceeded': { args: [] },
  'Execution#isTooLarge': { args: [] },
  'Execution#takeClosed': { args: [] },

  'new Coverage': { args: [] },
  'Coverage#size': { args: [] },
  'Coverage#start': { args: [] },
  'Coverage#take': { args: [] },
  'Coverage#add': { args: ['{"0x1":[1]}'], required: 1 },

  'new Invocation': { args: [], refused: true },
  'Invocation#result': { args: [] },
  'Invocation#failure': { args: [] },
  'Invocation#hasFailed': { args: [] },
  'Invocation#gas': { args: [] },
  'Invocation#events': { args: [] },
  'Invocation#writes': { args: [] },
  'Invocation#trace': { args: [] },
  'Invocation#next': { args: [] },

  'new FileLock': { args: [], refused: true },
  'FileLock.take': { args: [({ values }) => values.lockFile], required: 1 },
  'FileLock#release': { args: [] },

  'new StateSource': { args: [() => async () => null, 1000], required: 1 },
  'StateSource#answers': { args: [] },
  'StateSource#id': { args: [] },

  'new DebugTrace': { args: [], refused: true },
  'DebugTrace#report': { args: [] },
  'DebugTrace#steps': { args: [0, 0, 0], required: 3 },
  'DebugTrace#memory': { args: [0, 1, 0, 1], required: 4 },
  'new State': { args: [0, true, ({ instances }) => instances.StateSource], required: 2 },
  'State#benchBare': { args: [({ instances }) => instances.Block, []], required: 2 },
  'State#benchFill': { args: ['0x1', 2, 2, 2], required: 4 },
  'State#version': { args: [] },
  'State#firstVersion': { args: [] },
  'State#storageKnown': { args: ['0x1', '0x2'], required: 2 },
  'State#nonceKnown': { args: ['0x1'], required: 1 },
  'State#classHashKnown': { args: ['0x1'], required: 1 },
  'State#storageSince': { args: ['0x1', '0x2'], required: 2 },
  'State#slots': { args: ['0x1', undefined, 2], required: [0, 2] },
  'State#storage': { args: ['0x1', '0x2'], required: 2 },
  'State#nonce': { args: ['0x1'], required: 1 },
  'State#classHash': { args: ['0x1'], required: 1 },
  'State#class': { args: ['0x1'], required: 1 },
  'State#classSince': { args: ['0x1'], required: 1 },
  'State#apply': {
    args: ['{}', ({ values }) => [values.cairo0], ({ instances }) => instances.StorageList],
    required: 2,
  },
  'State#copy': { args: [] },
  'State#at': { args: [0], required: 1 },
  'State#rewind': { args: [0], required: 1 },
  'State#settle': { args: [0, ({ instances }) => instances.StateSource], required: 2 },
  'State#diffOf': { args: [0], required: 1 },
  'State#diffTo': { args: [({ instances }) => instances.State], required: 1 },
  'State#figures': { args: [] },
  'State#execute': {
    args: [({ instances }) => instances.Block, ({ instances }) => instances.Transaction, {}],
    required: 2,
  },
  'State#executeWithin': {
    args: [
      ({ instances }) => instances.Block,
      ({ instances }) => instances.Transaction,
      {},
      ({ instances }) => instances.BlockWeights,
      CAPACITY,
    ],
    required: [0, 1, 3, 4],
  },
  'State#call': { args: [({ instances }) => instances.Block, CALL], required: 2 },
  'State#invoke': {
    args: [({ instances }) => instances.Block, CALL, ({ instances }) => instances.Coverage],
    required: 2,
  },
  'State#invokeSync': {
    args: [({ instances }) => instances.Block, CALL, ({ instances }) => instances.Coverage],
    required: 2,
  },
  'State#retraceCall': { args: [({ instances }) => instances.Block, CALL, true], required: 3 },
  'State#recordCall': {
    args: [({ instances }) => instances.Block, CALL, { steps: 10, bytes: 1_000 }],
    required: 3,
  },
  'State#advance': { args: [WRITE] },
  'State#closeEmpty': { args: [({ instances }) => instances.Block, '0x0', WRITE], required: 2 },
  'State#close': { args: [({ instances }) => instances.Block, '[]', '0x0', WRITE], required: 3 },
  'State#executeAndClose': {
    args: [
      ({ instances }) => instances.Block,
      ({ instances }) => instances.Transaction,
      {},
      '0x0',
      WRITE,
    ],
    required: [0, 1, 3],
  },

  'new StateExport': { args: [({ instances }) => instances.State], required: 1 },
  'StateExport#next': { args: [] },
  'new StateImport': { args: [] },
  'StateImport#push': { args: [({ values }) => values.image], required: 1 },
  'StateImport#finish': { args: [] },

  'new StorageList': { args: [], refused: true },
  'StorageList.read': { args: [STORAGE], required: 1 },
  'StorageList#length': { args: [] },
  'StorageList#slotCount': { args: [] },
  'StorageList#addresses': { args: [] },

  'new Transaction': { args: [TRANSACTION, CHAIN_ID], required: 2 },
  'Transaction#type': { args: [] },
  'Transaction#hash': { args: [] },
  'Transaction#isQuery': { args: [] },
  'Transaction#address': { args: [] },
  'Transaction#nonce': { args: [] },
  'Transaction#messageHash': { args: [] },
};

/** The names of everything that the addon exports, in the form of `ENTRIES`. */
export function exportedNames(addon) {
  const names = [];
  for (const [name, value] of Object.entries(addon)) {
    if (!isClass(value)) {
      names.push(name);
      continue;
    }
    names.push(`new ${name}`);
    const builtins = ['length', 'name', 'prototype', 'arguments', 'caller'];
    const statics = Reflect.ownKeys(value).filter((key) => !builtins.includes(key));
    const methods = Reflect.ownKeys(value.prototype).filter((key) => key !== 'constructor');
    names.push(...statics.map((key) => `${name}.${String(key)}`));
    names.push(...methods.map((key) => `${name}#${String(key)}`));
  }
  return names.sort();
}

const isClass = (value) =>
  typeof value === 'function' && /^[A-Z]/.test(value.name) && typeof value.prototype === 'object';

/** A call of an entry: `call(receiver, args)`; getters take no arguments. */
export function callerOf(addon, name) {
  const [, constructed] = /^new (\w+)$/.exec(name) ?? [];
  if (constructed !== undefined) return (_, args) => Reflect.construct(addon[constructed], args);
  const [, owner, method] = /^(\w+)#(.+)$/.exec(name) ?? [];
  if (owner !== undefined) {
    const { get, value } = Object.getOwnPropertyDescriptor(addon[owner].prototype, method);
    return (receiver, args) => Reflect.apply(get ?? value, receiver, args);
  }
  const [, type, fixed] = /^(\w+)\.(\w+)$/.exec(name) ?? [];
  if (type !== undefined) return (_, args) => Reflect.apply(addon[type][fixed], addon[type], args);
  return (_, args) => Reflect.apply(addon[name], undefined, args);
}
