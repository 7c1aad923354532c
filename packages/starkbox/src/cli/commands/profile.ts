// The profile command: writes the trace of a transaction, and its classes, for cairo-profiler.
import { closeSync, existsSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { counted, fitted } from '@starkbox/abi/basics';
import { Class } from '@starkbox/engine';
import type { MACHINE_CLASS } from '@starkbox/spec';
import { ANNOTATIONS } from '../../debug-info/artifact.js';
import { createFolder } from '../../files/create-folder.js';
import { stringify } from '../../json/json.js';
import { membersOf } from '../../json/reader.js';
import { showing } from '../../probe.js';
import type { Style } from './format.js';
import { ARTIFACTS, artifactsIn } from './input-files.js';
import { type CallNode, traceData, treesOf } from './trace-data.js';
import { ask, checkedHash, LOCAL } from './wire.js';

export interface ProfileWords {
  readonly url?: string;
  readonly out?: string;
  readonly artifacts?: string;
}

export async function profile(
  { json, paint, width, progress }: Style,
  hash: string,
  { url = LOCAL, out, artifacts }: ProfileWords,
): Promise<string> {
  const trace = await showing(progress, 'running the transaction again', () =>
    ask(url, 'devnet_machineTrace', { transaction_hash: checkedHash(hash) }),
  );
  const file = out ?? `trace_${hash}.json`;
  const folder = `${file.replace(/\.json$/, '')}_classes`;
  const pathOf = (classHash: string): string => resolve(folder, `${classHash}.contract_class.json`);
  const trees = treesOf(trace.calls);
  const all = flat(trees);
  const ran = new Set(
    all.flatMap(({ call, whole }) => (call.registers && !whole ? call.class_hash : [])),
  );
  createFolder(folder);
  const built = await showing(progress, 'reading artifacts', () => builtClasses(artifacts, ran));
  for (const machineClass of trace.classes) {
    if (!ran.has(machineClass.class_hash)) continue;
    const text = built.get(machineClass.class_hash) ?? (await classText(url, machineClass));
    writeFileSync(pathOf(machineClass.class_hash), text);
  }
  writePieces(file, traceData(hash, trees, trace, pathOf));
  const steps = all.reduce((sum, { call }) => sum + call.steps, 0);
  if (json) {
    const { length: calls } = all;
    return `${JSON.stringify({ file, classes: folder, calls, steps, whole: wholeOf(all) })}\n`;
  }
  const lines = [
    `${counted(all.length, 'call')} with ${counted(steps, 'step')}, in ${paint('bold', file)}`,
    ...wholeOf(all).map(
      ({ contract, function: name, calls, reason }) =>
        `${counted(calls, 'call')} of ${contract}.${name} as a whole, without functions: ${reason}`,
    ),
  ];
  // A wrapped command cannot be copied.
  return `${fitted(lines.join('\n'), width)}\nTo see it:\n  cairo-profiler build-profile ${file} --view\n`;
}

function flat(trees: readonly CallNode[]): readonly CallNode[] {
  return trees.flatMap((node) => [node, ...flat(node.inner)]);
}

interface Whole {
  readonly contract: string;
  readonly function: string;
  readonly reason: string;
  readonly calls: number;
}

/** The calls that are reported as a whole, by their function. */
function wholeOf(nodes: readonly CallNode[]): readonly Whole[] {
  const byKey = new Map<string, Whole>();
  for (const { call, whole: reason } of nodes) {
    if (reason === undefined) continue;
    const contract = call.contract_name ?? call.contract_address;
    const name = call.function_name ?? call.entry_point_selector;
    const key = `${contract} ${name} ${reason}`;
    const calls = (byKey.get(key)?.calls ?? 0) + 1;
    byKey.set(key, { contract, function: name, reason, calls });
  }
  return [...byKey.values()];
}

/** Classes as the compiler wrote them, by hash; none where the usual folder is not there. */
async function builtClasses(
  folder: string | undefined,
  hashes: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  if (folder === undefined && !existsSync(ARTIFACTS)) return texts;
  for (const text of artifactsIn(folder ?? ARTIFACTS)) {
    const hash = await Class.hashOf(text);
    if (hashes.has(hash)) texts.set(hash, text);
  }
  return texts;
}

/** A class of the node, with the names that it has for it. */
async function classText(url: string, { class_hash, ...names }: MACHINE_CLASS): Promise<string> {
  const block_id = 'pre_confirmed';
  const contractClass: unknown = await ask(url, 'starknet_getClass', { block_id, class_hash });
  const { sierra_program, contract_class_version, entry_points_by_type } = membersOf(contractClass);
  const { tool, member } = ANNOTATIONS.functions;
  const statements = names.statements?.map(({ statement, functions }) => [statement, functions]);
  return stringify({
    sierra_program,
    sierra_program_debug_info: {
      type_names: [],
      libfunc_names: [],
      user_func_names: names.functions.map(({ id, name }) => [id, name]),
      annotations: statements ? { [tool]: { [member]: Object.fromEntries(statements) } } : {},
    },
    contract_class_version,
    entry_points_by_type,
  });
}

/** A text that may be longer than a string can be. */
function writePieces(file: string, pieces: Iterable<string>): void {
  const target = openSync(file, 'w');
  try {
    for (const piece of pieces) writeSync(target, piece);
  } finally {
    closeSync(target);
  }
}
