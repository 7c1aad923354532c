// Markdown of docs/reference/commands.md, from the table of commands.

/**
 * @param {Readonly<Record<string, { readonly usage: string, readonly help: string }>>} commands
 * @returns {string}
 */
export function commandsPage(commands) {
  const sections = Object.entries(commands).map(
    ([name, { usage, help }]) => `## starkbox ${name}\n\n\`\`\`text\n${usage}\n\n${help}\n\`\`\`\n`,
  );
  const names = Object.keys(commands).map((name) => `[\`${name}\`](#starkbox-${name})`);
  return `# Commands

\`starkbox\` without a command starts a node; its arguments are the [options](options.md). \`starkbox --help\` lists them, and
\`starkbox --version\` prints the version. The other commands are ${names.join(', ')}. Each has \`--help\`; those that print
data have \`--json\`.

${sections.join('\n')}
[Exit codes](errors.md#exit-codes): 0 if it succeeded, 1 if it failed, 2 for wrong arguments.
`;
}
