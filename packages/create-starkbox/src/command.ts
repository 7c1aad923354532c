// The command: arguments, at most two questions on a terminal, and the next steps.
import { relative } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { DEFAULT_RUNNER, InvalidOption, newProject, RUNNER_NAMES } from './project.js';

/** A stream that may be a terminal. */
type Stream<S> = S & { readonly isTTY?: boolean };

export interface CommandStreams {
  readonly stdin: Stream<NodeJS.ReadableStream>;
  readonly stdout: Stream<NodeJS.WritableStream>;
  readonly stderr: NodeJS.WritableStream;
  /** Version of the packages of Starkbox that the project installs. */
  readonly version: string;
}

/** Arguments of the command. */
export interface CommandChoices {
  readonly folder?: string | undefined;
  readonly runner?: string | undefined;
  /** Whether to take the defaults instead of asking. */
  readonly yes?: boolean | undefined;
}

const USAGE = `Creates a project that tests and deploys a Cairo contract with Starkbox.

Usage: npm create starkbox [folder] -- [options]

  folder            where the project is written (default: the current folder)
  --runner RUNNER   test runner: ${RUNNER_NAMES.join(' or ')} (default: ${DEFAULT_RUNNER})
  --yes             take the defaults instead of asking
  --help            print this help
`;
/** npm takes options before the dashes for its own. */
const NPM_HINT =
  'hint: with npm create, write options after --, as in npm create starkbox my-vault -- --runner node';
const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

/**
 * Runs the command with its arguments.
 *
 * @returns the exit code
 */
export async function run(argv: readonly string[], streams: CommandStreams): Promise<number> {
  const { stdout, stderr } = streams;
  try {
    const { values, positionals } = parseArguments(argv);
    if (values.help) {
      stdout.write(USAGE);
      return 0;
    }
    const [folder, ...others] = positionals;
    if (others.length > 0)
      throw new InvalidOption(`unexpected argument '${others[0]}'\n${NPM_HINT}`);
    stdout.write(await newProjectCommand({ ...values, folder }, streams));
    return 0;
  } catch (error) {
    stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
    if (!(error instanceof InvalidOption)) return EXIT_FAILURE;
    stderr.write("\nFor more information, try '--help'.\n");
    return EXIT_USAGE;
  }
}

function parseArguments(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        runner: { type: 'string' },
        yes: { type: 'boolean', short: 'y' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new InvalidOption(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Writes a project, after questions about what the choices leave open. Without a terminal, defaults count.
 *
 * @returns the text to print: what was written, and the next steps
 * @throws InvalidOption if the test runner is unknown
 * @throws Error if a file of the project exists; nothing is written then
 */
export async function newProjectCommand(
  choices: CommandChoices,
  { stdin, stdout, version }: Omit<CommandStreams, 'stderr'>,
): Promise<string> {
  const isAsked = !choices.yes && stdin.isTTY === true && stdout.isTTY === true;
  const { folder = '.', runner = DEFAULT_RUNNER } = isAsked
    ? await askedFor(choices, stdin, stdout)
    : choices;
  const project = newProject({ folder, runner, version });
  return nextSteps(relative('', project.folder), project.files.length);
}

async function askedFor(
  { folder, runner }: CommandChoices,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<CommandChoices> {
  if (folder !== undefined && runner !== undefined) return { folder, runner };
  const questions = createInterface({ input, output });
  questions.on('SIGINT', () => questions.close());
  // Lines that are typed ahead wait for their question.
  const lines = questions[Symbol.asyncIterator]();
  const ask = async (question: string, fallback: string): Promise<string> => {
    questions.setPrompt(`${question} (${fallback}): `);
    questions.prompt();
    const line = await lines.next();
    if (line.done)
      throw new Error('the input ended before the last question, so nothing was written');
    return line.value.trim() || fallback;
  };
  try {
    return {
      folder: folder ?? (await ask('Folder of the project', '.')),
      runner: runner ?? (await ask(`Test runner, ${RUNNER_NAMES.join(' or ')}`, DEFAULT_RUNNER)),
    };
  } finally {
    questions.close();
  }
}

function nextSteps(folder: string, count: number): string {
  const steps = [
    ...(folder === '' ? [] : [[`cd ${/\s/.test(folder) ? `"${folder}"` : folder}`, '']]),
    ['npm install', ''],
    ['npm test', 'run the tests'],
    ['npm start', 'start a node; then, in another terminal:'],
    ['npm run deploy', 'deploy the contract to the node'],
  ];
  const lines = steps.map(([command = '', text = '']) =>
    `  ${command.padEnd(16)}${text}`.trimEnd(),
  );
  const where = folder === '' ? 'the current folder' : folder;
  return `Created ${count} files in ${where}.\n\nNext steps:\n${lines.join('\n')}\n\nREADME.md describes the project.\n`;
}
