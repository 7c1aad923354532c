// Table of the commands other than running a node. Each loads its code when it runs.

import { parseArgs } from 'node:util';
import { type Suggestions, UsageError } from '../../config/option.js';
import { reasonOf } from '../../errors.js';
import { type Paint, painter } from '../../terminal.js';
import { SHELLS } from '../completions/syntax.js';

/** Options of the commands, besides `--json` and `--help`. */
const OPTIONS = {
  names: { type: 'string', suggests: 'paths' },
  url: { type: 'string' },
  file: { type: 'string', suggests: 'paths' },
  from: { type: 'string' },
  to: { type: 'string' },
  by: { type: 'string', suggests: async () => (await import('./gas.js')).GROUPINGS },
  flame: { type: 'string', suggests: 'paths' },
  resource: { type: 'string', suggests: async () => (await import('./gas.js')).RESOURCES },
  baseline: { type: 'string', suggests: 'paths' },
  'save-baseline': { type: 'string', suggests: 'paths' },
  tolerance: { type: 'string' },
  all: { type: 'boolean' },
  lcov: { type: 'string', suggests: 'paths' },
  artifacts: { type: 'string', suggests: 'paths' },
  out: { type: 'string', suggests: 'paths' },
  resources: { type: 'boolean' },
  'instance-store': { type: 'string', suggests: 'paths' },
  'older-than': { type: 'string' },
  'dry-run': { type: 'boolean' },
  'allow-hosts': { type: 'string' },
  'account-class-custom': { type: 'string', suggests: 'paths' },
  runner: { type: 'string', suggests: async () => (await import('./init.js')).RUNNERS },
  yes: { type: 'boolean' },
} as const;
type OptionName = keyof typeof OPTIONS;
type CommandOptions = Omit<ReturnType<typeof parsed>['values'], 'json' | 'help'>;

/** The arguments of a command. */
interface Words {
  readonly positionals: readonly string[];
  readonly json: boolean;
  readonly values: Readonly<CommandOptions>;
  readonly paint: Paint;
}

interface Command {
  readonly usage: string;
  /** How many arguments there are beside the options. */
  readonly positionals: number;
  /** How many of them may be left out. */
  readonly optional?: number;
  readonly takes: readonly OptionName[];
  readonly help: string;
  /** What a shell offers as its arguments. */
  readonly suggests?: Suggestions;
  /** The text to print. */
  readonly run: (words: Words) => Promise<string>;
}

/** In the order of help. */
const COMMANDS: Readonly<Record<string, Command>> = {
  init: {
    usage: 'starkbox init [folder] [--runner vitest|node] [--yes]',
    positionals: 1,
    optional: 1,
    takes: ['runner', 'yes'],
    suggests: 'paths',
    help: `Creates a project: a Cairo contract with its compiled class, tests in TypeScript, and a deployment script.
On a terminal it asks for what you leave out. It never overwrites a file. "npm create starkbox" does the same.

  folder            where to write the project (default: the current folder)
  --runner RUNNER   test runner: vitest or node, which is node:test (default: vitest)
  --yes             take the defaults instead of asking`,
    async run({ positionals: [folder], values: { runner, yes } }) {
      const { init } = await import('./init.js');
      return init({ folder, runner, yes });
    },
  },
  inspect: {
    usage: 'starkbox inspect FILE [--json]',
    positionals: 1,
    takes: [],
    suggests: 'paths',
    help: 'Prints what an image holds. Checks all of it.',
    async run({ positionals: [path = ''], json, paint }) {
      const { inspect } = await import('./inspect.js');
      return inspect(path, { json, paint });
    },
  },
  diff: {
    usage: 'starkbox diff A B [--json] [--names FILE]',
    positionals: 2,
    takes: ['names'],
    suggests: 'paths',
    help: `Prints how the image B differs from the image A.

  --names FILE   names for addresses and storage variables, as JSON:
                 {"addresses": {"0x1234": "alice"}, "variables": ["count", "held[address]"]}
                 "address" in brackets stands for every address that is known.`,
    async run({ positionals: [oldPath = '', newPath = ''], json, values: { names }, paint }) {
      const { readNames } = await import('./slot-names.js');
      const chosenNames = names === undefined ? undefined : readNames(names);
      const { diff } = await import('./diff.js');
      return diff(oldPath, newPath, { json, paint }, chosenNames);
    },
  },
  replay: {
    usage: 'starkbox replay FILE [--url URL | --account-class-custom PATH] [--json]',
    positionals: 1,
    takes: ['url', 'account-class-custom'],
    suggests: 'paths',
    help: `Repeats the requests that --record-requests recorded, on a fresh node with the same options, and
fails if an answer differs. Times, and what depends on them, may differ. You can replay files from other
people: options of files, hosts and ports, and calls that reach a file or another host, are rejected.

  --url URL                     a node that runs, to be asked instead
  --account-class-custom PATH   the class of the accounts, if the recorded node had this option`,
    async run({ positionals: [path = ''], json, paint, values }) {
      const { replay } = await import('./replay.js');
      const { url, 'account-class-custom': accountClass } = values;
      return replay(path, { json, paint, url, accountClass });
    },
  },
  gas: {
    usage:
      'starkbox gas [--url URL | --file FILE] [--from BLOCK] [--to BLOCK] [--by class|contract]\n                       [--resources] [--json]\n                       [--flame FILE [--resource NAME]]\n                       [--save-baseline FILE | --baseline FILE [--tolerance PERCENT]]',
    positionals: 0,
    takes: [
      'url',
      'file',
      'from',
      'to',
      'by',
      'resources',
      'flame',
      'resource',
      'baseline',
      'save-baseline',
      'tolerance',
    ],
    help: `Prints what each function cost on a node that runs. The rows add up to the receipts.

  --url URL              the node (default: http://127.0.0.1:5050)
  --file FILE            the gas.json of a test run in place of a node
  --from, --to BLOCK     the oldest and the newest block (default: all blocks)
  --by class|contract    a row for each function of a class (default) or of a contract
  --resources            also steps, storage writes and builtins; every transaction is run again
  --flame FILE           writes a flame graph: SVG if the name ends in .svg, else collapsed stacks
  --resource NAME        of the flame graph: l2_gas (default), l1_gas, l1_data_gas or, with
                         --resources, steps
  --save-baseline FILE   writes the median cost of each function
  --baseline FILE        prints what differs from it, and fails if a median grew
  --tolerance PERCENT    by how much a median may grow (default: 0)`,
    async run({ json, values, paint }) {
      const { gasReport } = await import('./gas.js');
      return gasReport({ json, paint }, values);
    },
  },
  coverage: {
    usage:
      'starkbox coverage [--url URL | --file FILE] [--from BLOCK] [--to BLOCK] [--all] [--json]\n                         [--lcov FILE --artifacts FOLDER]',
    positionals: 0,
    takes: ['url', 'file', 'from', 'to', 'all', 'lcov', 'artifacts'],
    help: `Prints which entry points the transactions of a node that runs have called.

  --lcov FILE            writes the coverage of source lines; every transaction is run again
  --artifacts FOLDER     compiled classes with code locations, for --lcov (default: target/dev)
  --url URL              the node (default: http://127.0.0.1:5050)
  --file FILE            the coverage.json of a test run in place of a node
  --from, --to BLOCK     the oldest and the newest block (default: all blocks)
  --all                  also ready-made classes, and those of a forked network`,
    async run({ json, values, paint }) {
      const { coverage } = await import('./coverage.js');
      return coverage({ json, paint }, values);
    },
  },
  profile: {
    usage: 'starkbox profile HASH [--out FILE] [--artifacts FOLDER] [--url URL] [--json]',
    positionals: 1,
    takes: ['out', 'artifacts', 'url'],
    help: `Writes what the machine did in a transaction as trace data of cairo-profiler, and the classes that it
ran beside it. The transaction is run again.

  --out FILE             the trace (default: trace_HASH.json); the classes are in FILE_classes
  --artifacts FOLDER     compiled classes with the names of their functions (default: target/dev,
                         if there); without them, names are those that the node has
  --url URL              the node (default: http://127.0.0.1:5050)`,
    async run({ positionals: [hash = ''], json, values, paint }) {
      const { profile } = await import('./profile.js');
      return profile({ json, paint }, hash, values);
    },
  },
  explain: {
    usage: 'starkbox explain HASH [--url URL] [--json]',
    positionals: 1,
    takes: ['url'],
    help: `Prints why a transaction failed, with its calls decoded, and what to do about it. Of a successful
transaction it prints the calls.

  --url URL      the node (default: http://127.0.0.1:5050)`,
    async run({ positionals: [hash = ''], json, values: { url } }) {
      const { ask, LOCAL } = await import('./wire.js');
      const explained = await ask(url ?? LOCAL, 'devnet_explainTransaction', {
        transaction_hash: hash,
      });
      return `${json ? JSON.stringify(explained, null, 2) : explained.text}\n`;
    },
  },
  gc: {
    usage: 'starkbox gc --instance-store STORE [--older-than HOURS] [--dry-run] [--json]',
    positionals: 0,
    takes: ['instance-store', 'older-than', 'dry-run'],
    help: `Deletes tables in the store of hosted instances that no instance uses any more: of deleted instances, and
those that were merged into larger ones. Nodes may run meanwhile, except on a folder.

  --instance-store STORE   the folder or bucket, as the nodes have it
  --older-than HOURS       younger tables stay (default: 24, which is also the least of a bucket)
  --dry-run                prints what would be deleted`,
    async run({ json, values }) {
      const { loadHosting } = await import('../../node/instance-store.js');
      const { collect } = await loadHosting();
      const { 'instance-store': store, 'older-than': hours, 'dry-run': isDryRun = false } = values;
      return collect({ store, hours, isDryRun, json });
    },
  },
  mcp: {
    usage: 'starkbox mcp [--url URL] [--allow-hosts HOSTS]',
    positionals: 0,
    takes: ['url', 'allow-hosts'],
    help: `Serves the Model Context Protocol on stdin and stdout, so that a coding agent can start a chain, deploy and
call contracts, and read why a transaction failed. The agent's program starts it; docs/guides/mcp.md says how.

  --url URL              a node that runs, to be used from the start
  --allow-hosts HOSTS    hosts besides this machine that the agent may connect to, separated by commas; * for all`,
    async run({ values: { url, 'allow-hosts': hosts } }) {
      const { serveMcp } = await import('./mcp.js');
      await serveMcp(url, hosts);
      return '';
    },
  },
  completions: {
    usage: `starkbox completions ${SHELLS.join('|')}`,
    positionals: 1,
    takes: [],
    suggests: SHELLS,
    help: `Prints a script that completes the command line in a shell.

  bash: source <(starkbox completions bash)     in ~/.bashrc
  zsh:  source <(starkbox completions zsh)      in ~/.zshrc, after compinit
  fish: starkbox completions fish > ~/.config/fish/completions/starkbox.fish`,
    async run({ positionals: [shell = ''] }) {
      const { completions } = await import('../completions/completions.js');
      const script = await completions(shell, COMMANDS, OPTIONS);
      if (script !== undefined) return script;
      throw new UsageError(`no completions for '${shell}': the shells are ${SHELLS.join(', ')}`);
    },
  },
};

export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);

/** What the manual page and the reference say of each command. */
export const COMMAND_FACTS: Readonly<
  Record<string, { readonly usage: string; readonly help: string }>
> = COMMANDS;

/** The text to print; throws a `UsageError` for invalid arguments. */
export function runCommand(argv: readonly string[], coloured: boolean): Promise<string> {
  const [name = '', ...rest] = argv;
  const command = COMMANDS[name];
  if (!command) throw new UsageError(`unknown command '${name}'`);
  const { values, positionals } = parsed(rest);
  if (values.help) {
    return Promise.resolve(`${command.help}\n\nUsage: ${command.usage}\n`);
  }
  const { json, help: _help, ...options } = values;
  const isUnknown = Object.keys(options).some(
    (name) => !command.takes.some((option) => option === name),
  );
  const least = command.positionals - (command.optional ?? 0);
  const isCountWrong = positionals.length < least || positionals.length > command.positionals;
  if (isCountWrong || isUnknown) {
    throw new UsageError(`usage: ${command.usage}`);
  }
  return command.run({ positionals, json, values: options, paint: painter(coloured) });
}

function parsed(args: readonly string[]) {
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
    throw new UsageError(reasonOf(error));
  }
}
