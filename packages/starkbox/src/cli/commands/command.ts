// Table of the commands other than running a node. Each loads its code when it runs.

import { parseArgs } from 'node:util';
import { type Suggestions, UsageError } from '../../config/option.js';
import { reasonOf } from '../../errors.js';
import { stringify } from '../../json/json.js';
import { nearest } from '../../nearest-word.js';
import { painter } from '../../terminal.js';
import { SHELLS } from '../completions/syntax.js';
import type { Style, Surroundings } from './format.js';
import { type HelpStyle, helpWidth, section, termLines, wrapped } from './help-text.js';

/** Options of the commands, besides `--json` and `--help`. */
const OPTIONS = {
  names: { type: 'string', suggests: 'paths' },
  contract: { type: 'string' },
  class: { type: 'string', suggests: 'paths' },
  'old-class': { type: 'string', suggests: 'paths' },
  last: { type: 'string' },
  'fork-network': { type: 'string' },
  'fork-lock': { type: 'string', suggests: 'paths' },
  carry: { type: 'boolean' },
  page: { type: 'string', suggests: 'paths' },
  url: { type: 'string' },
  file: { type: 'string', suggests: 'paths' },
  from: { type: 'string' },
  to: { type: 'string' },
  by: { type: 'string', suggests: async () => (await import('./gas.js')).GROUPINGS },
  flame: { type: 'string', suggests: 'paths' },
  'flame-resource': { type: 'string', suggests: async () => (await import('./gas.js')).RESOURCES },
  baseline: { type: 'string', suggests: 'paths' },
  'save-baseline': { type: 'string', suggests: 'paths' },
  tolerance: { type: 'string' },
  all: { type: 'boolean' },
  lcov: { type: 'string', suggests: 'paths' },
  artifacts: { type: 'string', suggests: 'paths' },
  out: { type: 'string', suggests: 'paths' },
  resources: { type: 'boolean' },
  'allowed-hosts': { type: 'string' },
  port: { type: 'string' },
  stdio: { type: 'boolean' },
  'stop-on-entry': { type: 'boolean' },
  'max-steps': { type: 'string' },
  'max-bytes': { type: 'string' },
  'account-class-custom': { type: 'string', suggests: 'paths' },
  list: { type: 'boolean' },
  raw: { type: 'boolean' },
  'auth-token': { type: 'string' },
  runner: { type: 'string', suggests: async () => (await import('./init.js')).RUNNERS },
  yes: { type: 'boolean' },
  seed: { type: 'string' },
  runs: { type: 'string' },
  depth: { type: 'string' },
  seconds: { type: 'string' },
  calls: { type: 'string' },
  workers: { type: 'string' },
  corpus: { type: 'string', suggests: 'paths' },
} as const;
type OptionName = keyof typeof OPTIONS;
type CommandOptions = Omit<ReturnType<typeof parsed>['values'], 'json' | 'help'>;

/** The arguments of a command. */
interface Words {
  readonly positionals: readonly string[];
  readonly values: Readonly<CommandOptions>;
  readonly style: Style;
  readonly surroundings: Surroundings;
}

/** A placeholder of the value, empty for a flag, and the meaning of an option. */
type Meaning = readonly [placeholder: string, meaning: string];

interface Command {
  /** Arguments besides options, as usage shows them. */
  readonly args: string;
  /** Their number, or the least and the largest number. */
  readonly positionals: number | { readonly least: number; readonly most?: number };
  /** A line for the list of commands. */
  readonly summary: string;
  /** Paragraphs behind the summary. */
  readonly details?: readonly string[];
  readonly takes: Readonly<Partial<Record<OptionName, Meaning>>>;
  /** Lines of a command line each, with what they do. */
  readonly examples?: readonly (readonly [line: string, meaning: string])[];
  /** Whether it prints data, which `--json` prints as JSON. */
  readonly hasJson: boolean;
  /** Whether `--url` is the node to read, which the variable names otherwise. */
  readonly readsNode?: boolean;
  /** What a shell offers as its arguments. */
  readonly suggests?: Suggestions | (() => Promise<Suggestions>);
  /** Help about its arguments, where they have some of their own. */
  readonly helpOn?: (positionals: readonly string[], style: HelpStyle) => Promise<string>;
  /** Whether it exits as `diff` does: 0 if both are equal, 1 if they differ, 2 on trouble. */
  readonly compares?: boolean;
  /** The text to print. Throws `DifferenceFound` with the report of a comparison. */
  readonly run: (words: Words) => Promise<string>;
}

const NODE = {
  url: ['URL', 'The running node (default: STARKBOX_URL, or http://127.0.0.1:5050).'],
  'auth-token': ['TOKEN', 'The token of the node (default: STARKBOX_AUTH_TOKEN).'],
} as const;
const RANGE = {
  from: ['BLOCK', 'The oldest block (default: the first).'],
  to: ['BLOCK', 'The newest block (default: the latest).'],
} as const;

/** In the order of help. */
const COMMANDS: Readonly<Record<string, Command>> = {
  init: {
    args: '[FOLDER]',
    positionals: { least: 0, most: 1 },
    summary: 'Create a project: a contract, tests and scripts',
    details: [
      'Writes a Cairo contract with its compiled class, tests in TypeScript and a deployment script into FOLDER (default: the current folder). npm create starkbox does the same.',
      'On a terminal, the command asks for what you leave out. It never overwrites a file.',
    ],
    takes: {
      runner: ['vitest|node', 'Test runner: vitest (default), or node for node:test.'],
      yes: ['', 'Take the defaults instead of asking.'],
    },
    examples: [['starkbox init my-vault --runner vitest', '']],
    hasJson: false,
    suggests: 'paths',
    async run({ positionals: [folder], values: { runner, yes } }) {
      const { init } = await import('./init.js');
      return init({ folder, runner, yes });
    },
  },
  rpc: {
    args: 'METHOD [PARAMS...]',
    positionals: { least: 0 },
    summary: 'Call a method of a running node',
    details: [
      'Give parameters in order or as name=value. Values are words or JSON. A single JSON object or array holds all parameters; - reads them from stdin.',
      'The prefix of a method may be left out if the name is unique: mint is devnet_mint. A block number or hash is a block id.',
      'To see the parameters and the result of a method, add --help.',
    ],
    takes: {
      list: ['', 'List the methods, or the methods whose name contains a word.'],
      ...NODE,
      raw: ['', 'Print the response of the node unchanged.'],
    },
    examples: [
      ['starkbox rpc blockNumber', ''],
      ['starkbox rpc mint address=0x1 amount=1000', ''],
      ['starkbox rpc getNonce latest 0x1', ''],
      ['starkbox rpc devnet_deal --help', ''],
    ],
    hasJson: true,
    readsNode: true,
    suggests: async () => (await import('./method-names.js')).TYPED_NAMES,
    async helpOn(positionals, style) {
      const { methodHelp } = await import('./method-help.js');
      return methodHelp(positionals[0] ?? '', style);
    },
    async run({ positionals, style: { json }, values, surroundings }) {
      const { callMethod, listMethods } = await import('./rpc.js');
      if (values.list) return listMethods(positionals[0], surroundings);
      const [method, ...words] = positionals;
      if (method === undefined) throw new UsageError(withUsage('METHOD is missing', 'rpc'));
      return callMethod(method, words, { ...values, json, ...surroundings });
    },
  },
  explain: {
    args: 'HASH',
    positionals: 1,
    summary: 'Explain why a transaction failed',
    details: [
      'Prints the decoded calls of the transaction, the reason of its failure and how to fix it.',
    ],
    takes: NODE,
    hasJson: true,
    readsNode: true,
    async run({ positionals: [hash = ''], style: { json, paint, width }, values }) {
      const { ask, checkedHash, nodeOf } = await import('./wire.js');
      const explained = await ask(nodeOf(values), 'devnet_explainTransaction', {
        transaction_hash: checkedHash(hash),
      });
      if (json) return `${stringify(explained)}\n`;
      const { explanationOnTerminal } = await import('@starkbox/abi/internal');
      return `${explanationOnTerminal(explained.text, { paint, width })}\n`;
    },
  },
  gas: {
    args: '',
    positionals: 0,
    compares: true,
    summary: 'Report the gas of each function',
    details: ['Reads the transactions of a running node. The rows add up to the receipts.'],
    takes: {
      ...NODE,
      file: ['FILE', 'Read the gas.json of a test run instead of a node.'],
      ...RANGE,
      by: ['class|contract', 'One row for each function of a class (default) or of a contract.'],
      resources: ['', 'Add steps, storage writes and builtins. This runs every transaction again.'],
      flame: ['FILE', 'Write a flame graph: SVG if the name ends in .svg, else collapsed stacks.'],
      'flame-resource': [
        'NAME',
        'Resource of the flame graph: l2_gas (default), l1_gas, l1_data_gas or, with --resources, steps.',
      ],
      'save-baseline': ['FILE', 'Write the median gas of each function.'],
      baseline: ['FILE', 'Print differences from this baseline, and fail if a median grew.'],
      tolerance: ['PERCENT', 'How much a median may grow (default: 0).'],
    },
    hasJson: true,
    readsNode: true,
    async run({ style, values }) {
      const { gasReport } = await import('./gas.js');
      return gasReport(style, values);
    },
  },
  coverage: {
    args: '',
    positionals: 0,
    summary: 'Report which entry points and lines were called',
    details: ['Reads the transactions of a running node.'],
    takes: {
      lcov: ['FILE', 'Write the coverage of source lines. This runs every transaction again.'],
      artifacts: [
        'FOLDER',
        'Compiled classes with code locations, for --lcov (default: target/dev).',
      ],
      ...NODE,
      file: ['FILE', 'Read the coverage.json of a test run instead of a node.'],
      ...RANGE,
      all: ['', 'Include predeclared classes and classes of a forked network.'],
    },
    hasJson: true,
    readsNode: true,
    async run({ style, values }) {
      const { coverage } = await import('./coverage.js');
      return coverage(style, values);
    },
  },
  debug: {
    args: '[TRANSACTION|FILE]',
    positionals: { least: 0, most: 1 },
    summary: 'Step through a transaction, forwards and backwards',
    details: [
      'TRANSACTION is a hash. FILE is a bundle, or JSON with a request of starknet_call, starknet_estimateFee or starknet_simulateTransactions.',
      'On a terminal, prints the failing line with variables and reads commands. Editors start this command and use the Debug Adapter Protocol on stdin and stdout; see docs/guides/debugger.md.',
    ],
    takes: {
      ...NODE,
      artifacts: [
        'FOLDER',
        'Compiled classes with debug information (default: target/dev, if it exists).',
      ],
      'stop-on-entry': ['', 'Stop at the first line instead of the failing line.'],
      'max-steps': ['NUMBER', 'Steps to record (default: 4000000). The node keeps the last ones.'],
      'max-bytes': ['NUMBER', 'Bytes to record (default: 268435456).'],
      port: ['PORT', 'Serve editors on this port of this machine; 0 chooses one.'],
      stdio: ['', 'Serve an editor on stdin and stdout, even on a terminal.'],
    },
    examples: [
      ['starkbox debug 0x1234', ''],
      ['starkbox debug 0x1234 --port 4711', 'for an editor that connects to a port'],
    ],
    hasJson: false,
    readsNode: true,
    suggests: 'paths',
    async run({ positionals: [target], values, style }) {
      const { debug } = await import('./debug.js');
      await debug(target, values, style);
      return '';
    },
  },
  bundle: {
    args: 'HASH',
    positionals: 1,
    summary: 'Write a transaction into one file, for a debugger or a bug report',
    details: [
      'The file holds the state before the transaction, its block, its classes, and the debug information and sources that the node has. It holds no private keys.',
      "To open it, on any machine with the same version, run 'starkbox debug FILE'.",
    ],
    takes: {
      out: ['FILE', 'The file (default: the contract, the function and the hash).'],
      ...NODE,
    },
    hasJson: true,
    readsNode: true,
    async run({ positionals: [hash = ''], style, values }) {
      const { writeBundleFile } = await import('./bundle.js');
      return writeBundleFile(style, hash, values);
    },
  },
  inspect: {
    args: 'FILE',
    positionals: 1,
    summary: 'Print the content of an image of a chain',
    details: ['Checks the whole file.'],
    takes: {},
    hasJson: true,
    suggests: 'paths',
    async run({ positionals: [path = ''], style }) {
      const { inspect } = await import('./inspect.js');
      return inspect(path, style);
    },
  },
  diff: {
    args: 'OLD NEW',
    positionals: 2,
    compares: true,
    summary: 'Compare two images',
    takes: {
      names: [
        'FILE',
        'JSON file with names of addresses and storage variables: {"addresses": {"0x1234": "alice"}, "variables": ["count", "held[address]"]}. In brackets, "address" stands for every known address.',
      ],
      artifacts: [
        'FOLDER',
        'Compiled classes with names of contracts and variables (default: target/dev, if it exists).',
      ],
    },
    hasJson: true,
    suggests: 'paths',
    async run({ positionals: [oldPath = '', newPath = ''], style, values }) {
      const { diff } = await import('./diff.js');
      return diff(oldPath, newPath, style, values);
    },
  },
  fuzz: {
    args: 'FILE',
    positionals: 1,
    compares: true,
    summary: 'Search for a history of calls that violates an invariant',
    details: [
      'FILE exports defineInvariants of @starkbox/testing/properties as its default; see docs/verification/invariants.md. Uses the package @starkbox/testing of its project.',
      'Prints the shortest history and a test that repeats it. Exits with 1 if an invariant is violated.',
    ],
    takes: {
      seed: ['NUMBER', 'The same seed repeats the search (default: 0).'],
      runs: ['NUMBER', 'Histories to run (default: 256, or no limit with --seconds or --calls).'],
      depth: ['NUMBER', 'Steps of a history (default: 32).'],
      seconds: ['SECONDS', 'Stop after this time.'],
      calls: ['NUMBER', 'Stop after so many calls.'],
      workers: ['NUMBER', 'Threads (default: one for each core).'],
      corpus: [
        'FOLDER',
        'Folder of violations, which are tried first (default: in node_modules/.cache/starkbox).',
      ],
    },
    examples: [['starkbox fuzz test/vault.invariants.js --seconds 60', '']],
    hasJson: true,
    suggests: 'paths',
    async run({ positionals: [path = ''], style, values }) {
      const { fuzz } = await import('./fuzz.js');
      return fuzz(style, path, values);
    },
  },
  rehearse: {
    args: '--contract ADDRESS --class FILE',
    positionals: 0,
    compares: true,
    summary: 'Run transactions of a network with a new class of a contract',
    details: [
      'Finds the transactions that touched the contract, and runs each with its old and its new class on the state of the network before it. Prints differences of storage layout, status, return values, events, messages, storage and gas.',
      'Exits with 0 if nothing differs, 1 if something differs, and 2 on a failure. See docs/verification/rehearse-an-upgrade.md.',
    ],
    takes: {
      contract: ['ADDRESS', 'The contract.'],
      class: ['FILE', 'The new class, as the compiler wrote it.'],
      'old-class': ['FILE', 'The artifact of the present class, for the types of its storage.'],
      'fork-network': [
        'URL',
        'The network: mainnet, sepolia or a URL (default: STARKBOX_FORK_NETWORK).',
      ],
      'fork-lock': ['FILE', 'Record responses here. Later runs read them instead of the network.'],
      last: ['NUMBER', 'Run this many transactions, up to the latest block (default: 100).'],
      from: ['BLOCK', 'Run all transactions from this block on instead.'],
      to: ['BLOCK', 'The newest block, with --from (default: the latest).'],
      carry: ['', 'Carry the writes of the new class to later transactions.'],
      tolerance: [
        'PERCENT',
        'How much gas may grow (default: 0; less gas is then a difference too).',
      ],
      page: ['FILE', 'Write the report as an HTML page.'],
    },
    examples: [['starkbox rehearse --contract 0x1 --class new.json --fork-network mainnet', '']],
    hasJson: true,
    async run({ style, values, surroundings: { env } }) {
      const { rehearseUpgrade } = await import('./rehearse.js');
      return rehearseUpgrade(style, values, env);
    },
  },
  mcp: {
    args: '',
    positionals: 0,
    summary: 'Serve chains to coding agents (Model Context Protocol)',
    details: [
      'Serves on stdin and stdout. An agent can start a chain, deploy and call contracts, and read why a transaction failed. Configure the agent to start this command; see docs/guides/mcp.md.',
    ],
    takes: {
      url: ['URL', 'Use this running node from the start.'],
      'auth-token': NODE['auth-token'],
      'allowed-hosts': [
        'HOSTS',
        'Other hosts that the agent may connect to, separated by commas; * allows all.',
      ],
    },
    hasJson: false,
    async run({ values }) {
      const { serveMcp } = await import('./mcp.js');
      await serveMcp(values, values['allowed-hosts']);
      return '';
    },
  },
  completions: {
    args: SHELLS.join('|'),
    positionals: 1,
    summary: 'Print completions for bash, zsh or fish',
    takes: {},
    examples: [
      ['source <(starkbox completions bash)', 'in ~/.bashrc'],
      ['source <(starkbox completions zsh)', 'in ~/.zshrc, after compinit'],
      ['starkbox completions fish > ~/.config/fish/completions/starkbox.fish', ''],
    ],
    hasJson: false,
    suggests: SHELLS,
    async run({ positionals: [shell = ''] }) {
      const { completions } = await import('../completions/completions.js');
      const script = await completions(shell, COMMANDS, OPTIONS);
      if (script !== undefined) return script;
      throw new UsageError(`no completions for '${shell}': the shells are ${SHELLS.join(', ')}`);
    },
  },
};

export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);

/** Whether a command exits as `diff` does. */
export function isComparison(name: string): boolean {
  return COMMANDS[name]?.compares === true;
}

/** A command as help, the manual page and the reference describe it. */
export interface CommandFacts {
  readonly usage: string;
  readonly summary: string;
  readonly details: readonly string[];
  readonly options: readonly (readonly [flag: string, meaning: string])[];
  readonly examples: readonly (readonly [line: string, meaning: string])[];
}

export const COMMAND_FACTS: Readonly<Record<string, CommandFacts>> = Object.fromEntries(
  Object.entries(COMMANDS).map(([name, command]) => [name, factsOf(name, command)]),
);

function factsOf(
  name: string,
  { args, summary, details, takes, examples, hasJson }: Command,
): CommandFacts {
  const ours = Object.entries(takes).map(
    ([option, [placeholder, meaning]]): readonly [string, string] => [
      `--${option}${placeholder === '' ? '' : ` <${placeholder}>`}`,
      meaning,
    ],
  );
  const json: readonly (readonly [string, string])[] = hasJson ? [['--json', 'Print JSON.']] : [];
  const options = [...ours, ...json];
  const words = ['starkbox', name, args, options.length === 0 ? '' : '[options]'];
  return {
    usage: words.filter(Boolean).join(' '),
    summary,
    details: details ?? [],
    options,
    examples: examples ?? [],
  };
}

const withUsage = (message: string, name: string): string =>
  `${message}\nUsage: ${COMMAND_FACTS[name]?.usage}`;

/** Help of a command; undefined for a name that is none. */
export function commandHelp(name: string, style: HelpStyle): string | undefined {
  const facts = Object.hasOwn(COMMAND_FACTS, name) ? COMMAND_FACTS[name] : undefined;
  if (facts === undefined) return undefined;
  const { usage, summary, details, options, examples } = facts;
  const lines = [
    `${style.paint('bold', 'Usage:')} ${usage}`,
    '',
    ...wrapped(`${summary}.`, style.width),
    ...details.flatMap((paragraph) => ['', ...wrapped(paragraph, style.width)]),
    ...section('Options', termLines([...options, ['-h, --help', 'Print help.']], style), style),
    ...(examples.length === 0 ? [] : section('Examples', termLines(examples, style), style)),
  ];
  return `${lines.join('\n')}\n`;
}

/** The text to print; throws a `UsageError` for invalid arguments. */
export async function runCommand(
  argv: readonly string[],
  {
    env = {},
    paint = painter(false),
    width,
    readInput = async () => '',
    progress,
  }: Partial<Surroundings> = {},
): Promise<string> {
  const [name = '', ...rest] = argv;
  const command = COMMANDS[name];
  if (!command) throw new UsageError(`unknown command '${name}'`);
  const { values, positionals } = parsed(rest, name, command);
  if (values.help) {
    const style = { paint, width: helpWidth(width) };
    const isOnArguments = positionals.length > 0 && command.helpOn !== undefined;
    if (isOnArguments) return command.helpOn(positionals, style);
    return commandHelp(name, style) ?? '';
  }
  const { json, help: _help, ...options } = values;
  const unknown = Object.keys(options).find((option) => !Object.hasOwn(command.takes, option));
  if (unknown !== undefined || (json && !command.hasJson)) {
    throw new UsageError(unknownOption(name, unknown ?? 'json', command));
  }
  checkPositionals(positionals, name, command);
  const url = command.readsNode && options.file === undefined ? env['STARKBOX_URL'] : undefined;
  const token = Object.hasOwn(command.takes, 'auth-token') ? env['STARKBOX_AUTH_TOKEN'] : undefined;
  const chosen = {
    ...(url ? { url } : {}),
    ...(token ? { 'auth-token': token } : {}),
    ...options,
  };
  const surroundings = { env, paint, width, readInput, progress };
  const style = { json, paint, width, progress };
  return command.run({ positionals, values: chosen, style, surroundings });
}

function checkPositionals(
  positionals: readonly string[],
  name: string,
  { args, positionals: expected }: Command,
): void {
  const { least, most = Infinity } =
    typeof expected === 'number' ? { least: expected, most: expected } : expected;
  if (positionals.length < least) {
    const missing = args.split(' ').slice(positionals.length, least).join(' and ');
    throw new UsageError(
      withUsage(`${missing} ${/ and /.test(missing) ? 'are' : 'is'} missing`, name),
    );
  }
  const superfluous = positionals[most];
  if (superfluous !== undefined) {
    throw new UsageError(withUsage(`unexpected argument '${superfluous}'`, name));
  }
}

function unknownOption(name: string, option: string, { takes }: Command): string {
  const near = nearest(option, Object.keys(takes));
  const hint =
    near === undefined
      ? `'starkbox ${name} --help' lists its options`
      : `did you mean '--${near}'?`;
  return `unknown option '--${option}' of starkbox ${name}: ${hint}`;
}

function parsed(args: readonly string[], name: string, command: Command) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        ...OPTIONS,
      },
    });
  } catch (error) {
    const [, option] = /Unknown option '--?([^']*)'/.exec(reasonOf(error)) ?? [];
    throw new UsageError(
      option === undefined ? reasonOf(error) : unknownOption(name, option, command),
    );
  }
}
