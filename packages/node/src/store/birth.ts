// Knows which options a chain is born with: those that cannot change while it lives.
import { type Config, OPTIONS } from '../config.js';
import { longName } from '../option.js';

/** As texts, in the way of the command line. */
export type Birth = Readonly<Record<string, string | null>>;

const KEYS = [
  'seed',
  'accounts',
  'accountClass',
  'accountClassCustom',
  'initialBalance',
  'predeclareArgent',
  'chainId',
  'liteMode',
  'stateArchive',
] as const;

type Key = (typeof KEYS)[number];

export function birthOf(config: Config): Birth {
  return Object.fromEntries(
    KEYS.map((key) => [key, config[key] === undefined ? null : String(config[key])]),
  );
}

/** What was asked for, with what the chain was born with where nothing was. */
export function reborn(birth: Birth, given: Partial<Config>, path: string): Partial<Config> {
  const config: { -readonly [K in keyof Config]?: Config[K] } = { ...given };
  for (const key of KEYS) recall(config, key, birth[key] ?? null, path);
  return config;
}

function recall<K extends Key>(
  config: { -readonly [Other in keyof Config]?: Config[Other] },
  key: K,
  text: string | null,
  path: string,
): void {
  const asked = config[key];
  if (asked === undefined) {
    if (text !== null) config[key] = OPTIONS[key].parse(text);
    return;
  }
  if (String(asked) === text) return;
  const name = longName(OPTIONS[key]);
  const was = text === null ? `without ${name}` : `with ${name} ${text}`;
  throw new Error(
    `the chain in ${path} was begun ${was} and cannot go on with ${name} ${asked}: leave the option out, or choose another directory with --data-dir`,
  );
}
