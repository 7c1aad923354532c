// Arguments of the command line, taken apart by the table of options.
import { longName, optionKind, UsageError } from '../config/option.js';
import {
  CONFIG_KEYS,
  type ConfigKey,
  isConfigKey,
  LINE_OPTIONS,
  OPTIONS,
} from '../config/options.js';
import { nearest } from '../nearest-word.js';
import { foreignOption } from './foreign-options.js';

/** What the arguments ask for: a start, help, perhaps on a topic, or the version. */
export type Words =
  | {
      readonly kind: 'start';
      readonly texts: ReadonlyMap<ConfigKey, string>;
      readonly configFile: string | undefined;
    }
  | { readonly kind: 'help'; readonly topic: string | undefined }
  | { readonly kind: 'version' };

type LineKey = keyof typeof LINE_OPTIONS;

interface Definition {
  readonly key: ConfigKey | LineKey;
  readonly flag: string;
}

/** Throws a `UsageError` for words that mean nothing. */
export function readWords(argv: readonly string[]): Words {
  const names = definitions();
  const values = new Map<ConfigKey | LineKey, string[]>();
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!/^-./.test(word)) throw new UsageError(`unexpected argument '${word}' found`);
    const { name, attached, further } = split(word, names);
    const definition = names.get(name);
    if (definition === undefined) throw new UsageError(unknownOption(name, names.keys()));
    const { key } = definition;
    if (key === 'version') return { kind: 'version' };
    if (key === 'help')
      return { kind: 'help', topic: rest[0]?.startsWith('-') ? undefined : rest[0] };
    if (further !== undefined) rest.unshift(further);
    const optionValues = valuesOf(definition, { name, attached }, rest);
    const earlier = definition.flag.includes('...') ? (values.get(key) ?? []) : [];
    values.set(key, [...earlier, ...optionValues]);
  }
  const texts = new Map<ConfigKey, string>();
  for (const [key, parts] of values) {
    if (isConfigKey(key)) texts.set(key, parts.join(OPTIONS[key].separator ?? ' '));
  }
  return { kind: 'start', texts, configFile: values.get('config')?.[0] };
}

/** Definitions by every name that can be typed. */
function definitions(): ReadonlyMap<string, Definition> {
  const byName = new Map<string, Definition>();
  const lineKeys: readonly LineKey[] = ['config', 'version', 'help'];
  for (const key of [...CONFIG_KEYS, ...lineKeys]) {
    const { flag, short, aliases = [] } = isConfigKey(key) ? OPTIONS[key] : LINE_OPTIONS[key];
    const names = [longName({ flag }), ...(short === undefined ? [] : [short]), ...aliases];
    for (const name of names) byName.set(name, { key, flag });
  }
  return byName;
}

interface Typed {
  readonly name: string;
  /** The value in the same word: `--port=1`, `-e1`. */
  readonly attached?: string | undefined;
  /** Short flags behind the first: `-q` of `-eq`. */
  readonly further?: string | undefined;
}

function split(word: string, names: ReadonlyMap<string, Definition>): Typed {
  if (word.startsWith('--')) {
    const [, name = word, attached] = /^([^=]*)=(.*)$/s.exec(word) ?? [];
    return { name, attached };
  }
  const [name, rest] = [word.slice(0, 2), word.slice(2)];
  if (rest === '') return { name };
  const definition = names.get(name);
  const isFlag = definition !== undefined && optionKind(definition) === 'flag';
  return isFlag ? { name, further: `-${rest}` } : { name, attached: rest };
}

/** Takes the values of an option from the words behind it. */
function valuesOf(
  { key, flag }: Definition,
  { name, attached }: Typed,
  rest: string[],
): readonly string[] {
  const kind = optionKind({ flag });
  if (kind === 'flag') return [attached ?? String(!flag.startsWith('--no-'))];
  const values = attached === undefined ? [] : [attached];
  if (kind === 'value' && attached === undefined) {
    const next = rest.shift();
    if (next === undefined) throw new UsageError(missingValue(key, flag, name));
    values.push(next);
  }
  if (!flag.includes('...')) return values;
  while (rest[0] !== undefined && !rest[0].startsWith('-')) values.push(rest.shift() ?? '');
  return values;
}

function missingValue(key: ConfigKey | LineKey, flag: string, name: string): string {
  const expects = isConfigKey(key) ? OPTIONS[key].parse.expects : 'a path';
  const option = longName({ flag }) === name ? flag : name;
  return `the option '${option}' needs a value: ${expects}`;
}

function unknownOption(name: string, names: Iterable<string>): string {
  const foreign = foreignOption(name);
  if (foreign !== undefined) return `unknown option '${name}'${foreign}`;
  const near = nearest(name, names);
  const hint =
    near === undefined ? "'starkbox --help all' lists the options" : `did you mean '${near}'?`;
  return `unknown option '${name}': ${hint}`;
}
