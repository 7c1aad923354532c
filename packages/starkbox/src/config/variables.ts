// Environment variables: those of options, and those that other parts of this project read.
import { nearest } from '../nearest-word.js';
import { shortenText } from '../terminal.js';
import type { Environment } from './environment.js';
import { environmentName, environmentNames, InvalidValue } from './option.js';
import { CONFIG_KEYS, type ConfigKey, OPTIONS } from './options.js';
import type { Source } from './source.js';

const PREFIX = 'STARKBOX_';

/** Characters of a value in a warning. */
const MAX_VALUE_LENGTH = 60;

/** Variables that begin with STARKBOX_ and belong to no option, each with its meaning in Markdown. */
export const OTHER_VARIABLES: Readonly<Record<string, string>> = {
  STARKBOX_CONFIG: 'the config file',
  STARKBOX_AS: '`starknet-devnet` makes the node print the messages of starknet-devnet',
  STARKBOX_URL: 'the node that commands such as `starkbox rpc` use',
  STARKBOX_ENGINE:
    'another build of the engine: the path of its addon (`*.node`), or `wasm` for WebAssembly',
  STARKBOX_REPORT: 'reports of a test run: `gas`, `coverage`, or both with a comma between them',
  STARKBOX_REPORT_OUT: 'the folder to which a test run writes these reports',
  STARKBOX_REPORT_FOLDER: 'set by the test kit for its workers',
  STARKBOX_BUNDLES: '`off`: failing tests write no bundles for the debugger',
  STARKBOX_UPDATE_GAS: '`1` updates the gas snapshots of a test run',
};

/** Kubernetes and Docker set these for a service that is called starkbox. */
const SERVICE_LINK = /^STARKBOX_(?:SERVICE_|PORT_\d+_|ENV_|NAME$)/;

export interface EnvironmentSource extends Source {
  /** The variable that sets each option. */
  readonly names: ReadonlyMap<ConfigKey, string>;
  /** Sentences about variables that were ignored. */
  readonly warnings: readonly string[];
}

/** The options that variables set. An empty variable counts as unset. */
export function environmentSource(env: Environment): EnvironmentSource {
  const texts = new Map<ConfigKey, string>();
  const names = new Map<ConfigKey, string>();
  const warnings: string[] = [];
  for (const key of CONFIG_KEYS) {
    const { fallback } = OPTIONS[key];
    const variable = environmentNames(OPTIONS[key]).find((name) => (env[name] ?? '') !== '');
    const name = variable ?? fallback?.variable;
    if (name === undefined) continue;
    const text = variable === undefined ? fallback?.read(env[name] ?? '') : env[variable];
    if (text === undefined) continue;
    const reason = name === environmentName(OPTIONS[key]) ? undefined : whyUnusable(key, text);
    if (reason === undefined) {
      texts.set(key, text);
      names.set(key, name);
    } else {
      warnings.push(
        `Ignored ${name}=${shortenText(text, MAX_VALUE_LENGTH)}: it ${reason}. To set the option, use ${environmentName(OPTIONS[key])}`,
      );
    }
  }
  return {
    texts,
    names,
    warnings: [...warnings, ...unknownVariables(env)],
    name: (key) => `'${OPTIONS[key].flag}' from the environment variable ${names.get(key)}`,
    origin: (key) => `the variable ${names.get(key)}`,
  };
}

/** A variable without our prefix may belong to another program: a value that an option cannot have is not meant for it. */
function whyUnusable(key: ConfigKey, text: string): string | undefined {
  try {
    (OPTIONS[key].parseShortVariable ?? OPTIONS[key].parse)(text);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidValue) return error.message;
    throw error;
  }
}

/** Sentences about variables that begin with STARKBOX_ and that nothing reads. */
function unknownVariables(env: Environment): readonly string[] {
  const optionVariables = CONFIG_KEYS.map((key) => environmentName(OPTIONS[key]));
  const variables = new Set([...optionVariables, ...Object.keys(OTHER_VARIABLES)]);
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !variables.has(name) && !SERVICE_LINK.test(name))
    .map((name) => {
      const suffix = name.slice(PREFIX.length);
      const near = nearest(
        suffix,
        [...variables].map((variable) => variable.slice(PREFIX.length)),
      );
      const hint =
        near === undefined
          ? "'starkbox --help all' lists the variables"
          : `did you mean ${PREFIX}${near}?`;
      return `Ignored the unknown variable ${name}: ${hint}`;
    });
}
