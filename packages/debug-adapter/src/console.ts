// A debugger on a terminal: a report of the failure, then commands, one a line.
import { relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { shortType } from '@starkbox/abi/internal';
import type {
  Breakpoint,
  Debugger,
  Direction,
  SourceLocation,
  StackFrame,
  Stop,
  Variable,
} from '@starkbox/debugger';
import { locate, namedPlace } from './breakpoints.js';
import { descriptionOf, explainedFailure, failureText } from './failure-text.js';
import {
  firstOwnFrame,
  type Host,
  hasFailed,
  type LaunchArguments,
  type OpenedExecution,
  openExecution,
  reasonOf,
  shortName,
} from './launch.js';
import { localPath } from './source-files.js';

export type Paint = (colour: 'bold' | 'dim' | 'red' | 'cyan', text: string) => string;

/** Where a console reads and writes. */
export interface Terminal {
  readonly input: Readable;
  /** Takes the echo of typed lines. */
  readonly output: Writable;
  /** Writes a text, without the control characters in it. */
  write(text: string): void;
  readonly paint: Paint;
}

/** Lines of source before and after the current one. */
const AROUND = 3;
/** Frames of a report whose variables are listed. */
const FRAMES_WITH_VARIABLES = 3;
const MAX_FRAMES = 20;
const MAX_VARIABLES = 20;
const MAX_VALUE_LENGTH = 200;

/** Commands with what they do. */
const COMMANDS: readonly (readonly [words: string, meaning: string])[] = [
  ['n, s, o', 'step over, in, out (bn, bs, bo: backwards)'],
  ['i, bi', 'step by one instruction'],
  ['c, bc', 'continue to a breakpoint or failure'],
  ['b FILE:LINE', 'set a breakpoint'],
  ['b FUNCTION', 'set a breakpoint at a function, or at a contract by its address'],
  ['b ... if X > 5', 'set a breakpoint with a condition'],
  ['d [N]', 'list breakpoints, or delete breakpoint N'],
  ['p EXPR', 'print a variable, a member such as a.b[2], or storage.NAME'],
  ['v [FRAME]', 'print variables'],
  ['bt', 'print the call stack'],
  ['l', 'print the source'],
  ['st', 'print storage of the contract'],
  ['g N', 'go to position N, or to start, end or fail'],
  ['q', 'quit'],
  ['', 'An empty line repeats the last step.'],
];

function helpText(): string {
  const width = Math.max(...COMMANDS.map(([words]) => words.length));
  return lines(COMMANDS.map(([words, meaning]) => `${words.padEnd(width)}  ${meaning}`));
}

/** Commands of a console over an execution. */
export class DebugConsole {
  readonly #execution: OpenedExecution;
  readonly #debug: Debugger;
  readonly #paint: Paint;
  readonly #printedNotes = new Set<string>();
  #breakpoints: readonly Breakpoint[] = [];
  #lastId = 0;
  #lastLine = '';

  constructor(execution: OpenedExecution, paint: Paint) {
    this.#execution = execution;
    this.#debug = execution.debug;
    this.#paint = paint;
  }

  /** Goes to the failure and describes it. */
  async report({ stopOnEntry = false }: LaunchArguments): Promise<string> {
    const debug = this.#debug;
    const isFailure = hasFailed(debug) && !stopOnEntry;
    await debug.goTo(isFailure ? debug.startOfInterest : 0);
    const title = isFailure
      ? this.#paint('red', await failureText(debug))
      : await this.#startTitle();
    const notes = this.#execution.notes.map((note) => `${this.#paint('dim', note)}\n`).join('');
    const variables: string[] = [];
    const frames = await debug.frames(await firstOwnFrame(debug), FRAMES_WITH_VARIABLES);
    for (const frame of frames) {
      const rows = await this.#variables(frame.index);
      if (rows.length > 0)
        variables.push(`\n${this.#paint('bold', shortName(frame.name))}\n${lines(rows)}`);
    }
    const header = `${title}\n${await this.#where()}\n${await this.#stack()}`;
    return `${header}${variables.join('')}${notes === '' ? '' : `\n${notes}`}`;
  }

  /** The first lines of a report that begins at the start. */
  async #startTitle(): Promise<string> {
    if (hasFailed(this.#debug)) return this.#paint('bold', 'Start of the transaction');
    const explained = await explainedFailure(this.#execution);
    return explained === undefined
      ? this.#paint('bold', 'Nothing failed')
      : this.#paint('red', explained);
  }

  /** The output of a command; undefined to quit. */
  async execute(line: string): Promise<string | undefined> {
    const words = line.trim() === '' ? this.#lastLine : line.trim();
    const [command = '', rest = ''] = splitFirst(words);
    const isBackward = /^b[nsoic]$/.test(command);
    const direction: Direction = isBackward ? 'backward' : 'forward';
    const step = this.#steps(direction).get(isBackward ? command.slice(1) : command);
    if (step) {
      this.#lastLine = words;
      return this.#describeStop(await step());
    }
    this.#lastLine = '';
    return command === 'q' ? undefined : this.#other(command, rest);
  }

  #steps(direction: Direction): ReadonlyMap<string, () => Promise<Stop>> {
    const debug = this.#debug;
    return new Map([
      ['n', () => debug.stepOver(direction)],
      ['s', () => debug.stepIn(direction)],
      ['o', () => debug.stepOut(direction)],
      ['i', () => debug.stepInstruction(direction)],
      ['c', () => debug.run({ direction, breakpoints: this.#breakpoints, until: ['failure'] })],
    ]);
  }

  async #other(command: string, rest: string): Promise<string> {
    switch (command) {
      case '':
        return '';
      case 'b':
        return this.#breakAt(rest);
      case 'd':
        return this.#delete(rest);
      case 'p':
        return this.#print(rest);
      case 'v':
        return this.#frameVariables(rest);
      case 'bt':
        return this.#stack();
      case 'l':
        return this.#where();
      case 'st':
        return this.#storage();
      case 'g':
        return this.#goTo(rest);
      case 'h':
      case '?':
      case 'help':
        return helpText();
      default:
        return `Unknown command '${command}'. To list the commands, type h.\n`;
    }
  }

  async #describeStop(stop: Stop): Promise<string> {
    const { description, text } = await descriptionOf(this.#debug, stop);
    const title = [description, text].filter((part) => part !== undefined).join(': ');
    const reached = stop.reason === 'breakpoint' ? `Breakpoint ${stop.breakpoint?.id}` : '';
    const first = title || reached;
    const notes = lines(this.#newNotes(stop.notes ?? []));
    return `${notes}${first === '' ? '' : `${this.#paint('bold', first)}\n`}${await this.#where()}`;
  }

  /** Sentences that were not printed before. */
  #newNotes(notes: readonly string[]): readonly string[] {
    const fresh = notes.filter((note) => !this.#printedNotes.has(note));
    for (const note of fresh) this.#printedNotes.add(note);
    return fresh.map((note) => this.#paint('dim', note));
  }

  async #breakAt(words: string): Promise<string> {
    const [word = '', condition] = words.split(/\s+if\s+/);
    if (word === '') return 'Expected FILE:LINE, FUNCTION or 0xCONTRACT after b.\n';
    const [, file, line] = /^(.+):(\d+)$/.exec(word) ?? [];
    const place =
      file === undefined
        ? namedPlace(word)
        : {
            line: (await locate(this.#debug, [file], Number(line))) ?? { file, line: Number(line) },
          };
    const id = String(this.#lastId + 1);
    const breakpoint = { id, ...place, ...(condition === undefined ? {} : { condition }) };
    const problem = await this.#debug.checkBreakpoint(breakpoint);
    if (problem !== undefined) return `${problem}\n`;
    this.#lastId += 1;
    this.#breakpoints = [...this.#breakpoints, breakpoint];
    return `Breakpoint ${id}: ${breakpointText(breakpoint)}\n`;
  }

  #delete(word: string): string {
    if (word !== '') {
      const others = this.#breakpoints.filter(({ id }) => id !== word);
      if (others.length === this.#breakpoints.length) return `No breakpoint ${word}.\n`;
      this.#breakpoints = others;
    }
    const rows = this.#breakpoints.map((at) => `${at.id}  ${breakpointText(at)}`);
    return rows.length === 0 ? 'No breakpoints.\n' : lines(rows);
  }

  async #frameVariables(word: string): Promise<string> {
    const index = Number(word);
    if (!Number.isInteger(index)) return 'Expected the number of a frame after v.\n';
    return lines(await this.#variables(index + (await firstOwnFrame(this.#debug))));
  }

  async #print(expression: string): Promise<string> {
    const frame = await firstOwnFrame(this.#debug);
    const { value, note } = await this.#debug.evaluate(expression, frame);
    if (!value) return `${note ?? `'${expression}' has no value here.`}\n`;
    const children = await value.children(0, MAX_VARIABLES);
    const more = value.childCount - children.length;
    return lines([
      `${value.text} ${this.#paint('dim', shortType(value.type))}`,
      ...children.map((child) => this.#row(child)),
      ...(more > 0 ? [`  ... ${more} more`] : []),
    ]);
  }

  async #goTo(word: string): Promise<string> {
    const debug = this.#debug;
    const positions: Readonly<Record<string, number>> = {
      start: 0,
      end: debug.length - 1,
      fail: debug.startOfInterest,
    };
    const position = positions[word] ?? Number(word || Number.NaN);
    if (!Number.isInteger(position) || position < 0 || position >= debug.length) {
      return `Expected a position from 0 to ${debug.length - 1}, start, end or fail.\n`;
    }
    return this.#describeStop(await debug.goTo(position));
  }

  async #storage(): Promise<string> {
    const [frame] = await this.#debug.frames(0, 1);
    const entries = await this.#debug.storage(frame?.run.contract_address);
    if (entries.length === 0) return 'No storage was read or written so far.\n';
    const { runs } = this.#debug.trace;
    return lines(
      entries.map(({ contractAddress, name, key, value, initial }) => {
        const run = runs.find(({ contract_address }) => contract_address === contractAddress);
        // At the end, when no contract runs, the slots of all of them are shown.
        const contract = frame ? '' : `${run?.contract_name ?? contractAddress}: `;
        const before = value === initial ? '' : this.#paint('dim', ` (was ${initial})`);
        return `  ${contract}${name ?? key} = ${value}${before}`;
      }),
    );
  }

  async #variables(frameIndex: number): Promise<readonly string[]> {
    const { variables, unmapped, note } = await this.#debug.scope(frameIndex);
    return [
      ...variables.slice(0, MAX_VARIABLES).map((variable) => this.#row(variable)),
      ...(variables.length > MAX_VARIABLES
        ? [`  ... ${variables.length - MAX_VARIABLES} more`]
        : []),
      ...(unmapped > 0 ? [this.#paint('dim', `  ${unmapped} variables are not mapped`)] : []),
      ...this.#newNotes(note === undefined ? [] : [note]).map((text) => `  ${text}`),
    ];
  }

  #row({ name, value: { text, type } }: Variable): string {
    const short = text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}...` : text;
    return `  ${name} = ${short} ${this.#paint('dim', shortType(type))}`;
  }

  async #stack(): Promise<string> {
    const first = await firstOwnFrame(this.#debug);
    const count = (await this.#debug.frameCount()) - first;
    const frames = await this.#debug.frames(first, MAX_FRAMES);
    const rows = await Promise.all(
      frames.map((frame) => this.#frameRow({ ...frame, index: frame.index - first })),
    );
    if (count > frames.length) rows.push(`  ... ${count - frames.length} more`);
    return lines([this.#paint('bold', 'Call stack'), ...rows]);
  }

  async #frameRow({ index, name, location, repetitions, run }: StackFrame): Promise<string> {
    const times = repetitions > 1 ? ` ×${repetitions}` : '';
    const origin = location
      ? `${await this.#pathOf(location)}:${location.line}`
      : (run.contract_name ?? run.contract_address);
    return `  ${index}  ${shortName(name)}${times}  ${this.#paint('dim', origin)}`;
  }

  /** The path below the current folder, where there is such a file. */
  async #pathOf({ classHash, file }: SourceLocation): Promise<string> {
    const text = await this.#debug.sourceText(classHash, file);
    const path = localPath(file, this.#execution.roots, text);
    const short = path === undefined ? file : relative(this.#execution.roots[0] ?? '', path);
    return short.startsWith('..') ? file : short;
  }

  /** The line of the position, with an excerpt. */
  async #where(): Promise<string> {
    const debug = this.#debug;
    const [frame] = await debug.frames(await firstOwnFrame(debug), 1);
    const position = this.#paint('dim', `position ${debug.position} of ${debug.length - 1}`);
    if (!frame) return `${position}\n`;
    const { location, name, run } = frame;
    if (!location)
      return `${shortName(name)} of ${run.contract_name ?? run.contract_address}, ${position}\n`;
    const title = `${await this.#pathOf(location)}:${location.line}:${location.column}`;
    const text = await debug.sourceText(location.classHash, location.file);
    return `${this.#paint('cyan', title)} ${position}\n${text === undefined ? '' : this.#excerpt(text, location)}`;
  }

  #excerpt(text: string, { line, column }: SourceLocation): string {
    const all = text.split(/\r?\n/);
    const first = Math.max(1, line - AROUND);
    const last = Math.min(all.length, line + AROUND);
    const width = String(last).length;
    const rows: string[] = [];
    for (let number = first; number <= last; number += 1) {
      const row = `${String(number).padStart(width)} | ${all[number - 1] ?? ''}`.trimEnd();
      if (number !== line) {
        rows.push(`  ${row}`);
        continue;
      }
      rows.push(this.#paint('bold', `> ${row}`));
      rows.push(`  ${' '.repeat(width)} | ${' '.repeat(Math.max(0, column - 1))}^`);
    }
    return lines(rows);
  }
}

function lines(rows: readonly string[]): string {
  return rows.map((row) => `${row}\n`).join('');
}

function splitFirst(words: string): readonly [string, string] {
  const at = words.search(/\s/);
  return at < 0 ? [words, ''] : [words.slice(0, at), words.slice(at).trim()];
}

function breakpointText({ line, function: name, contract, condition }: Breakpoint): string {
  const location = line ? `${line.file}:${line.line}` : (name ?? contract ?? '');
  return condition === undefined ? location : `${location} if ${condition}`;
}

/** The commands by which editors open the same execution. */
export function editorHints(launch: LaunchArguments, url: string): string {
  const { transaction, bundle, requestFile } = launch;
  const [name, value] =
    transaction !== undefined
      ? ['transaction', transaction]
      : bundle !== undefined
        ? ['bundle', bundle]
        : ['requestFile', requestFile ?? ''];
  // The extension accepts no files from links, which web pages can open too.
  const visualStudioCode =
    transaction === undefined
      ? `a launch configuration with "type": "starkbox", "request": "launch", "${name}": ${JSON.stringify(value)}`
      : `vscode://starkbox.starkbox-debug/debug?${new URLSearchParams({ transaction, url })}`;
  return `Open it in an editor:
  VS Code   ${visualStudioCode}
  Neovim    :lua require('dap').run({ type = 'starkbox', request = 'launch', name = 'Starkbox', ${name} = ${luaString(value)} })
  others    starkbox debug ${shellWord(value)} --port 4711
`;
}

function luaString(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

function shellWord(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Opens an execution on a terminal. Without a terminal, writes the report alone. */
export async function startConsole(
  host: Host,
  launch: LaunchArguments,
  { input, output, write, paint }: Terminal,
  isInteractive: boolean,
): Promise<void> {
  const abort = new AbortController();
  const execution = await openExecution(host, launch, { signal: abort.signal });
  const ended = input.readableEnded;
  const lineReader =
    isInteractive && !ended ? createInterface({ input, output, prompt: '(debug) ' }) : undefined;
  try {
    const console = new DebugConsole(execution, paint);
    write(await console.report(launch));
    write(`\n${editorHints(launch, launch.url ?? host.url)}`);
    if (!lineReader) return;
    write(`\nTo list the commands, type h.\n`);
    // Control and C quits.
    lineReader.on('SIGINT', () => lineReader.close());
    lineReader.prompt();
    for await (const line of lineReader) {
      const text = await console.execute(line).catch((error: unknown) => `${reasonOf(error)}\n`);
      if (text === undefined) return;
      write(text);
      lineReader.prompt();
    }
  } finally {
    lineReader?.close();
    await execution.close();
  }
}
