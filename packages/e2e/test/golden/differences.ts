// The differences from the recordings that are intended, each with its reason (differences.json).

import { readFileSync } from 'node:fs';
import { isObject, type Members } from '@starkbox/abi/basics';
import { compare, type Difference } from './compare.js';
import { Correspondence } from './correspondence.js';

interface Rule {
  readonly theme: string | undefined;
  readonly exchanges: readonly unknown[] | undefined;
  readonly path: RegExp | undefined;
  /** What we answer instead, if the rule holds for that alone. */
  readonly ours: unknown;
  readonly hasOurs: boolean;
  readonly text: string;
}

export class IntendedDifferences {
  readonly #rules: readonly Rule[];
  readonly #used = new Set<Rule>();

  constructor(file: URL) {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const list = isObject(content) ? content['differences'] : undefined;
    if (!Array.isArray(list)) throw new TypeError(`${file.pathname} has no list of differences`);
    this.#rules = list.filter(isObject).map(readRule);
  }

  has(theme: string, exchange: number, difference: Difference): boolean {
    const rule = this.#rules.find((intended) => matches(intended, theme, exchange, difference));
    if (rule) this.#used.add(rule);
    return rule !== undefined;
  }

  /** Rules for exchanges of these conversations that no difference needed. */
  unused(themes: ReadonlySet<string>): string[] {
    return this.#rules
      .filter((rule) => rule.theme !== undefined && themes.has(rule.theme))
      .filter((rule) => rule.exchanges && !this.#used.has(rule))
      .map(({ text }) => text);
  }
}

function readRule(rule: Members): Rule {
  const { theme, exchanges, path, ours } = rule;
  return {
    theme: typeof theme === 'string' && theme !== '*' ? theme : undefined,
    exchanges: Array.isArray(exchanges) ? exchanges : undefined,
    path: typeof path === 'string' ? pathPattern(path) : undefined,
    ours,
    hasOurs: 'ours' in rule,
    text: JSON.stringify(rule),
  };
}

function matches(rule: Rule, theme: string, exchange: number, difference: Difference): boolean {
  if (rule.theme !== undefined && rule.theme !== theme) return false;
  if (rule.exchanges && !rule.exchanges.includes(exchange)) return false;
  if (rule.path && !rule.path.test(difference.path)) return false;
  if (!rule.hasOurs) return true;
  const { actual } = difference;
  return actual !== undefined && compare(rule.ours, actual, new Correspondence()).length === 0;
}

/** `*` stands for one name, `**` for any part of a path. */
function pathPattern(path: string): RegExp {
  const escaped = (text: string): string => text.replace(/[.[\]$()+?^{}|\\]/g, '\\$&');
  const parts = path.split('**').map((part) => part.split('*').map(escaped).join('[^.\\[]*'));
  return new RegExp(`^${parts.join('.*')}$`);
}
