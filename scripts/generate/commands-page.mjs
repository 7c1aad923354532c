// Markdown of docs/reference/commands.md, from the table of commands.

/** @typedef {import('../../packages/starkbox/dist/cli/commands/command.js').CommandFacts} CommandFacts */

/**
 * @param {Readonly<Record<string, CommandFacts>>} commands
 * @returns {string}
 */
export function commandsPage(commands) {
  const rows = Object.entries(commands).map(
    ([name, { summary }]) => `| [\`${name}\`](#starkbox-${name}) | ${summary} |`,
  );
  return `# Commands

\`starkbox\` or \`starkbox start\` starts a node; its arguments are the [options](options.md). \`starkbox --version\` or
\`-v\` prints the version. \`starkbox help\` takes a command or a topic, such as \`starkbox help limits\`.

| command | meaning |
| --- | --- |
| \`start\` | Start a node (the default command) |
${rows.join('\n')}
| \`help\` | Print help on a command or a topic |

Each command has \`--help\`. Commands that print data have \`--json\`. Commands that read a node use the node at
\`http://127.0.0.1:5050\`; \`--url\` or the variable \`STARKBOX_URL\` names another node.

The exit code is 0 on success, 1 on failure and 2 for wrong arguments. \`diff\` and \`gas --baseline\` exit with
0 if both sides are equal, 1 if they differ, and 2 on any error. See [exit codes](errors.md#exit-codes).

${Object.entries(commands).map(commandSection).join('\n')}`;
}

/** @param {[string, CommandFacts]} entry */
function commandSection([name, { usage, summary, details, options, examples }]) {
  const table = [
    '| option | meaning |',
    '| --- | --- |',
    ...options.map(([flag, meaning]) => `| \`${escaped(flag)}\` | ${escaped(meaning)} |`),
  ].join('\n');
  const lines = examples.map(([line, meaning]) =>
    meaning === '' ? line : `${line}  # ${meaning}`,
  );
  return [
    `## starkbox ${name}`,
    `${summary}.`,
    `\`\`\`text\n${usage}\n\`\`\``,
    ...details.map(escapedParagraph),
    ...(options.length === 0 ? [] : [table]),
    ...(lines.length === 0 ? [] : [`Examples:\n\n\`\`\`text\n${lines.join('\n')}\n\`\`\``]),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('|', '\\|');
}

/**
 * A paragraph in which asterisks and words in brackets stay as they are.
 *
 * @param {string} text
 */
function escapedParagraph(text) {
  return text.replaceAll('*', '\\*').replaceAll('<', '&lt;');
}
