// The adapter in the hands of Microsoft's client: opening, breakpoints, moves in both directions, variables, sources.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { optionsOf } from '@starkbox/test-support/command-line';
import { startFixture } from '@starkbox/test-support/fixture';
import { contract, selector } from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { expect, test } from 'vitest';
import { classTextWithPlaces, marks } from '../../../contracts/classes.js';
import { AdapterProcess, COMMAND, Editor, StreamClient } from './support/editor.js';
import { createProject, lineWith } from './support/project.js';
import { revertedForItsFee } from './support/unpaid.js';

const fixture = await startFixture();
const { client, node, sender } = fixture;
const { url } = await node.listen();
const project = await createProject(['token', 'failing_calls', 'failing_callee', 'prints']);
const owner = sender.account.address;
const token = await sender.deploy(await contract('token'), ['0x1', '0x2', '0x64', '0x0', owner]);
const calls = await sender.deploy(await contract('failing_calls'));
const callee = await sender.deploy(await contract('failing_callee'), ['0x0']);
const transfer = (amount: string) => ({
  to: token,
  name: 'transfer',
  calldata: ['0x1234', amount, '0x0'],
});
/** The second transfer fails. */
const reverted = await sender.invoke([transfer('0x5'), transfer('0x3e8')]);
const succeeded = await sender.invoke([transfer('0x7')]);
const caught = await sender.invoke([{ to: calls, name: 'call_caught', calldata: [callee, '0x1'] }]);

const unpaid = await revertedForItsFee(fixture);

const tokenPath = join(project, 'contracts', 'src', 'token.cairo');
const tokenText = await readFile(tokenPath, 'utf8');
const line = (part: string): number => lineWith(tokenText, part);
const FAILING = line("'token: balance too low'");
const adapter = await AdapterProcess.start();

const open = (transaction: string, more: object = {}) => ({
  transaction,
  url,
  cwd: project,
  ...more,
});

async function connected(): Promise<Editor> {
  return Editor.connect(adapter.port);
}

test('a failed transaction opens at its failing line', async () => {
  const editor = await connected();
  const stop = await editor.launch(open(reverted));
  expect(stop).toMatchObject({ reason: 'exception', path: tokenPath, line: FAILING });
  expect(stop.text).toContain('token: balance too low');
  const { body } = await editor.client.exceptionInfoRequest({ threadId: 1 });
  expect(body.breakMode).toBe('unhandled');
  expect(body.details?.stackTrace).toContain('token.cairo');
  expect(editor.progress).toEqual(expect.arrayContaining(['progressStart', 'progressEnd']));
  const { body: threads } = await editor.client.threadsRequest();
  expect(threads.threads).toEqual([{ id: 1, name: `transaction ${reverted}` }]);
});

test('it says what it can do', async () => {
  const editor = await connected();
  expect(await editor.initialize()).toMatchObject({
    supportsStepBack: true,
    supportsConditionalBreakpoints: true,
    supportsFunctionBreakpoints: true,
    supportsEvaluateForHovers: true,
    supportsDisassembleRequest: true,
    exceptionBreakpointFilters: [
      { filter: 'uncaught', default: true },
      { filter: 'any' },
      { filter: 'call' },
      { filter: 'event' },
      { filter: 'write' },
    ],
  });
});

test('lines step over, in and out, in both directions', async () => {
  const editor = await connected();
  const { client } = editor;
  const thread = { threadId: 1 };
  const failure = await editor.launch(open(reverted));
  const earlier = await editor.stopAfter(() => client.stepBackRequest(thread));
  expect(earlier).toMatchObject({
    reason: 'step',
    path: tokenPath,
    line: line('if held < amount'),
  });
  const before = await editor.stopAfter(() => client.stepBackRequest(thread));
  expect(before).toMatchObject({ line: line('let held =') });
  expect(before.position).toBeLessThan(earlier.position);
  const again = await editor.stopAfter(() => client.nextRequest(thread));
  expect(again).toMatchObject({ line: earlier.line, position: earlier.position });
  const into = await editor.stopAfter(() => client.stepInRequest(thread));
  expect(into.position).toBeGreaterThan(again.position);
  const caller = await editor.stopAfter(() => client.stepOutRequest(thread));
  expect(caller.position).toBeGreaterThan(into.position);
  expect(caller.name).not.toContain('transfer');
  const start = await editor.stopAfter(() => client.reverseContinueRequest(thread));
  expect(start.position).toBeLessThanOrEqual(failure.position);
  await client.setExceptionBreakpointsRequest({ filters: [] });
  const first = await editor.stopAfter(() => client.reverseContinueRequest(thread));
  expect(first).toMatchObject({ reason: 'entry', position: 0 });
  const end = await editor.stopAfter(() => client.continueRequest(thread));
  expect(end).toMatchObject({ reason: 'end', description: 'End of the transaction' });
  await client.setExceptionBreakpointsRequest({ filters: ['uncaught'] });
  const failed = await editor.stopAfter(() => client.reverseContinueRequest(thread));
  expect(failed).toMatchObject({ reason: 'exception', position: failure.position });
});

test('instructions step with registers, and are disassembled', async () => {
  const editor = await connected();
  const { client } = editor;
  const failure = await editor.launch(open(reverted));
  const args = { threadId: 1, granularity: 'instruction' } as const;
  const earlier = await editor.stopAfter(() => client.stepBackRequest(args));
  expect(earlier.position).toBe(failure.position - 1);
  const next = await editor.stopAfter(() => client.nextRequest(args));
  expect(next.position).toBe(failure.position);
  const registers = await editor.scope('Registers');
  expect([...registers.keys()]).toEqual(['pc', 'ap', 'fp']);
  const [frame] = await editor.frames(1);
  const memoryReference = frame?.instructionPointerReference ?? '';
  const { body } = await client.disassembleRequest({
    memoryReference,
    instructionOffset: -5,
    instructionCount: 12,
  });
  const instructions = body?.instructions ?? [];
  expect(instructions).toHaveLength(12);
  expect(instructions[5]).toMatchObject({ address: memoryReference });
  expect(instructions[5]?.instruction).toMatch(/\[|call|jmp|ret|ap/);
  const [run, pc] = [BigInt(memoryReference) >> 32n, BigInt.asUintN(32, BigInt(memoryReference))];
  expect(run).toBeGreaterThan(0n);
  expect(registers.get('pc')?.value).toBe(String(pc));
});

test('breakpoints at lines, with conditions too', async () => {
  const editor = await connected();
  const { client } = editor;
  const at = line('let held =');
  const thread = { threadId: 1 };
  await editor.launch(open(reverted, { stopOnEntry: true }), async () => {
    const { body } = await client.setBreakpointsRequest({
      source: { path: tokenPath },
      breakpoints: [{ line: at }, { line: line('struct Storage') }],
    });
    expect(body.breakpoints[0]).toMatchObject({ verified: true, line: at });
  });
  const first = await editor.stopAfter(() => client.continueRequest(thread));
  expect(first).toMatchObject({ reason: 'breakpoint', path: tokenPath, line: at });
  expect(first.hitBreakpointIds).toHaveLength(1);
  expect(await editor.evaluate('amount')).toBe('5');
  const second = await editor.stopAfter(() => client.continueRequest(thread));
  expect(second).toMatchObject({ reason: 'breakpoint', line: at });
  expect(await editor.evaluate('amount')).toBe('1000');
  expect(await editor.stopAfter(() => client.reverseContinueRequest(thread))).toEqual(first);

  await editor.goTo(0);
  const setWith = (condition: string) =>
    client.setBreakpointsRequest({
      source: { path: tokenPath },
      breakpoints: [{ line: at, condition }],
    });
  await setWith('amount > 5');
  expect(await editor.stopAfter(() => client.continueRequest(thread))).toMatchObject({
    reason: 'breakpoint',
    position: second.position,
  });
  await editor.goTo(0);
  await setWith('amount > 100000');
  expect(await editor.stopAfter(() => client.continueRequest(thread))).toMatchObject({
    reason: 'exception',
    line: FAILING,
  });
});

test('a line without code moves to the next one, and a foreign file has no breakpoint', async () => {
  const editor = await connected();
  const { client } = editor;
  await editor.launch(open(reverted));
  const comment = { path: tokenPath };
  const { body } = await client.setBreakpointsRequest({
    source: comment,
    breakpoints: [{ line: line('fn transfer(ref self: ContractState') - 1 }],
  });
  const [moved] = body.breakpoints;
  expect(moved?.verified).toBe(true);
  expect(moved?.line).toBeGreaterThanOrEqual(line('fn transfer(ref self: ContractState'));
  const foreign = await client.setBreakpointsRequest({
    source: { path: join(project, 'contracts', 'src', 'oracle.cairo') },
    breakpoints: [{ line: 5 }],
  });
  expect(foreign.body.breakpoints).toMatchObject([{ verified: false }]);
  const locations = await client.customRequest('breakpointLocations', {
    source: comment,
    line: FAILING - 3,
    endLine: FAILING,
  });
  expect(locations.body.breakpoints).toContainEqual({ line: FAILING });
});

test('breakpoints at functions and contracts', async () => {
  const editor = await connected();
  const { client } = editor;
  const thread = { threadId: 1 };
  await editor.launch(open(caught, { stopOnEntry: true }));
  await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: 'call_caught' }] });
  const entered = await editor.stopAfter(() => client.continueRequest(thread));
  expect(entered.reason).toBe('function breakpoint');
  expect(entered.path).toMatch(/failing_calls\.cairo$/);
  await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: callee }] });
  const inCallee = await editor.stopAfter(() => client.continueRequest(thread));
  expect(inCallee.reason).toBe('function breakpoint');
  expect(inCallee.path).toMatch(/failing_callee\.cairo$/);
});

test('stops at caught failures, calls, events and storage writes', async () => {
  const editor = await connected();
  const { client } = editor;
  const thread = { threadId: 1 };
  const end = await editor.launch(open(caught));
  expect(end).toMatchObject({ reason: 'exception', line: marks().get('call_caught')?.line });
  const filtered = async (filter: string) => {
    await client.setExceptionBreakpointsRequest({ filters: [filter] });
    return editor.stopAfter(() => client.continueRequest(thread));
  };
  await editor.goTo(0);
  const inner = await filtered('any');
  expect(inner).toMatchObject({ reason: 'exception', line: marks().get('callee_check')?.line });
  await editor.goTo(0);
  expect(await filtered('uncaught')).toMatchObject({ position: end.position });
  await editor.goTo(0);
  const call = await filtered('call');
  expect(call).toMatchObject({ reason: 'breakpoint', description: 'Call of a contract' });

  const other = await connected();
  await other.launch(open(succeeded));
  await other.client.setExceptionBreakpointsRequest({ filters: ['write'] });
  const write = await other.stopAfter(() => other.client.continueRequest(thread));
  expect(write).toMatchObject({ reason: 'breakpoint', description: 'Storage write' });
  expect(write.text).toContain('→');
  await other.client.setExceptionBreakpointsRequest({ filters: ['event'] });
  const event = await other.stopAfter(() => other.client.continueRequest(thread));
  expect(event).toMatchObject({ description: 'Event' });
  expect(event.position).toBeGreaterThan(write.position);
});

test('a successful transaction opens at its first line', async () => {
  const editor = await connected();
  const stop = await editor.launch(open(succeeded));
  expect(stop).toMatchObject({ reason: 'entry', position: 0 });
});

test('variables, arguments, storage and the call of each frame', async () => {
  const editor = await connected();
  await editor.launch(open(reverted));
  const variables = await editor.scope('Variables');
  expect(variables.get('held')?.value).toBe('95');
  expect(variables.get('amount')).toMatchObject({ value: '1000', evaluateName: 'amount' });
  expect(variables.get('recipient')?.value).toBe('0x1234');
  // The annotation of the compiler does not map all variables; they are counted.
  expect(variables.get('(unmapped)')?.value).toMatch(/^\d+ variables without a mapping$/);
  const args = await editor.scope('Arguments');
  expect(args.get('amount')?.value).toBe('1000');
  const storage = await editor.scope('Storage');
  const [slot] = [...storage.values()].filter(({ name }) => name.startsWith('balances['));
  expect(slot).toBeDefined();
  const details = await editor.children(slot?.variablesReference ?? 0);
  expect([...details.keys()]).toEqual(expect.arrayContaining(['key', 'value', 'initial']));
  const call = await editor.scope('Call');
  expect(call.get('contract')?.value).toBe(token);
  expect(call.get('caller')?.value).toBe(owner);
  expect(call.get('function')?.value).toBe('transfer');
  // The usual account is charged by steps, and so is all that it calls.
  expect(call.has('gas left')).toBe(false);
  const frames = await editor.frames();
  const account = frames.find(({ name }) => name.includes('__execute__'));
  expect(account).toBeDefined();
  const accountCall = await editor.scope('Call', account?.id);
  expect(accountCall.get('contract')?.value).toBe(owner);
});

test('the stack and long values come in parts', async () => {
  const editor = await connected();
  const { client } = editor;
  await editor.launch(open(reverted));
  const all = await editor.frames();
  const { body } = await client.stackTraceRequest({ threadId: 1, startFrame: 1, levels: 1 });
  expect(body.totalFrames).toBe(all.length);
  expect(body.stackFrames).toEqual([all[1]]);
  const account = all.find(({ name }) => name.includes('__execute__'));
  const args = await editor.scope('Arguments', account?.id);
  const list = [...args.values()].find(({ indexedVariables = 0 }) => indexedVariables > 0);
  expect(list?.indexedVariables).toBe(2);
  const reference = list?.variablesReference ?? 0;
  const second = await editor.children(reference, { filter: 'indexed', start: 1, count: 1 });
  expect(second.size).toBe(1);
  expect((await editor.children(reference, { filter: 'named' })).size).toBe(0);
});

test('expressions name variables, members and storage', async () => {
  const editor = await connected();
  const { client } = editor;
  await editor.launch(open(reverted));
  const hover = await client.evaluateRequest({ expression: 'held', context: 'hover' });
  expect(hover.body).toMatchObject({ result: '95' });
  const storage = await editor.scope('Storage');
  for (const { evaluateName = '', value } of storage.values()) {
    expect(value.startsWith(await editor.evaluate(evaluateName))).toBe(true);
  }
  expect(await editor.evaluate(`storage.balances[${owner}]`)).toBe('95');
  await expect(editor.evaluate('nothing_here')).rejects.toThrow('nothing_here');
});

test('a position, a line and the start of a frame can be gone to', async () => {
  const editor = await connected();
  const { client } = editor;
  const failure = await editor.launch(open(reverted));
  const frameId = (await editor.frames(1))[0]?.id ?? 0;
  const restarted = await editor.stopAfter(() => client.restartFrameRequest({ frameId }));
  expect(restarted.path).toBe(tokenPath);
  expect(restarted.position).toBeLessThan(failure.position);
  expect(restarted.line).toBeLessThan(FAILING);
  expect(await editor.goTo(failure.position)).toMatchObject({ reason: 'goto', line: FAILING });
  const { body } = await client.gotoTargetsRequest({
    source: { path: tokenPath },
    line: line('let sender ='),
  });
  const target = body.targets.find(({ label }) => label.startsWith('Previous'));
  const gone = await editor.stopAfter(() =>
    client.gotoRequest({ threadId: 1, targetId: target?.id ?? 0 }),
  );
  expect(gone).toMatchObject({ reason: 'goto', line: line('let sender =') });
  await expect(client.customRequest('starkbox/unknown')).rejects.toThrow('Unknown request');
});

test('sources that the editor cannot open come from the node', async () => {
  await client.call('devnet_addArtifact', {
    artifact: JSON.parse(
      await readFile(join(project, 'target/dev/contracts_token.contract_class.json'), 'utf8'),
    ),
    sources: { 'contracts/src/token.cairo': tokenText },
  });
  const editor = await connected();
  const folder = temporaryFolderOfFile();
  const stop = await editor.launch(open(reverted, { cwd: folder }));
  expect(stop.line).toBe(FAILING);
  const [frame] = await editor.frames(1);
  const sourceReference = frame?.source?.sourceReference ?? 0;
  expect(sourceReference).toBeGreaterThan(0);
  expect(frame?.source).not.toHaveProperty('path');
  const { body } = await editor.client.sourceRequest({ sourceReference });
  expect(body.content).toBe(tokenText);
  const set = await editor.client.setBreakpointsRequest({
    source: { ...frame?.source },
    breakpoints: [{ line: FAILING }],
  });
  expect(set.body.breakpoints).toMatchObject([{ verified: true }]);
  const loaded = await editor.client.customRequest('loadedSources');
  expect(loaded.body.sources).toContainEqual(frame?.source);
});

test('a file that was edited after the build is shown as it was', async () => {
  const edited = await createProject(['token']);
  const path = join(edited, 'contracts', 'src', 'token.cairo');
  await writeFile(path, `// A line that moves others.\n${tokenText}`);
  await utimes(path, new Date('2100-01-01'), new Date('2100-01-01'));
  const artifact = JSON.parse(await classTextWithPlaces('token'));
  const sources = { 'contracts/src/token.cairo': tokenText };
  await client.call('devnet_addArtifact', { artifact, sources });
  const editor = await connected();
  await editor.launch(open(reverted, { cwd: edited }));
  const [frame] = await editor.frames(1);
  expect(frame?.source).not.toHaveProperty('path');
  const sourceReference = frame?.source?.sourceReference ?? 0;
  const { body } = await editor.client.sourceRequest({ sourceReference });
  expect(body.content).toBe(tokenText);
});

test('a restricted node gives no texts, but the project has them', async () => {
  const artifacts = join(project, 'target', 'dev');
  const other = await startFixture(await optionsOf('--restrictive-mode', '--artifacts', artifacts));
  const { url: otherUrl } = await other.node.listen();
  const to = await other.sender.deploy(await contract('token'), [
    '0x1',
    '0x2',
    '0x64',
    '0x0',
    owner,
  ]);
  const calldata = ['0x1234', '0x3e8', '0x0'];
  const transaction = await other.sender.invoke([{ to, name: 'transfer', calldata }]);
  const editor = await connected();
  const stop = await editor.launch({ transaction, url: otherUrl, cwd: project });
  expect(stop).toMatchObject({ path: tokenPath, line: FAILING });
});

test('debug information names no file that the editor opens', async () => {
  const victim = join(temporaryFolderOfFile(), 'secret.cairo');
  await writeFile(victim, 'mod secret {}');
  const text = await classTextWithPlaces('counter');
  const artifact = JSON.parse(text.replaceAll('contracts/src/counter.cairo', victim));
  await client.call('devnet_addArtifact', { artifact, sources: { [victim]: 'mod counter {}' } });
  const counter = await sender.deploy(await contract('counter'), ['0x0']);
  const transaction = await sender.invoke([{ to: counter, name: 'increase', calldata: ['0x1'] }]);
  const editor = await connected();
  await editor.launch(open(transaction));
  const { body } = await editor.client.customRequest('loadedSources');
  const sources: readonly DebugProtocol.Source[] = body.sources;
  const source = sources.find(({ name }) => name === 'secret.cairo');
  expect(source).not.toHaveProperty('path');
  const sourceReference = source?.sourceReference ?? 0;
  const served = await editor.client.sourceRequest({ sourceReference });
  expect(served.body.content).toBe('mod counter {}');
});

test('calls and simulations are debugged from a file with their request', async () => {
  const file = join(project, 'call.json');
  const request = {
    contract_address: calls,
    entry_point_selector: selector('call_check'),
    calldata: [callee, '0x1'],
  };
  const params = { request, block_id: 'latest' };
  await writeFile(file, JSON.stringify({ method: 'starknet_call', params }));
  const editor = await connected();
  const stop = await editor.launch({ requestFile: 'call.json', url, cwd: project });
  expect(stop).toMatchObject({ reason: 'exception', line: marks().get('callee_check')?.line });

  const simulation = {
    block_id: 'latest',
    transactions: [await sender.invokeRequest([transfer('0x3e8')])],
    simulation_flags: ['SKIP_FEE_CHARGE'],
  };
  const method = 'starknet_simulateTransactions';
  await writeFile(file, JSON.stringify({ method, params: simulation }));
  const other = await connected();
  const failed = await other.launch({ requestFile: file, url, cwd: project });
  expect(failed).toMatchObject({ reason: 'exception', line: FAILING });
});

test('a request with wrong arguments is rejected, and the session goes on', async () => {
  const editor = await connected();
  const { client: dap } = editor;
  // The protocol's default of pathFormat is path.
  expect((await dap.customRequest('initialize', { adapterID: 'starkbox' })).success).toBe(true);
  const { position } = await editor.launch(open(reverted));
  const WRONG: readonly (readonly [command: string, args: unknown])[] = [
    ['evaluate', { expression: 5 }],
    ['setBreakpoints', {}],
    ['setBreakpoints', { source: { path: tokenPath }, breakpoints: [{ line: 'x' }] }],
    ['setFunctionBreakpoints', { breakpoints: [{}] }],
    ['setExceptionBreakpoints', { filters: 'any' }],
    ['scopes', 5],
    ['goto', { threadId: 1, targetId: 1_000 }],
    ['restartFrame', { frameId: 0 }],
    ['restartFrame', { frameId: 1e9 }],
    ['disassemble', { memoryReference: '0x0', instructionCount: 1e9 }],
    ['disassemble', { memoryReference: '0x0', instructionOffset: -1e9, instructionCount: 1 }],
    ['disassemble', { memoryReference: 'x', instructionCount: 1 }],
  ];
  for (const [command, args] of WRONG) {
    const request = dap.customRequest(command, args);
    await expect(request, `${command} ${JSON.stringify(args)}`).rejects.toThrow(
      /^(Expected an? .* as .*, but got|There is no )/,
    );
  }
  // Some editors send null for an argument that they leave out.
  const unset = { memoryReference: '0x0', instructionCount: 1, offset: null };
  expect((await dap.customRequest('disassemble', unset)).success).toBe(true);
  expect((await editor.frames(1))[0]?.line).toBe(FAILING);
  expect((await editor.goTo(1e9)).position).toBeGreaterThan(position);
});

test('opening can be cancelled', async () => {
  const editor = await connected();
  await editor.initialize();
  const launched = editor.client.customRequest('launch', open(reverted));
  const cancelled = editor.client.customRequest('cancel', { progressId: 'open' });
  await expect(launched).rejects.toThrow('Opening was cancelled');
  expect((await cancelled).success).toBe(true);
});

test('breakpoints that can never stop are not verified', async () => {
  const editor = await connected();
  const { client: dap } = editor;
  await editor.launch(open(reverted, { stopOnEntry: true }));
  const { body: lines } = await dap.setBreakpointsRequest({
    source: { path: tokenPath },
    breakpoints: [{ line: line('let held ='), condition: 'amount >' }],
  });
  expect(lines.breakpoints).toMatchObject([{ verified: false }]);
  expect(lines.breakpoints[0]?.message).toContain('amount >');
  const { body: functions } = await dap.setFunctionBreakpointsRequest({
    breakpoints: [
      { name: 'nothing' },
      { name: '0x99' },
      { name: 'transfer', condition: 'amount =' },
      { name: 'transfer', condition: 'amount == 1000' },
    ],
  });
  const verified = functions.breakpoints.map((breakpoint) => breakpoint.verified);
  expect(verified).toEqual([false, false, false, true]);
  const stop = await editor.stopAfter(() => dap.continueRequest({ threadId: 1 }));
  expect(stop.reason).toBe('function breakpoint');
  expect(await editor.evaluate('amount.low')).toBe('1000');
});

test('a condition that names an unknown variable is noted once', async () => {
  const editor = await connected();
  const { client: dap } = editor;
  await editor.launch(open(reverted, { stopOnEntry: true }));
  const at = line('if held < amount');
  await dap.setBreakpointsRequest({
    source: { path: tokenPath },
    breakpoints: [{ line: at, condition: 'nothing == 1' }],
  });
  for (const position of [0, 1]) {
    await editor.goTo(position);
    await editor.stopAfter(() => dap.continueRequest({ threadId: 1 }));
  }
  const notes = editor.output.filter(({ output }) => output.includes('nothing'));
  expect(notes).toHaveLength(1);
  expect(notes[0]?.output).toContain(`token.cairo:${at}`);
});

test('a transaction that its fee alone reverted is explained', async () => {
  const editor = await connected();
  await editor.launch(open(unpaid));
  const { summary } = await client.call('devnet_explainTransaction', { transaction_hash: unpaid });
  expect(summary).toContain('fee');
  expect(editor.output.map(({ output }) => output).join('')).toContain(summary);
});

test('a bundle is debugged without a node', async () => {
  const { bundle } = await client.call('devnet_getBundle', { transaction_hash: reverted });
  const file = join(project, 'failure.starkbox-bundle');
  await writeFile(file, Buffer.from(bundle, 'base64'));
  const editor = await connected();
  const stop = await editor.launch({ bundle: 'failure.starkbox-bundle', cwd: project });
  expect(stop).toMatchObject({ reason: 'exception', path: tokenPath, line: FAILING });
  expect(await editor.evaluate('held')).toBe('95');
  await editor.disconnect();
  await writeFile(file, 'no bundle');
  const other = await connected();
  await other.initialize();
  await expect(other.client.customRequest('launch', { bundle: file })).rejects.toThrow(
    'failure.starkbox-bundle cannot be opened',
  );
});

test('wrong arguments and unknown transactions are explained', async () => {
  const editor = await connected();
  await editor.initialize();
  const launch = (args: object) => editor.client.customRequest('launch', args);
  await expect(launch({ url })).rejects.toThrow('Expected one of transaction, bundle, requestFile');
  await expect(launch({ transaction: '12', url })).rejects.toThrow('Invalid transaction hash');
  await expect(launch({ transaction: 5, url })).rejects.toThrow('must be a string, not 5');
  await expect(launch({ transaction: '0x999', url })).rejects.toThrow('no transaction 0x999');
  await expect(launch({ transaction: '0x999', url: 'http://127.0.0.1:9' })).rejects.toThrow(
    'cannot reach http://127.0.0.1:9',
  );
  await expect(editor.client.stackTraceRequest({ threadId: 1 })).rejects.toThrow(
    'No transaction is open',
  );
  expect(await editor.launch(open(reverted))).toMatchObject({ line: FAILING });
});

test('printed texts and missing information are in the console', async () => {
  const prints = await sender.deploy(await contract('prints'));
  const emitter = await sender.deploy(await contract('emitter'));
  const hash = await sender.invoke([
    { to: prints, name: 'print_values', calldata: ['0x7', '0x8'] },
    { to: emitter, name: 'emit_raw', calldata: ['0x0', '0x0'] },
  ]);
  const editor = await connected();
  await editor.launch(open(hash));
  const printed = editor.output.filter(({ category }) => category === 'stdout');
  expect(printed.length).toBeGreaterThan(0);
  expect(printed[0]?.source?.path).toMatch(/prints\.cairo$/);
  // The class of the account comes with the node, so users cannot build it again.
  const notes = editor.output.filter(({ category }) => category === 'console');
  expect(notes.map(({ output }) => /^\w+ steps/.exec(output)?.[0])).toEqual(['emitter steps']);
});

test('disconnecting closes the trace in the node, and the adapter serves others', async () => {
  const other = await startFixture();
  const { url: otherUrl } = await other.node.listen();
  const { tx_hash } = await other.client.call('devnet_mint', { address: '0x1', amount: 1 });
  const editor = await connected();
  await editor.launch({ transaction: tx_hash, url: otherUrl, cwd: project });
  const firstStep = { trace_id: '0x1', run: 0, first: 0, count: 1 };
  expect(await other.client.call('devnet_readDebugSteps', firstStep)).toHaveProperty('registers');
  await editor.client.terminateRequest();
  await editor.disconnect();
  await expect
    .poll(async () => (await other.client.failure('devnet_readDebugSteps', firstStep)).message)
    .toContain('closed');
  const next = await connected();
  expect(await next.launch(open(reverted))).toMatchObject({ line: FAILING });
});

test('an editor on stdin and stdout; the command ends with it', async () => {
  const args = [COMMAND, 'debug', reverted, '--url', url, '--stdio'];
  const child = spawn(process.execPath, args, { cwd: project, stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const dap = new StreamClient(child.stdout, child.stdin);
  const editor = new Editor(dap);
  expect(await editor.launch({})).toMatchObject({ path: tokenPath, line: FAILING });
  await dap.disconnectRequest();
  expect(await exit).toEqual([0, null]);
});

test('a web page cannot use the port', async () => {
  const socket = connect(adapter.port, '127.0.0.1');
  const closed = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', () => {});
  });
  const body = JSON.stringify({ seq: 1, type: 'request', command: 'initialize', arguments: {} });
  socket.write(`POST / HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  expect(await closed).toBe('');
});
