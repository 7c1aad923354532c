// Redaction of secrets in calls and answers.
import { stringify } from '../../json/json.js';
import { methodFacts } from '../../spec.js';

/** Stands where something secret was. */
export const HIDDEN = '•••';

/** Names of members whose values are secret. */
const NAME =
  '[\\w-]{0,40}(?:private[_-]?key|secret|passw|passphrase|mnemonic|authorization|api[_-]?key)[\\w-]{0,40}|(?:auth|access|bearer|refresh)?[_-]?token|seed';
/** Of any kind, also where the text ends within it, and where it is JSON inside of a string. */
const MEMBER = new RegExp(
  `(\\\\?)"(${NAME})\\\\?"(\\s*:\\s*)(?:\\\\"([^"\\\\]*)(?:\\\\"|$)|"((?:[^"\\\\]|\\\\.)*)(?:"|$)|-?\\d[\\w.+-]*|[[{][^\\]}]*(?:[\\]}]|$))`,
  'gi',
);
/** Servers of others often have the token in the path. */
const URLS = /\b(https?|wss?):\/\/([^\s"\\/?#@]*@)?([^\s"\\/?#@]+)([/?#][^\s"\\]*)?/gi;
const LONG_HEX = /0x0*([0-9a-f]{16,64})(?![0-9a-f])/gi;
const SHORTEST = 4;

const SUSPICIOUS = /postmanLoad|_load|_restart|\\u/i;
/** More than any answer has that holds no chain. */
const SMALL = 300;

export interface Redacted {
  readonly text: string;
  /** What was hidden, since an answer may repeat it. */
  readonly secrets: readonly string[];
}

export class Redaction {
  readonly #keys: ReadonlySet<string>;
  readonly #words: readonly string[];

  /**
   * @param keys private keys of this node, in hexadecimal
   * @param words other texts that must not be seen
   */
  constructor(keys: Iterable<string>, words: readonly string[]) {
    this.#keys = new Set([...keys].map((key) => key.toLowerCase().replace(/^0x0*/, '')));
    this.#words = words;
  }

  /** A call as it may be kept; as a text, because what is no call may be anything. */
  call(method: string, call: unknown): Redacted {
    return this.text(stringify(withoutNameless(method, call)) ?? '');
  }

  answer(method: string, text: string, secrets: readonly string[]): string {
    if (hidesResult(method) && text.length > SMALL) {
      return stringify({ jsonrpc: '2.0', result: HIDDEN });
    }
    return this.text(text, secrets).text;
  }

  text(text: string, more: readonly string[] = []): Redacted {
    const secrets: string[] = [];
    let safe = text.replace(MEMBER, (_all, slash, name, colon, inner, value) => {
      const secret = inner ?? value;
      if (typeof secret === 'string' && secret.length >= SHORTEST) secrets.push(secret);
      return `${slash}"${name}${slash}"${colon}${slash}"${HIDDEN}${slash}"`;
    });
    safe = safe.replace(URLS, (all, scheme, user, host, rest = '') =>
      user === undefined && rest.length <= 1 ? all : `${scheme}://${host}/${HIDDEN}`,
    );
    safe = safe.replace(LONG_HEX, (all, digits: string) =>
      this.#keys.has(digits.toLowerCase()) ? HIDDEN : all,
    );
    for (const word of [...this.#words, ...more, ...secrets]) safe = safe.replaceAll(word, HIDDEN);
    return { text: safe, secrets };
  }
}

/** Whether the result may be a whole chain, with its keys. */
export function hidesResult(method: string): boolean {
  return methodFacts(method)?.redacted === 'result';
}

/** Without params whose secrets have no names; those of what is no method may be any. */
function withoutNameless(method: string, call: unknown): unknown {
  // Text that is not JSON may hold anything.
  if (typeof call === 'string') return SUSPICIOUS.test(call) ? HIDDEN : call;
  if (typeof call !== 'object' || call === null || !('params' in call)) return call;
  const { params } = call;
  const redacted = methodFacts(method)?.redacted ?? 'list params';
  const isHidden = redacted === 'params' || (redacted === 'list params' && Array.isArray(params));
  if (!isHidden) return call;
  const isPath = typeof params === 'object' && params !== null && 'path' in params;
  return { ...call, params: isPath ? { path: params.path } : HIDDEN };
}
