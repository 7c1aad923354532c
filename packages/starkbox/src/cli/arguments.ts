// Command line: arguments, and precedence of option sources.
import type { Environment } from '../config/environment.js';
import { readConfigFile, wrongConfigFiles } from '../config/file.js';
import { longName, UsageError } from '../config/option.js';
import { type Config, type ConfigKey, defaultConfig, OPTIONS } from '../config/options.js';
import { checkConfig, checkGiven, withOrigin } from '../config/rules.js';
import { fromWhere, type OptionValues, readSources } from '../config/source.js';
import { environmentSource } from '../config/variables.js';
import { packageVersion } from '../node/version.js';
import type { HelpStyle } from './commands/help-text.js';
import { helpOn } from './help.js';
import { readWords } from './words.js';

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
      /** Sentences about variables and files that were ignored. */
      readonly warnings: readonly string[];
      /** The name that the line about listening is written for. */
      readonly name: ProgramName;
      /** A Unix socket on which a test harness waits for the port. */
      readonly portSocket: string | undefined;
    };

export interface Surroundings {
  readonly env: Environment;
  /** Where relative paths begin and config files are looked for. */
  readonly directory: string;
  readonly style: HelpStyle;
}

const CONFIG_FILE_VARIABLE = 'STARKBOX_CONFIG';
const NAME_VARIABLE = 'STARKBOX_AS';

/** Throws a `UsageError` for invalid arguments and a `ConfigError` for an invalid combination. */
export async function readConfig(
  argv: readonly string[],
  { env, directory, style }: Surroundings,
): Promise<CommandLine> {
  const words = readWords(argv);
  if (words.kind === 'version') return { kind: 'answer', text: `starkbox ${packageVersion()}\n` };
  if (words.kind === 'help') return { kind: 'answer', text: helpOn(words.topic, style) };
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
    warnings: [...variables.warnings, ...(file ? [] : wrongConfigFiles(directory))],
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
