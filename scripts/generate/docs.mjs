// Generator of pages in docs/reference and of the manual page from the table of options, the table of commands and the
// OpenRPC documents, so that they cannot differ from the node.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND_FACTS } from '../../packages/starkbox/dist/cli/commands/command.js';
import {
  defaultText,
  environmentExamples,
  RESTRICTED_BY_DEFAULT,
} from '../../packages/starkbox/dist/config/option.js';
import { CONFIG_KEYS, OPTIONS } from '../../packages/starkbox/dist/config/options.js';
import { ROOT } from '../cargo.mjs';
import { commandsPage } from './commands-page.mjs';
import { readDocuments } from './documents.mjs';
import { errorsPage } from './errors-page.mjs';
import { examples } from './examples.mjs';
import { manPage } from './man-page.mjs';
import { methodsPages } from './methods-page.mjs';
import { versionsPage } from './versions-page.mjs';

const DOCS = join(ROOT, 'docs/reference');

const INTRO = `# Options

An option can be an argument, an environment variable or a key of a config file. If it is given more than
once, the argument counts first, then the variable, then the file. \`createChain\` takes the same keys, and
refuses unknown keys and wrong values in the same words.

Variables begin with \`STARKBOX_\`. Options that starknet-devnet also has can be set by its variable too, such as
\`PORT\`; if both are set, the one with \`STARKBOX_\` counts. Prefer that one, because \`HOST\` or \`SEED\` may belong to
another program. The first line of the log names the options that came from the environment.

A config file is \`starkbox.config.json\`, or \`starkbox.config.mjs\` with an object as its default export, in
the directory where the node is started; \`--config FILE\` or the variable \`STARKBOX_CONFIG\` names another
one. Numbers too large for JavaScript are exact in JSON, and strings or BigInts in a module:

\`\`\`json
{ "seed": 0, "accounts": 3, "initialBalance": 5000000000000000000000, "blockGenerationOn": "demand" }
\`\`\`

The log options also follow \`RUST_LOG\`, [where their own variables are unset](../start/from-starknet-devnet.md#logs).

A variable that is empty counts as unset. Those of flags hold \`true\` or \`false\`.

Logs go to stderr. The banner goes to stdout, and after it, with or without a banner, one line when the node
answers: \`Starkbox listening on http://127.0.0.1:5050 (in wallets: http://localhost:5050)\`. Tools read both. With
\`STARKBOX_AS=starknet-devnet\` that line is [the one of starknet-devnet](../start/from-starknet-devnet.md), and the
log is on stdout too.

The \`pretty\` format begins a line of the log with the seconds since the start and has colours on a terminal only; the
\`json\` format has the time of day. The format does not depend on where stderr leads. \`NO_COLOR\` turns colours off.

The exit code is 0 after a signal, 1 if the node cannot do what it is asked or cannot listen, and 2 if the
options cannot be understood. A second signal ends the node at once, without waiting for open requests.
`;

const OUTRO = `## In CI

A signal to \`npx starkbox\` ends npx, and may leave the node running with its port taken. Start the command
itself, so that the process you end is the node:

\`\`\`sh no-run: ends a process of yours
node_modules/.bin/starkbox --seed 0 &
node=$!
# … tests …
kill $node
\`\`\`

Where npx has to be between, \`--exit-with-parent\` (\`STARKBOX_EXIT_WITH_PARENT=true\`) ends the node within a second
after the process that started it is gone, as SIGTERM would; under npm on Linux, also when npm itself is gone.

## Restricted methods

\`--restrictive-mode\` takes method names in any of the four prefixes. A name also forbids its alias. The
variable holds names with commas or spaces between them; \`true\` stands for the default list, as the flag
without names does. An empty variable, or an empty list in a config file, forbids nothing. With
\`devnet_getConfig\`, \`GET /config\` is forbidden too.

The default list has every \`devnet_\` method that changes the chain or the node, reads or writes files, or
shows keys; transactions can still be sent. While \`devnet_getPredeployedAccounts\` is forbidden,
\`devnet_getConfig\` shows \`null\` as the seed, because the keys follow from it. To forbid fewer methods, name
them. The list:

${RESTRICTED_BY_DEFAULT.map((name) => `- \`${name}\``).join('\n')}
`;

const groups = [...new Set(CONFIG_KEYS.map((key) => OPTIONS[key].group))];
const page = [INTRO, ...groups.map(section), OUTRO].join('\n');
mkdirSync(DOCS, { recursive: true });
writeFileSync(join(DOCS, 'options.md'), page);

const MANUAL = join(ROOT, 'packages/starkbox/man');
mkdirSync(MANUAL, { recursive: true });
writeFileSync(join(MANUAL, 'starkbox.1'), manPage());

const documents = readDocuments();
const methods = methodsPages(documents, await examples());
rmSync(join(DOCS, 'methods'), { recursive: true, force: true });
mkdirSync(join(DOCS, 'methods'));
for (const [path, text] of methods) {
  writeFileSync(join(DOCS, path), text);
}
const versions = join(DOCS, 'versions.md');
writeFileSync(versions, versionsPage(readFileSync(versions, 'utf8')));
writeFileSync(join(DOCS, 'errors.md'), errorsPage(documents));
writeFileSync(join(DOCS, 'commands.md'), commandsPage(COMMAND_FACTS));

/** @param {string} group */
function section(group) {
  const rows = CONFIG_KEYS.filter((key) => OPTIONS[key].group === group).map(row);
  const head = [
    '| option | variable | key | default | meaning | in `devnet_getConfig` |',
    '| --- | --- | --- | --- | --- | --- |',
  ];
  return [`## ${group}`, '', ...head, ...rows, ''].join('\n');
}

/** @param {(typeof CONFIG_KEYS)[number]} key */
function row(key) {
  const option = OPTIONS[key];
  const names = [option.short, option.flag].filter((name) => name !== undefined);
  const preset = defaultText(option);
  const cells = [
    names.map((name) => `\`${name}\``).join(', '),
    [...environmentExamples(option), ...(option.fallback ? [option.fallback.variable] : [])]
      .map((name) => `\`${name}\``)
      .join(', '),
    `\`${key}\``,
    preset ?? '',
    option.help,
    option.field === undefined ? '' : `\`${option.field}\``,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
