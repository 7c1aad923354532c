// Markdown of docs/reference/options.md, from the table of options.
import { keysOf, optionFacts } from '../../packages/starkbox/dist/cli/help.js';
import { GROUPS, RESTRICTED_BY_DEFAULT } from '../../packages/starkbox/dist/config/option.js';
import { CONFIG_KEYS, OPTIONS } from '../../packages/starkbox/dist/config/options.js';
import { OTHER_VARIABLES } from '../../packages/starkbox/dist/config/variables.js';

/** @typedef {(typeof CONFIG_KEYS)[number]} ConfigKey */

const INTRO = `# Options

Set an option as an argument, as an environment variable or in a config file. Arguments count first, then variables,
then the file. \`createChain\` takes the same keys as the config file and throws the same errors.

\`starkbox --help\` prints the options that you need most, \`starkbox --help all\` prints every option, and
\`starkbox help fork\` prints one group. Some options also have the name that Anvil uses, such as \`--fork-url\`.
For other options of Anvil, Hardhat and Katana, the error names the option to use.

## Config file

The node reads \`starkbox.config.json\`, or the default export of \`starkbox.config.mjs\`, from the working directory.
\`--config FILE\` or the variable \`STARKBOX_CONFIG\` names another file. JSON keeps numbers of any size exact. In a
module, write large numbers as strings or BigInts.

\`\`\`json
{ "seed": 0, "accounts": 3, "initialBalance": 5000000000000000000000, "blockGenerationOn": "demand" }
\`\`\`

A file with another name, such as \`starkbox.config.ts\`, is not read: the log warns and gives the right name.

## Environment variables

Every option has a variable that begins with \`STARKBOX_\`. An empty variable counts as unset. The variable of a flag
holds \`true\` or \`false\`. The first line of the log names the options that variables have set. The log warns about
unknown variables that begin with \`STARKBOX_\`.

Variables of starknet-devnet, such as \`PORT\`, work too. Prefer the variable with \`STARKBOX_\`, which also counts first,
because \`HOST\` or \`SEED\` may belong to another program. The node ignores a variable without the prefix, with a
warning, if its value is not valid: \`UI=1\`, for example. \`HOST\` must be an IP address or \`localhost\`, because some
shells set it to the name of the machine.

The log options also follow \`RUST_LOG\` [if their own variables are unset](../start/from-starknet-devnet.md#logs).

These variables belong to no option:

| variable | meaning |
| --- | --- |
${Object.entries(OTHER_VARIABLES)
  .map(([name, meaning]) => `| \`${name}\` | ${meaning} |`)
  .join('\n')}

See [Files](files.md#environment-variables) for variables of other programs.
`;

const OUTRO = `## Output and exit codes

The banner goes to stdout, and the log goes to stderr. When the node listens, it prints one line to stdout:
\`Starkbox listening on http://127.0.0.1:5050 (wallets: http://localhost:5050)\`. Programs can wait for this line.
With \`STARKBOX_AS=starknet-devnet\`, it is [the line of starknet-devnet](../start/from-starknet-devnet.md), and the log
goes to stdout too.

A line of the \`pretty\` log begins with the seconds since the start. A line of the \`json\` log has the time of day.
Colours appear on a terminal only: \`NO_COLOR=1\` turns them off, and \`FORCE_COLOR=1\` turns them on in a pipe. See
[terminal output](../features/logs-and-traces.md#terminal-output).

See [exit codes](errors.md#exit-codes). A second signal ends the node at once, without waiting for open requests.

## In CI

A signal to \`npx starkbox\` ends npx and may leave the node running. Start the command itself, to end the
node:

\`\`\`sh no-run: ends a process of yours
node_modules/.bin/starkbox --seed 0 &
node=$!
# … tests …
kill $node
\`\`\`

If you must use npx, add \`--exit-with-parent\` (\`STARKBOX_EXIT_WITH_PARENT=true\`). The node then ends within a second
after the process that started it. Under npm on Linux, it also ends after npm.

## Restricted methods

\`--restrictive-mode\` takes method names with any prefix. A name also restricts its alias. The variable holds names
with commas or spaces between them; \`true\` stands for the default list, as the flag without names does. An empty
variable, or an empty list in a config file, restricts nothing. Restricting \`devnet_getConfig\` also restricts
\`GET /config\`.

The default list has every \`devnet_\` method that changes the chain or the node, reads or writes files, or shows keys.
Transactions still work. While \`devnet_getPredeployedAccounts\` is restricted, \`devnet_getConfig\` returns \`null\` as
the seed, because keys follow from it. To restrict fewer methods, name them. The list:

${RESTRICTED_BY_DEFAULT.map((name) => `- \`${name}\``).join('\n')}

## Options in devnet_getConfig

| key | field of \`devnet_getConfig\` |
| --- | --- |
${CONFIG_KEYS.flatMap((key) => {
  const { field } = OPTIONS[key];
  return field === undefined ? [] : [`| \`${key}\` | \`${field}\` |`];
}).join('\n')}
`;

/** @returns {string} */
export function optionsPage() {
  const groups = /** @type {(keyof typeof GROUPS)[]} */ (Object.keys(GROUPS));
  return [INTRO, ...groups.map(section), OUTRO].join('\n');
}

/** @param {keyof typeof GROUPS} group */
function section(group) {
  return [
    `## ${GROUPS[group]}`,
    '',
    '| option | variable | key | value | default | meaning |',
    '| --- | --- | --- | --- | --- | --- |',
    ...keysOf(group).map(row),
    '',
  ].join('\n');
}

/** @param {ConfigKey} key */
function row(key) {
  const { names, variables, values, default: preset, help } = optionFacts(key);
  /** @param {readonly string[]} words */
  const code = (words) => words.map((word) => `\`${word}\``).join(', ');
  const cells = [
    code(names),
    code(variables),
    `\`${key}\``,
    values ?? '',
    preset ?? '',
    marked(help),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/**
 * A sentence in which names of functions and asterisks are code.
 *
 * @param {string} text
 */
function marked(text) {
  return text.replaceAll(/__\w+__/g, '`$&`').replaceAll(/(?<=\s)\*(?=\s)/g, '`*`');
}
