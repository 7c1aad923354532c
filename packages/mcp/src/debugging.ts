// A recorded execution at a line: stack, variables, storage and the lines that wrote it.
import { type Debugger, openDebugger, type StackFrame, type Target } from '@starkbox/debugger';
import { type DirectCall, type Overrides, prepare, runCalls } from './experiments.js';
import { ServerError } from './results.js';
import type { Session } from './session.js';

export interface DebugRequest {
  readonly transaction_hash?: string | undefined;
  /** The last call is debugged, on the state that the calls before it leave. */
  readonly calls?: readonly DirectCall[] | undefined;
  readonly overrides?: Overrides | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly function?: string | undefined;
  readonly condition?: string | undefined;
  /** Which time it gets there. */
  readonly hit: number;
}

const MAX_FRAMES = 15;
const MAX_VARIABLES = 40;
const MAX_SLOTS = 40;
const MAX_WRITES = 30;
const MAX_VALUE_LENGTH = 300;
/** Lines of the source before and after the line. */
const AROUND = 4;

/** Runs to a line or a function; without either, to the failure. */
export async function debugAtLine(session: Session, request: DebugRequest) {
  const target = await targetOf(session, request);
  const debug = await openDebugger((method, params) => session.client.call(method, params), target);
  try {
    await runTo(debug, request);
    const { position } = debug;
    const writes = await writesOf(debug);
    await debug.goTo(position);
    return { ...(await stopOf(debug)), writes, notes: debug.notes };
  } finally {
    await debug.close();
  }
}

async function targetOf(session: Session, request: DebugRequest): Promise<Target> {
  const { transaction_hash: transactionHash, calls, overrides = {} } = request;
  if ((transactionHash === undefined) === (calls === undefined)) {
    throw new ServerError('Give either transaction_hash or calls.');
  }
  if (transactionHash !== undefined) return { transactionHash };
  const prepared = await Promise.all((calls ?? []).map((call) => prepare(session, call)));
  const last = prepared.pop();
  if (!last) throw new ServerError('calls is empty: give the call to debug as the last one.');
  const { caller, increase_time: _passed, ...call } = last.request;
  const outcomes = prepared.length === 0 ? [] : await runCalls(session, prepared, overrides);
  const slots = new Map<string, { contract_address: string; key: string; value: string }>();
  for (const write of outcomes.flatMap(({ storage_writes }) => storage_writes)) {
    slots.set(`${write.contract_address} ${write.key}`, write);
  }
  const written = [...slots.values()].map(({ contract_address, key, value }) => ({
    contract_address,
    entries: [{ key, value }],
  }));
  const given = Array.isArray(overrides['storage']) ? overrides['storage'] : [];
  if (written.length > 0 && given.length > 0) {
    throw new ServerError(
      'Overrides of storage work with a single call here: earlier calls may write the same slots. Drop one of both.',
    );
  }
  return {
    call,
    blockId: 'pre_confirmed',
    overrides: {
      ...overrides,
      ...(written.length > 0 ? { storage: written } : {}),
      ...(caller === undefined ? {} : { caller }),
    },
  };
}

async function runTo(debug: Debugger, request: DebugRequest): Promise<void> {
  const { file, line, function: name, condition, hit } = request;
  if ((file === undefined) !== (line === undefined)) {
    throw new ServerError('file and line belong together: give both, or a function.');
  }
  if (line === undefined && name === undefined) {
    await debug.goTo(debug.startOfInterest);
    return;
  }
  const breakpoint = {
    id: 'here',
    ...(file === undefined || line === undefined ? {} : { line: { file, line } }),
    ...(name === undefined ? {} : { function: name }),
    ...(condition === undefined ? {} : { condition }),
  };
  await debug.goTo(0);
  for (let times = 0; times < hit; times += 1) {
    const { reason } = await debug.run({ breakpoints: [breakpoint] });
    if (reason === 'breakpoint') continue;
    const lines = file === undefined ? [] : await debug.codeLines(file);
    const files = [...new Set((await debug.sources()).map((source) => source.file))];
    const known =
      lines.length > 0
        ? `Lines with code: ${lines.slice(0, 100).join(', ')}`
        : `Files: ${files.slice(0, 30).join(', ') || 'none; start_chain with artifacts for lines'}`;
    throw new Error(
      `The execution gets to ${name ?? `${file}:${line}`} ${times} times, not ${hit}. ${known}.`,
    );
  }
}

const placeOf = (frame: StackFrame | undefined): string | undefined =>
  frame?.location && `${frame.location.file}:${frame.location.line}`;

const cut = (text: string): string =>
  text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)} …` : text;

async function stopOf(debug: Debugger) {
  const frames = await debug.frames(0, MAX_FRAMES);
  const inner = frames.find(({ isLibrary }) => !isLibrary) ?? frames[0];
  const { variables, unmapped, note } = await debug.scope();
  const storage = await debug.storage();
  return {
    at: placeOf(inner) ?? 'code without lines',
    source: await sourceAround(debug, inner),
    stack: frames.map((frame) => ({
      function: frame.name,
      at: placeOf(frame),
      contract: frame.run.contract_address,
    })),
    variables: Object.fromEntries(
      variables.slice(-MAX_VARIABLES).map(({ name, value }) => [name, cut(value.text)]),
    ),
    ...(unmapped > 0 ? { variables_without_name: unmapped } : {}),
    ...(note === undefined ? {} : { note }),
    storage: storage.slice(0, MAX_SLOTS).map(({ name, key, value, initial }) => ({
      slot: name ?? key,
      value,
      ...(value === initial ? {} : { before: initial }),
    })),
  };
}

async function sourceAround(
  debug: Debugger,
  frame: StackFrame | undefined,
): Promise<readonly string[]> {
  if (!frame?.location) return [];
  const { classHash, file, line } = frame.location;
  const text = await debug.sourceText(classHash, file);
  if (text === undefined) return [];
  const first = Math.max(1, line - AROUND);
  return text
    .split('\n')
    .slice(first - 1, line + AROUND)
    .map((content, at) => `${first + at === line ? '>' : ' '} ${first + at} ${cut(content)}`);
}

/** All writes of the execution, with the lines that made them. */
async function writesOf(debug: Debugger) {
  const marks = debug.marks.filter(({ kind }) => kind === 'write');
  const writes = [];
  for (const { position, action, isReverted } of marks.slice(0, MAX_WRITES)) {
    await debug.goTo(position);
    const frames = await debug.frames(0, MAX_FRAMES);
    const user = frames.find(({ isLibrary, location }) => !isLibrary && location !== undefined);
    const slot = (await debug.storage(action?.contract_address)).find(
      ({ key }) => key === action?.key,
    );
    writes.push({
      at: placeOf(user ?? frames[0]),
      slot: slot?.name ?? action?.key,
      from: action?.previous,
      to: action?.value,
      ...(isReverted ? { is_reverted: true } : {}),
    });
  }
  return writes;
}
