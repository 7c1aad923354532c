// The starkbox process: output, signals and exit codes.

import { text } from 'node:stream/consumers';
import { fitText } from '@starkbox/abi/basics';
import { type Environment, environment } from '../config/environment.js';
import { UsageError } from '../config/option.js';
import { type Config, type ConfigKey, OPTIONS } from '../config/options.js';
import { ConfigError, withOrigin } from '../config/rules.js';
import { fromWhere, type OptionValues } from '../config/source.js';
import { AccountClassError, codeOf, reasonOf, shortUrl } from '../errors.js';
import type { LocalChain } from '../library/local-chain.js';
import { createLog, type Log } from '../log.js';
import { nearest } from '../nearest-word.js';
import { logClosingError } from '../node/lifecycle.js';
import type { OpenedChain } from '../node/node-options.js';
import type { WorkDisplay } from '../probe.js';
import {
  type Output,
  painter,
  shortenText,
  usesColour,
  visible,
  visiblePainted,
  widthOf,
  withForcedColour,
} from '../terminal.js';
import { type CommandLine, type ProgramName, readConfig } from './arguments.js';
import { type BannerFacts, banner, listeningLine, sourceRows, terminalBanner } from './banner.js';
import { COMMAND_NAMES, isComparison, runCommand } from './commands/command.js';
import { FailedWithOutput } from './commands/format.js';
import { helpWidth } from './commands/help-text.js';
import { helpOn } from './help.js';
import { ancestors, onParentGone } from './parent-process.js';
import { ProgressLine } from './progress.js';

type Startable = BannerFacts & Pick<LocalChain, 'listen' | 'close'>;

export interface RunOptions {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly directory: string;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Reads all of stdin. */
  readonly readInput?: () => Promise<string>;
  /** Replaced by tests. */
  readonly createChain?: (
    config: Partial<Config>,
    options: {
      readonly log: Log;
      readonly output: Output;
      readonly progress?: WorkDisplay | undefined;
      readonly onOpen?: (opened: OpenedChain) => void;
    },
  ) => Promise<Startable>;
  /** Called when the node listens, before that is printed. */
  readonly onListening?: (started: Started) => void;
}

/** A node that listens. */
export interface Started {
  readonly node: Pick<LocalChain, 'close'>;
  readonly log: Log;
  readonly exitsWithParent: boolean;
}

/** Either the process is done, or a node is listening. */
export type Outcome = { readonly exitCode: number } | Started;

/** Characters of the reason of a failure. */
const MAX_REASON_LENGTH = 10_000;
const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;
/** Of a comparison, as `diff` has them. */
const EXIT_DIFFERENT = 1;
const EXIT_TROUBLE = 2;

/** npm forwards a signal that the terminal has sent already: within this time it counts as the same one. */
const SAME_SIGNAL_SECONDS = 0.5;

/** Where a run writes, and how it ends with an error. */
interface Console {
  readonly progress: ReturnType<typeof ProgressLine.on>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly coloured: boolean;
  readonly fail: (message: string, exitCode: number, hint?: string) => Outcome;
  /** Adds where to find help, unless the message has it. */
  readonly failUsage: (message: string, command?: string) => Outcome;
}

function consoleOf(options: RunOptions): Console {
  const progress = ProgressLine.on(options.stderr, options.env);
  const { stdout, stderr } = outputsOf(options, progress);
  const fail = (message: string, exitCode: number, hint = ''): Outcome => {
    const reason = visible(shortenText(message, MAX_REASON_LENGTH));
    const fittedText = fitText(`error: ${reason}`, widthOf(stderr));
    const painted = painter(usesColour(stderr))('red', 'error:');
    stderr.write(`${fittedText.replace('error:', () => painted)}\n${hint}`);
    return { exitCode };
  };
  const failUsage = (message: string, command?: string): Outcome => {
    const help = command === undefined ? '--help' : `starkbox ${command} --help`;
    const pointer = message.includes('--help') ? '' : `\nFor more information, try '${help}'.\n`;
    return fail(message, EXIT_USAGE, pointer);
  };
  return { progress, stdout, stderr, coloured: usesColour(stdout), fail, failUsage };
}

/** Runs a command other than a node. */
async function runOther(
  { argv, env, readInput = async () => '' }: RunOptions,
  { progress, stdout, coloured, fail, failUsage }: Console,
): Promise<Outcome> {
  try {
    const paint = painter(coloured);
    const width = widthOf(stdout);
    const output = await runCommand(argv, { env, paint, width, readInput, progress });
    stdout.write(visiblePainted(output, coloured));
    return { exitCode: 0 };
  } catch (error) {
    if (error instanceof FailedWithOutput) {
      stdout.write(visiblePainted(`${error.message.trimEnd()}\n`, coloured));
      return { exitCode: EXIT_DIFFERENT };
    }
    if (error instanceof UsageError) return failUsage(error.message, argv[0]);
    return fail(reasonOf(error), isComparison(argv[0] ?? '') ? EXIT_TROUBLE : EXIT_FAILURE);
  }
}

/** Reads the options of a node, or the question that the words ask. */
async function readLine(options: RunOptions, { stdout, coloured }: Console): Promise<CommandLine> {
  const style = { width: helpWidth(widthOf(stdout)), paint: painter(coloured) };
  const [command = '', ...rest] = options.argv;
  if (command === 'help') return { kind: 'answer', text: helpOn(rest[0], style) };
  refuseUnknownCommand(command);
  const argv = command === 'start' ? rest : options.argv;
  return readConfig(argv, { ...options, style });
}

/** Runs a command line, up to a listening node. */
export async function run(options: RunOptions): Promise<Outcome> {
  const output = consoleOf(options);
  const { progress, stdout, stderr, fail, failUsage } = output;
  if (COMMAND_NAMES.includes(options.argv[0] ?? '')) return runOther(options, output);
  let line: CommandLine;
  try {
    line = await readLine(options, output);
  } catch (error) {
    if (error instanceof UsageError) return failUsage(error.message);
    if (error instanceof ConfigError) return fail(error.message, EXIT_FAILURE);
    throw error;
  }
  if (line.kind === 'answer') {
    stdout.write(line.text);
    return { exitCode: 0 };
  }

  const { config, settings, fromEnvironment, configFile, warnings, name, portSocket } = line;
  // Tools that start starknet-devnet take lines on stderr for errors.
  const logOutput = name === 'starknet-devnet' ? stdout : stderr;
  const log = createLog({ level: config.logLevel, format: config.logFormat }, logOutput);
  if (fromEnvironment.length > 0) {
    log.info(`Options from the environment: ${fromEnvironment.join(', ')}`);
  }
  for (const warning of warnings) log.warn(warning);
  let node: Startable;
  let opened: OpenedChain | undefined;
  try {
    // Loaded late, because help and usage errors do not need it.
    const createChain = options.createChain ?? (await import('../node/node.js')).createChain;
    node = await createChain(settings.values, {
      log,
      output: stdout,
      progress,
      onOpen: (facts) => {
        opened = facts;
      },
    });
  } catch (error) {
    const reason = reasonOf(withOrigin(error, settings.origins));
    if (!(error instanceof AccountClassError)) return fail(reason, EXIT_FAILURE);
    const option = `'${config.accountClassCustom}' for '${OPTIONS.accountClassCustom.flag}'`;
    return failUsage(`invalid value ${option}: Failed to load ContractClass: ${reason}`);
  }
  let address: Awaited<ReturnType<LocalChain['listen']>>;
  try {
    address = await node.listen();
  } catch (error) {
    await node.close();
    return fail(whyNotListening(error, config, settings), EXIT_FAILURE);
  }

  const started = { node, log, exitsWithParent: config.exitWithParent };
  options.onListening?.(started);
  announce({ node, address, opened, name, log, stdout, config });
  if (configFile !== undefined) log.info(`Options from ${configFile}`);
  // Where the log is seen together with stdout, that line is there already.
  const isApart = logOutput !== stdout && !(stdout.isTTY && stderr.isTTY);
  if (isApart) log.info(`Starkbox listening on ${address.url}`);
  if (portSocket !== undefined) await sendPort(address.port, portSocket, stdout);
  return started;
}

interface Announcement {
  readonly node: Startable;
  readonly address: Awaited<ReturnType<LocalChain['listen']>>;
  readonly opened: OpenedChain | undefined;
  readonly name: ProgramName;
  readonly log: Log;
  readonly stdout: Output;
  readonly config: Config;
}

/** What the labels of the banner mean. */
const SOURCES = { data: 'Data directory', dump: 'Dump file' } as const;

/** Prints the banner, or logs what only the banner on a terminal shows. */
function announce({ node, address, opened, name, log, stdout, config }: Announcement): void {
  const coloured = usesColour(stdout);
  const width = widthOf(stdout);
  const isForPeople = width !== undefined && name === 'starkbox';
  if (config.banner && isForPeople) {
    const text = terminalBanner(node, { paint: painter(coloured), width, opened, address });
    stdout.write(visiblePainted(text, coloured));
  } else if (config.banner) {
    stdout.write(visible(banner(node)));
  }
  stdout.write(fitText(listeningLine(name, address), width));
  if (config.banner && isForPeople) return;
  for (const [label, text] of sourceRows(node.config, opened)) {
    // The fork itself is logged when it is opened.
    if (label !== 'fork') log.info(`${SOURCES[label]} ${text}`);
  }
  if (address.metricsUrl !== undefined) log.info(`Metrics on ${address.metricsUrl}`);
  if (node.l1) log.info(l1Line(node.l1));
}

/** Both outputs, as variables and the progress line require. */
function outputsOf(
  { stdout, stderr, env }: Pick<RunOptions, 'stdout' | 'stderr' | 'env'>,
  progress: ProgressLine | undefined,
): Pick<RunOptions, 'stdout' | 'stderr'> {
  const prepared = (output: Output): Output => {
    const painted = withForcedColour(output, env['FORCE_COLOR']);
    return progress && output.isTTY ? progress.beside(painted) : painted;
  };
  return { stdout: prepared(stdout), stderr: prepared(stderr) };
}

function l1Line({ url, messagingContract, isManaged }: NonNullable<Startable['l1']>): string {
  const program = isManaged ? ' (Anvil)' : '';
  return `L1${program} on ${shortUrl(url)}, messaging contract ${messagingContract}`;
}

/** What other tools call the commands. */
const FOREIGN_COMMANDS: ReadonlyMap<string, string> = new Map([
  ['node', 'start'],
  ['run', 'start'],
  ['serve', 'start'],
  ['dev', 'start'],
  ['anvil', 'start'],
  ['katana', 'start'],
  ['devnet', 'start'],
  ['fork', 'start --fork-network mainnet'],
  ['call', 'rpc'],
  ['cast', 'rpc'],
  ['send', 'rpc'],
  ['report', 'gas'],
  ['trace', 'explain'],
  ['upgrade', 'rehearse'],
  ['new', 'init'],
  ['create', 'init'],
  ['completion', 'completions'],
  ['version', '--version'],
  ['collect', 'gc'],
  ['prune', 'gc'],
]);

function refuseUnknownCommand(word: string): void {
  if (word === '' || word === 'start' || word.startsWith('-')) return;
  const names = ['start', ...COMMAND_NAMES, 'help'];
  const near = FOREIGN_COMMANDS.get(word) ?? nearest(word, names);
  const hint =
    near === undefined ? `the commands are ${names.join(', ')}` : `did you mean '${near}'?`;
  throw new UsageError(`unknown command '${word}': ${hint}`);
}

/** Entry point of the command, with the signals of the process. */
export async function main(): Promise<void> {
  const { argv, stdout, stderr } = process;
  surviveFailedWrites(stdout, stderr);
  // Found first, because they may end while the node starts.
  const startedBy = ancestors(environment()['npm_command'] !== undefined);
  const outcome = await run({
    argv: argv.slice(2),
    env: environment(),
    directory: process.cwd(),
    stdout,
    stderr,
    readInput: () => text(process.stdin),
    // A program that waits for the line about listening may send a signal at once.
    onListening: (started) => handleSignals(started, startedBy),
  });
  // A failed write to stdout may have set it.
  if ('exitCode' in outcome) process.exitCode ||= outcome.exitCode;
}

function handleSignals(
  { node, log, exitsWithParent }: Started,
  startedBy: ReturnType<typeof ancestors>,
): void {
  const fail = (error: unknown): never => {
    logClosingError(log, error);
    process.exit(EXIT_FAILURE);
  };
  // Also emitted for unhandled rejections.
  process.on('uncaughtException', fail);
  let closing: number | undefined;
  const handle = (signal: NodeJS.Signals): void => {
    if (closing !== undefined) {
      if (process.uptime() - closing > SAME_SIGNAL_SECONDS) endAtOnce(signal);
      return;
    }
    closing = process.uptime();
    log.info(`${signal}: finishing open requests; send it again to exit at once`);
    node.close().then(() => process.exit(0), fail);
  };
  process.on('SIGHUP', handle); // the terminal was closed
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
  if (!exitsWithParent) return;
  onParentGone(startedBy, () => {
    log.info('the process that started this one has ended');
    handle('SIGTERM');
  });
}

/** By the signal itself: `process.exit` would wait for threads, and one may wait for a file. */
function endAtOnce(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/**
 * Without these listeners a closed pipe or a full disk behind stdout or stderr would end the process. What
 * cannot be written is lost; if stdout is the result of a command, the command has failed.
 */
function surviveFailedWrites(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): void {
  stderr.on('error', () => {});
  stdout.on('error', (error) => {
    // The reader has closed the pipe, as in `starkbox --help | head -1`.
    if (codeOf(error) === 'EPIPE') return;
    if (process.exitCode !== EXIT_FAILURE) {
      stderr.write(`error: cannot write to stdout: ${reasonOf(error)}\n`);
    }
    process.exitCode = EXIT_FAILURE;
  });
}

async function sendPort(port: number, path: string, stdout: Output): Promise<void> {
  const { reportPort } = await import('./port-socket.js');
  const words = await reportPort(port, path).then(
    () => `Successfully wrote port to unix socket: ${path}`,
    (error) => `Could not write port to unix socket: ${path}: ${reasonOf(error)}`,
  );
  stdout.write(`${words}\n`);
}

function whyNotListening(error: unknown, { host, port }: Config, settings: OptionValues): string {
  const from = (key: ConfigKey): string => fromWhere(key, settings);
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `port ${port}${from('port')} on ${host} is taken: choose another with --port, or let the system pick one with --port 0`;
    case 'EACCES':
      return `port ${port}${from('port')} on ${host} needs privileges that this process lacks: choose one above 1023 with --port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is not an address of this machine${from('host')}: choose another with --host`;
    case undefined:
      return reasonOf(withOrigin(error, settings.origins));
    default:
      return `cannot listen on port ${port} of ${host}: ${reasonOf(error)}`;
  }
}
