// Table of the commands other than running a node. Each loads its code when it runs.
import { UsageError } from '../../config/option.js';
import { stringify } from '../../json/json.js';
import { SHELLS } from '../completions/syntax.js';
import { BUNDLE, COVERAGE, DEBUG, DIFF, FUZZ, GAS, NODE, REHEARSE } from './options.js';
import { type Command, command } from './row.js';

/** In the order of help. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  init: command({
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
  }),
  rpc: command({
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
      if (method === undefined)
        throw new UsageError('METHOD is missing\nUsage: starkbox rpc METHOD [PARAMS...] [options]');
      return callMethod(method, words, { ...values, json, ...surroundings });
    },
  }),
  explain: command({
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
  }),
  gas: command({
    args: '',
    positionals: 0,
    compares: true,
    summary: 'Report the gas of each function',
    details: ['Reads the transactions of a running node. The rows add up to the receipts.'],
    takes: GAS,
    hasJson: true,
    readsNode: true,
    async run({ style, values }) {
      const { gasReport } = await import('./gas.js');
      return gasReport(style, values);
    },
  }),
  coverage: command({
    args: '',
    positionals: 0,
    summary: 'Report which entry points and lines were called',
    details: ['Reads the transactions of a running node.'],
    takes: COVERAGE,
    hasJson: true,
    readsNode: true,
    async run({ style, values }) {
      const { coverage } = await import('./coverage.js');
      return coverage(style, values);
    },
  }),
  debug: command({
    args: '[TRANSACTION|FILE]',
    positionals: { least: 0, most: 1 },
    summary: 'Step through a transaction, forwards and backwards',
    details: [
      'TRANSACTION is a hash. FILE is a bundle, or JSON with a request of starknet_call, starknet_estimateFee or starknet_simulateTransactions.',
      'On a terminal, prints the failing line with variables and reads commands. Editors start this command and use the Debug Adapter Protocol on stdin and stdout; see docs/guides/debugger.md.',
    ],
    takes: DEBUG,
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
  }),
  bundle: command({
    args: 'HASH',
    positionals: 1,
    summary: 'Write a transaction into one file, for a debugger or a bug report',
    details: [
      'The file holds the state before the transaction, its block, its classes, and the debug information and sources that the node has. It holds no private keys.',
      "To open it, on any machine with the same version, run 'starkbox debug FILE'.",
    ],
    takes: BUNDLE,
    hasJson: true,
    readsNode: true,
    async run({ positionals: [hash = ''], style, values }) {
      const { writeBundleFile } = await import('./bundle.js');
      return writeBundleFile(style, hash, values);
    },
  }),
  inspect: command({
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
  }),
  diff: command({
    args: 'OLD NEW',
    positionals: 2,
    compares: true,
    summary: 'Compare two images',
    takes: DIFF,
    hasJson: true,
    suggests: 'paths',
    async run({ positionals: [oldPath = '', newPath = ''], style, values }) {
      const { diff } = await import('./diff.js');
      return diff(oldPath, newPath, style, values);
    },
  }),
  fuzz: command({
    args: 'FILE',
    positionals: 1,
    compares: true,
    summary: 'Search for a history of calls that violates an invariant',
    details: [
      'FILE exports defineInvariants of @starkbox/testing/properties as its default; see docs/verification/invariants.md. Uses the package @starkbox/testing of its project.',
      'Prints the shortest history and a test that repeats it. Exits with 1 if an invariant is violated.',
    ],
    takes: FUZZ,
    examples: [['starkbox fuzz test/vault.invariants.js --seconds 60', '']],
    hasJson: true,
    suggests: 'paths',
    async run({ positionals: [path = ''], style, values }) {
      const { fuzz } = await import('./fuzz.js');
      return fuzz(style, path, values);
    },
  }),
  rehearse: command({
    args: '--contract ADDRESS --class FILE',
    positionals: 0,
    compares: true,
    summary: 'Run transactions of a network with a new class of a contract',
    details: [
      'Finds the transactions that touched the contract, and runs each with its old and its new class on the state of the network before it. Prints differences of storage layout, status, return values, events, messages, storage and gas.',
      'Exits with 0 if nothing differs, 1 if something differs, and 2 on a failure. See docs/verification/rehearse-an-upgrade.md.',
    ],
    takes: REHEARSE,
    examples: [['starkbox rehearse --contract 0x1 --class new.json --fork-network mainnet', '']],
    hasJson: true,
    async run({ style, values, surroundings: { env } }) {
      const { rehearseUpgrade } = await import('./rehearse.js');
      return rehearseUpgrade(style, values, env);
    },
  }),
  mcp: command({
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
  }),
  completions: command({
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
      const script = await completions(shell, COMMANDS);
      if (script !== undefined) return script;
      throw new UsageError(`no completions for '${shell}': the shells are ${SHELLS.join(', ')}`);
    },
  }),
};
