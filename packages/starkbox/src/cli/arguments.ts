// Command line: arguments, precedence of option sources, and help.
import { createRequire } from 'node:module';
import type { Command, Option as CommandOption, Help } from 'commander';
import type { Environment } from '../config/environment.js';
import { readConfigFile } from '../config/file.js';
import {
  defaultText,
  environmentExamples,
  environmentNames,
  longName,
  UsageError,
} from '../config/option.js';
import {
  CONFIG_KEYS,
  type Config,
  type ConfigKey,
  defaultConfig,
  OPTIONS,
} from '../config/options.js';
import { checkConfig, checkGiven, withOrigin } from '../config/rules.js';
import { fromWhere, type OptionValues, readSources, type Source } from '../config/source.js';
import { packageVersion } from '../node/version.js';
import { type Paint, painter } from '../terminal.js';

/** Names that the program can be started under. */
const PROGRAM_NAMES = ['starkbox', 'starknet-devnet'] as const;

export type ProgramName = (typeof PROGRAM_NAMES)[number];

export type CommandLine =
  /** Help or the version was asked for. */
  | { readonly kind: 'answer'; readonly text: string }
  | {
      readonly kind: 'start';
      readonly config: Config;
      readonly settings: OptionValues;
      /** Options that variables set, each with its variable. */
      readonly fromEnvironment: readonly string[];
      /** The config file that was read. */
      readonly configFile: string | undefined;
      /** The name that the line about listening is written for. */
      readonly name: ProgramName;
      /** A Unix socket on which a test harness waits for the port. */
      readonly portSocket: string | undefined;
    };

export interface Surroundings {
  readonly env: Environment;
  /** Where relative paths begin and config files are looked for. */
  readonly directory: string;
  /** Whether help is to be coloured. */
  readonly coloured: boolean;
}

interface Words {
  readonly texts: ReadonlyMap<ConfigKey, string>;
  readonly configFile?: string | undefined;
  /** Help or version. */
  readonly answer?: string | undefined;
}

const CONFIG_FILE_VARIABLE = 'STARKBOX_CONFIG';
const NAME_VARIABLE = 'STARKBOX_AS';
const HELP_WIDTH = 80;
const INDENT = ' '.repeat(6);
const FACTS_WIDTH = HELP_WIDTH - INDENT.length - 1;
/** Placeholders for a non-breaking space, and for the start of the facts. */
const UNBROKEN = '\u{e000}';
const FACTS = '\u{e001}';
export const EXAMPLES = `  starkbox --seed 0                       the same accounts every time
  starkbox --block-generation-on demand   blocks only when asked for
  starkbox --port 0 --no-banner           any free port, and little output
  starkbox inspect FILE                   what an image of a chain holds
  starkbox diff A B                       how two images differ
  starkbox replay FILE                    recorded requests once more
  starkbox gas                         gas by function, of a node that runs
  starkbox coverage                       entry points that were called
  starkbox profile HASH                   a trace for cairo-profiler
  starkbox explain HASH                   why a transaction failed
  starkbox completions bash               completions, also for zsh and fish`;

/** Throws a `UsageError` for invalid arguments and a `ConfigError` for an invalid combination. */
export async function readConfig(
  argv: readonly string[],
  { env, directory, coloured }: Surroundings,
): Promise<CommandLine> {
  const words = readWords(argv, painter(coloured));
  if (words.answer !== undefined) return { kind: 'answer', text: words.answer };
  const configPath = words.configFile ?? (env[CONFIG_FILE_VARIABLE] || undefined);
  const file = await readConfigFile(directory, configPath);

  const variables = environmentSource(env);
  const settings = readSources([
    { texts: words.texts, name: (key) => `'${OPTIONS[key].flag}'` },
    variables,
    ...(file ? [file.source] : []),
  ]);
  const config = defaultConfig(settings.values);
  const from = (key: ConfigKey): string => fromWhere(key, settings);
  checkGiven(settings.keys, config, { name: (key) => OPTIONS[key].flag, from });
  try {
    checkConfig(config);
  } catch (error) {
    throw withOrigin(error, settings.origins);
  }
  const portSocket = env['UNIX_SOCKET'] || undefined;
  const name = programName(env[NAME_VARIABLE] || 'starkbox');
  const fromEnvironment = [...variables.names]
    .filter(([key]) => !words.texts.has(key))
    .map(([key, variable]) => `${longName(OPTIONS[key])} (${variable})`);
  return {
    kind: 'start',
    config,
    settings,
    fromEnvironment,
    configFile: file?.name,
    name,
    portSocket,
  };
}

/** Not an option with a short variable: `AS` belongs to compilers. */
function programName(text: string): ProgramName {
  const name = PROGRAM_NAMES.find((program) => program === text);
  if (name !== undefined) return name;
  throw new UsageError(
    `invalid value '${text}' for the environment variable ${NAME_VARIABLE}: must be ${PROGRAM_NAMES.join(' or ')}`,
  );
}

/** An empty variable counts as unset. */
function environmentSource(
  env: Environment,
): Source & { readonly names: ReadonlyMap<ConfigKey, string> } {
  const texts = new Map<ConfigKey, string>();
  const names = new Map<ConfigKey, string>();
  for (const key of CONFIG_KEYS) {
    const variable = environmentNames(OPTIONS[key]).find((name) => (env[name] ?? '') !== '');
    const { fallback } = OPTIONS[key];
    const name = variable ?? fallback?.variable;
    if (name === undefined) continue;
    const text = variable === undefined ? fallback?.read(env[name] ?? '') : env[variable];
    if (text === undefined) continue;
    texts.set(key, text);
    names.set(key, name);
  }
  return {
    texts,
    names,
    name: (key) => `'${OPTIONS[key].flag}' from the environment variable ${names.get(key)}`,
    origin: (key) => `the variable ${names.get(key)}`,
  };
}

/**
 * Loads commander only if there are arguments, and by `require`: that takes 10 ms, `import` takes 20,
 * because Node then searches its CommonJS for exports first.
 */
function readWords(argv: readonly string[], paint: Paint): Words {
  if (argv.length === 0) return { texts: new Map() };
  const require = createRequire(import.meta.url);
  const commander: typeof import('commander') = require('commander');
  let answer = '';
  const program = new commander.Command('starkbox')
    .usage('[options]')
    .description(
      'A local Starknet for developers. An option counts as an argument first, then as an environment variable, then in a config file.',
    )
    .addHelpText('after', `\n${paint('bold', 'Examples:')}\n${EXAMPLES}`)
    .exitOverride()
    .allowExcessArguments(true)
    .configureHelp(helpStyle(paint))
    .configureOutput({
      writeOut: (text) => {
        answer += text;
      },
      writeErr: () => {},
      getOutHasColors: () => true,
      getOutHelpWidth: () => HELP_WIDTH,
    });
  const options = addOptions(program, (flags, help) => new commander.Option(flags, help));
  try {
    program.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof commander.CommanderError)) throw error;
    if (error.exitCode === 0) return { texts: new Map(), answer };
    throw new UsageError(error.message.replace(/^error: /, ''));
  }
  if (program.args[0] !== undefined) {
    throw new UsageError(`unexpected argument '${program.args[0]}' found`);
  }
  const values: Record<string, unknown> = program.opts();
  const texts = new Map<ConfigKey, string>();
  for (const [key, option] of options) {
    // Commander gives a flag that is switched off by `--no-…` the value true when it is absent.
    if (program.getOptionValueSource(option.attributeName()) !== 'cli') continue;
    const value = values[option.attributeName()];
    const { separator = ' ' } = OPTIONS[key];
    texts.set(key, Array.isArray(value) ? value.join(separator) : String(value));
  }
  const configFile = values['config'];
  return { texts, configFile: typeof configFile === 'string' ? configFile : undefined };
}

function addOptions(
  program: Command,
  create: (flags: string, help: string) => CommandOption,
): ReadonlyMap<ConfigKey, CommandOption> {
  const options = new Map<ConfigKey, CommandOption>();
  for (const key of CONFIG_KEYS) {
    const { flag, short, group } = OPTIONS[key];
    const flags = short === undefined ? flag : `${short}, ${flag}`;
    const option = create(flags, helpText(key)).helpGroup(`${group}:`);
    options.set(key, option);
    program.addOption(option);
  }
  const file = withFacts(
    'A file with options: JSON, or a module that exports an object.',
    'default: starkbox.config.json or .mjs, if there',
    `env: ${CONFIG_FILE_VARIABLE}`,
  );
  program.optionsGroup('More:').addOption(create('--config <FILE>', file));
  program.version(`starkbox ${packageVersion()}`, '-V, --version', 'Print the version.');
  program.helpOption('-h, --help', 'Print this.');
  return options;
}

function helpText(key: ConfigKey): string {
  const option = OPTIONS[key];
  const preset = defaultText(option);
  return withFacts(
    option.help,
    ...(preset === undefined ? [] : [`default: ${preset}`]),
    `env: ${environmentExamples(option).join(' or ')}`,
    ...(option.fallback === undefined ? [] : [`or: ${option.fallback.variable}`]),
    ...(option.field === undefined ? [] : [`config: ${option.field}`]),
  );
}

/** Facts in brackets, with spaces that do not break, so that those that fit into a line stay together. */
function withFacts(help: string, ...facts: readonly string[]): string {
  const all = facts.map((fact) => `[${fact}]`);
  const joined = all.join(' ').length <= FACTS_WIDTH ? [all.join(' ')] : all;
  const unbroken = joined.map((fact) =>
    fact.length <= FACTS_WIDTH ? fact.replaceAll(' ', UNBROKEN) : fact,
  );
  return `${help} ${FACTS}${unbroken.join(' ')}`;
}

/** The text of an option starts on a line of its own: long names leave no room for two columns. */
function helpStyle(paint: Paint): Partial<Help> {
  return {
    styleTitle: (text) => paint('bold', text),
    styleOptionTerm: (text) => paint('cyan', text),
    formatItem: (term, _, description, helper) => {
      const [text = '', facts = ''] = helper
        .boxWrap(description, HELP_WIDTH - INDENT.length)
        .replaceAll(UNBROKEN, ' ')
        .split(FACTS);
      return `  ${term}\n${`${text}${paint('dim', facts)}`.replaceAll(/^/gm, INDENT)}`;
    },
  };
}
