// Redaction of secrets in calls and answers.
import { methodFacts } from '@starkbox/spec';
import { stringify } from '../../json/json.js';

/** Stands where something secret was. */
export const HIDDEN = '•••';

/** Names of members whose values are secret. */
const NAME =
  '[\\w-]{0,40}(?:private[_-]?key|secret|passw|passphrase|mnemonic|authorization|api[_-]?key)[\\w-]{0,40}|(?:auth|access|bearer|refresh)?[_-]?token|seed';
/** Of any kind, also where the text ends within it, and where it is JSON inside of a string. */
const MEMBER = new RegExp(
  `(\\\\?)"(${NAME})\\\\?"(\\s*:\\s*)(?:\\\\"([^"\\\\]*)(?:\\\\"|$)|"((?:[^"\\\\]|\\\\[^])*)(?:"|$)|-?\\d[\\w.+-]*|[[{][^\\]}]*(?:[\\]}]|$))`,
  'gi',
);
/** Servers of others often have the token in the path. */
const URLS = /\b(https?|wss?):\/\/([^\s"\\/?#@]*@)?([^\s"\\/?#@]+)([/?#][^\s"\\]*)?/gi;
const LONG_HEX = /0x0*([0-9a-f]{16,64})(?![0-9a-f])/gi;
const SHORTEST = 4;
/** Distinct secrets in a text that are also looked for elsewhere; a text with more of them is hidden as a whole. */
const MAX_SECRETS = 64;
/** More than a key has, or the part of a URL before its host. */
const MAX_UNNAMED_LENGTH = 256;
/** Characters behind a cut that are read too, so that a secret across the cut is found. */
const MARGIN = 8 * 1024;

const SUSPICIOUS = /postmanLoad|_load|_restart|\\u/i;
/** More than any answer has that holds no chain. */
const SMALL = 300;

export interface Redacted {
  readonly text: string;
  /** Whether the text was not cut. */
  readonly isWhole: boolean;
  /** Distinct values that were hidden, since an answer may repeat them; at most one more than are looked for. */
  readonly secrets: readonly string[];
}

export interface RedactionOptions {
  /** Further secrets to look for. */
  readonly secrets?: Iterable<string>;
  /** Characters that are returned; all by default. */
  readonly longest?: number | undefined;
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
  call(method: string, call: unknown, longest?: number): Redacted {
    return this.text(stringify(withoutNameless(method, call)), { longest });
  }

  answer(method: string, text: string, options: RedactionOptions): Redacted {
    if (hidesResult(method) && text.length > SMALL) {
      return {
        text: stringify({ jsonrpc: '2.0', result: HIDDEN }),
        isWhole: true,
        secrets: [],
      };
    }
    return this.text(text, options);
  }

  /** Takes time that grows with the length of the text, or with the limit if there is one. */
  text(text: string, { secrets = [], longest = Infinity }: RedactionOptions = {}): Redacted {
    const isWhole = text.length <= longest;
    const read = isWhole ? text : text.slice(0, longest + MARGIN);
    const { safe, namedSecrets } = this.#withoutMembers(read);
    const words = new Set([...secrets, ...namedSecrets]);
    if (words.size > MAX_SECRETS) {
      return { text: stringify(HIDDEN), isWhole: true, secrets: [...namedSecrets] };
    }
    let redacted = safe
      .replace(URLS, (all, scheme, user, host, rest = '') =>
        user === undefined && rest.length <= 1 ? all : `${scheme}://${host}/${HIDDEN}`,
      )
      .replace(LONG_HEX, (all: string) => (this.#isKey(all) ? HIDDEN : all));
    // A secret may begin with another one.
    const longestFirst = [...this.#words, ...words].sort(
      (first, other) => other.length - first.length,
    );
    for (const word of longestFirst) redacted = redacted.replaceAll(word, HIDDEN);
    // The end of a cut text may hold a part of a secret.
    const unsafe = read === text ? 0 : Math.max(MAX_UNNAMED_LENGTH, longestFirst[0]?.length ?? 0);
    return {
      text: redacted.slice(0, Math.min(longest, Math.max(0, redacted.length - unsafe))),
      isWhole: isWhole && redacted.length <= longest,
      secrets: [...namedSecrets],
    };
  }

  /** Hides members with the name of a secret, and collects their values. */
  #withoutMembers(text: string): {
    readonly safe: string;
    readonly namedSecrets: ReadonlySet<string>;
  } {
    const secretNames = new Set<string>();
    const safe = text.replace(MEMBER, (_all, slash, name, colon, inner, value) => {
      const secret: unknown = inner ?? value;
      // Keys of this node are found by their digits.
      const isFurther =
        typeof secret === 'string' && secret.length >= SHORTEST && !this.#isKey(secret);
      if (isFurther && secretNames.size <= MAX_SECRETS) secretNames.add(secret);
      return `${slash}"${name}${slash}"${colon}${slash}"${HIDDEN}${slash}"`;
    });
    return { safe, namedSecrets: secretNames };
  }

  #isKey(text: string): boolean {
    const [, digits = ''] = /^0x0*([0-9a-f]{16,64})$/i.exec(text) ?? [];
    return this.#keys.has(digits.toLowerCase());
  }
}

/** Whether the result may be a whole chain, with its keys. */
export function hidesResult(method: string): boolean {
  return methodFacts(method)?.redacted === 'result';
}

/** Without params whose secrets have no names; unknown methods may have secrets anywhere. */
function withoutNameless(method: string, call: unknown): unknown {
  // Text that is not JSON may hold anything.
  if (typeof call === 'string') return SUSPICIOUS.test(call) ? HIDDEN : call;
  if (typeof call !== 'object' || call === null || !('params' in call)) return call;
  const { params } = call;
  const facts = methodFacts(method);
  const redacted = facts ? facts.redacted : 'list params';
  const isHidden = redacted === 'params' || (redacted === 'list params' && Array.isArray(params));
  if (!isHidden) return call;
  const isPath = typeof params === 'object' && params !== null && 'path' in params;
  return { ...call, params: isPath ? { path: params.path } : HIDDEN };
}
