// Trace data of a transaction for cairo-profiler: what the machine did in each call, and the classes that ran.
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ListeningNode, startNode } from '@starkbox/test-support';
import { closeAfterFile } from '@starkbox/test-support/closing';
import { commandOutput } from '@starkbox/test-support/command-line';
import { deployed, hashed } from '@starkbox/test-support/contracts';
import { UNESTIMATED } from '@starkbox/test-support/mixed-run';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { type Call, hash } from 'starknet';
import { beforeAll, expect, test } from 'vitest';
import { ACCOUNTS, classTextWithPlaces } from '../../../../contracts/classes.js';

const LEGACY_UDC = '0x41a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf';
const folder = temporaryFolderOfFile();
const selector = (name: string): string => hash.getSelectorFromName(name);

interface TraceNode {
  readonly entry_point: {
    readonly class_hash: string;
    readonly entry_point_selector: string;
    readonly contract_name: string;
    readonly function_name: string;
    readonly events_summary: readonly object[];
  };
  readonly used_execution_resources: {
    readonly vm_resources: { readonly n_steps: number };
    readonly gas_consumed: number;
    readonly syscall_counter: Readonly<Record<string, object>>;
  };
  readonly nested_calls: readonly ('DeployWithoutConstructor' | { EntryPointCall: TraceNode })[];
  readonly cairo_execution_info: {
    readonly source_sierra_path: string;
    readonly casm_level_info: { readonly vm_trace: readonly { readonly pc: number }[] };
  } | null;
}

const innerOf = ({ nested_calls }: TraceNode): readonly TraceNode[] =>
  nested_calls.flatMap((nestedCall) =>
    typeof nestedCall === 'string' ? [] : nestedCall.EntryPointCall,
  );
const flat = (node: TraceNode): readonly TraceNode[] => [node, ...innerOf(node).flatMap(flat)];
/** Names of the calls as a tree. */
const tree = (node: TraceNode): readonly unknown[] => [
  node.entry_point.function_name,
  ...innerOf(node).map(tree),
];
const stepsOf = ({ cairo_execution_info: info }: TraceNode): number | undefined =>
  info?.casm_level_info.vm_trace.length;

let node: ListeningNode;
let counter: string;
let reverter: string;
/** Calls of every kind, in one transaction. */
let mixed: string;
let nested: string;

async function send(calls: readonly Call[], of: ListeningNode = node): Promise<string> {
  return (await of.account(0).execute([...calls], UNESTIMATED)).transaction_hash;
}

async function profile(transaction: string, ...words: readonly string[]) {
  const file = join(folder, `${transaction}.json`);
  const said = await commandOutput(
    'profile',
    transaction,
    '--url',
    node.url,
    '--out',
    file,
    ...words,
  );
  const trace: TraceNode = JSON.parse(readFileSync(file, 'utf8'));
  return { said, trace };
}

beforeAll(async () => {
  node = await startNode({
    listen: true,
    seed: 42,
    accounts: 1,
    blockGenerationOn: 'transaction',
    ...ACCOUNTS,
  });
  closeAfterFile(() => node.close());
  ({ address: reverter } = await deployed(node.account(0), 'reverter'));
  ({ address: counter } = await deployed(node.account(0), 'counter', [5]));
  const { classHash } = await hashed('counter');
  const { classHash: plain } = await hashed('reverter');
  const calldata = [counter, selector('increase'), '0x1', '0x3'];
  mixed = await send([
    { contractAddress: reverter, entrypoint: 'forward', calldata },
    {
      contractAddress: reverter,
      entrypoint: 'library',
      calldata: [plain, selector('write'), '0x1', '0x7'],
    },
    {
      contractAddress: LEGACY_UDC,
      entrypoint: 'deployContract',
      calldata: [classHash, '0x7', '0x0', '0x1', '0x2'],
    },
    {
      contractAddress: LEGACY_UDC,
      entrypoint: 'deployContract',
      calldata: [plain, '0x7', '0x0', '0x0'],
    },
  ]);
  nested = await send([{ contractAddress: reverter, entrypoint: 'recurse', calldata: ['0x3'] }]);
});

test('the calls of a transaction are a tree below one for the transaction', async () => {
  const { said, trace } = await profile(mixed);
  expect(tree(trace)).toEqual([
    mixed,
    ['__validate__'],
    [
      '__execute__',
      ['forward', ['increase']],
      ['library', ['write']],
      ['deployContract', ['constructor']],
      ['deployContract'],
    ],
  ]);
  expect(trace.entry_point.contract_name).toMatch(/^SNFORGE/);
  const increase = flat(trace).find(({ entry_point }) => entry_point.function_name === 'increase');
  expect(increase).toMatchObject({
    entry_point: {
      entry_point_type: 'EXTERNAL',
      entry_point_selector: selector('increase'),
      contract_address: counter,
      call_type: 'Call',
      contract_name: 'counter',
      calldata_len: 1,
      events_summary: [{ keys_len: 2, data_len: 2 }],
      signature_len: 2,
    },
    used_l1_resources: { l2_l1_message_sizes: [] },
    cairo_execution_info: { casm_level_info: { run_with_call_header: false } },
  });
  const write = flat(trace).find(({ entry_point }) => entry_point.function_name === 'write');
  expect(write?.entry_point).toMatchObject({ call_type: 'Delegate', contract_address: reverter });
  expect(JSON.stringify(trace)).toContain('"DeployWithoutConstructor"');
  expect(said).toMatch(/^10 calls with [\d,]+ steps, in /);
  expect(said).toContain('2 calls of UDC (legacy).deployContract as a whole');
  expect(said).toContain('cairo-profiler build-profile');
});

test('steps are those of the report, and what is above a call is the sum', async () => {
  const { trace } = await profile(mixed);
  const { block_number } = await node.client.call('starknet_getTransactionReceipt', {
    transaction_hash: mixed,
  });
  const { receipts } = await node.client.call('devnet_gasReport', {
    from_block: block_number,
    to_block: block_number,
    include: ['resources'],
  });
  const traced = flat(trace).map((call) => stepsOf(call) ?? 0);
  expect(traced.reduce((sum, steps) => sum + steps)).toBe(receipts['steps']);
  for (const call of flat(trace)) {
    const { n_steps } = call.used_execution_resources.vm_resources;
    const inner = innerOf(call).map(
      ({ used_execution_resources: { vm_resources } }) => vm_resources.n_steps,
    );
    const rest = inner.reduce((remaining, steps) => remaining - steps, n_steps);
    // Those of the transaction itself and of Cairo 0 code are not told one by one.
    if (call.cairo_execution_info) expect(rest).toBe(stepsOf(call));
    else expect(rest > 0).toBe(call.entry_point.function_name === 'deployContract');
  }
});

test('gas is that of the trace', async () => {
  const { trace } = await profile(nested);
  const answer = await node.client.call('starknet_traceTransaction', { transaction_hash: nested });
  const { validate_invocation, execute_invocation } = JSON.parse(JSON.stringify(answer));
  const [validate, execute] = innerOf(trace);
  expect(validate?.used_execution_resources.gas_consumed).toBe(
    validate_invocation.execution_resources.l2_gas,
  );
  expect(execute?.used_execution_resources.gas_consumed).toBe(
    execute_invocation.execution_resources.l2_gas,
  );
});

test('every address is in the program of its class, whose file is beside the trace', async () => {
  const { trace } = await profile(mixed);
  const paths = new Set<string>();
  for (const { entry_point, cairo_execution_info: info } of flat(trace)) {
    if (!info) continue;
    const { class_hash } = entry_point;
    const { bytecode } = await node.client.call('starknet_getCompiledCasm', { class_hash });
    const addresses = info.casm_level_info.vm_trace.map(({ pc }) => pc);
    expect(Math.min(...addresses)).toBeGreaterThan(0);
    // A return instruction follows the bytecode.
    expect(Math.max(...addresses)).toBeLessThanOrEqual(bytecode.length + 1);
    expect(info.source_sierra_path.startsWith(join(folder, `${mixed}_classes`))).toBe(true);
    const written = JSON.parse(readFileSync(info.source_sierra_path, 'utf8'));
    const answer = await node.client.call('starknet_getClass', { block_id: 'latest', class_hash });
    const { sierra_program } = JSON.parse(JSON.stringify(answer));
    expect(written.sierra_program).toEqual(sierra_program);
    paths.add(info.source_sierra_path);
  }
  expect(paths.size).toBe(3);
});

test('names of functions are those of the ABI, of an artifact that the node has, or of the folder', async () => {
  const { classHash } = await hashed('counter');
  const file = join(folder, `${mixed}_classes`, `${classHash}.contract_class.json`);
  const wrapper = 'starkbox_contracts::counter::counter::__wrapper__CounterImpl__increase';
  const namesIn = (): unknown => {
    const { sierra_program_debug_info: info } = JSON.parse(readFileSync(file, 'utf8'));
    return info.user_func_names.map(([, name]: [unknown, string]) => name);
  };
  await profile(mixed);
  expect(namesIn()).toContain('increase');
  const artifact = await classTextWithPlaces('counter');
  await node.client.call('devnet_addArtifact', { artifact: JSON.parse(artifact) });
  await profile(mixed);
  expect(namesIn()).toContain(wrapper);
  const { annotations } = JSON.parse(readFileSync(file, 'utf8')).sierra_program_debug_info;
  const expected = JSON.parse(artifact).sierra_program_debug_info.annotations;
  const tool = 'github.com/software-mansion/cairo-profiler';
  expect(annotations[tool]).toEqual(expected[tool]);
  const artifacts = mkdtempSync(join(folder, 'artifacts-'));
  writeFileSync(join(artifacts, 'counter.sierra.json'), artifact);
  await profile(mixed, '--artifacts', artifacts);
  expect(readFileSync(file, 'utf8')).toBe(artifact);
});

test('a call that could not begin leaves its caller without functions', async () => {
  const failed = await send([
    {
      contractAddress: reverter,
      entrypoint: 'forward',
      calldata: ['0x1234', selector('increase'), '0x0'],
    },
  ]);
  const { said, trace } = await profile(failed, '--json');
  expect(JSON.parse(said)).toMatchObject({
    calls: 3,
    whole: [{ function: 'forward', reason: 'calls that did not begin', calls: 1 }],
  });
  const [forward] = flat(trace).filter(
    ({ entry_point }) => entry_point.function_name === 'forward',
  );
  expect(forward?.cairo_execution_info).toBeNull();
});

test('a declaration has its validation alone, and one without is refused with what to do', async () => {
  const account = node.account(0);
  const declare = async (name: string): Promise<string> =>
    (await account.declare(await hashed(name), UNESTIMATED)).transaction_hash;
  const { trace } = await profile(await declare('emitter'));
  expect(flat(trace).map(({ entry_point }) => entry_point.function_name)[1]).toBe(
    '__validate_declare__',
  );
  await node.client.call('devnet_autoImpersonate');
  const unvalidated = await declare('slots');
  await node.client.call('devnet_stopAutoImpersonate');
  await expect(profile(unvalidated)).rejects.toThrow('Profile a transaction that calls a contract');
});

test('what cannot be run again is refused with what to do', async () => {
  await expect(profile('0x1')).rejects.toThrow('has no transaction 0x1');
  await expect(profile('1234')).rejects.toThrow("invalid transaction hash '1234'");
  expect(existsSync(join(folder, '0x1.json'))).toBe(false);
  const withoutArchive = await startNode({
    listen: true,
    seed: 42,
    accounts: 1,
    blockGenerationOn: 'transaction',
    stateArchive: 'none',
  });
  closeAfterFile(() => withoutArchive.close());
  const mint = { address: '0x1', amount: 1 };
  const { tx_hash } = await withoutArchive.client.call('devnet_mint', mint);
  await withoutArchive.client.call('devnet_mint', mint);
  const refused = commandOutput('profile', tx_hash, '--url', withoutArchive.url);
  await expect(refused).rejects.toThrow('--state-archive-capacity none');
});
