// The longest lists of felts that transactions and messages may have: their hashes are computed at once.
import { invalidParams } from '../../errors.js';
import { methodFacts } from '../../spec.js';
import type { Handler } from './dispatcher.js';

type Table = Readonly<Record<string, Handler | undefined>>;

/** Handlers that refuse longer lists. */
export function limitCalldata(handlers: Table, most: number): Table {
  const limited: Record<string, Handler | undefined> = { ...handlers };
  for (const [method, handler] of Object.entries(handlers)) {
    const name = methodFacts(method)?.feltLists;
    if (!handler || !name) continue;
    limited[method] = (params, context) => {
      const carrier = new Map<string, unknown>(Object.entries(params)).get(name);
      check(carrier, `params.${name}`, most);
      return handler(params, context);
    };
  }
  return limited;
}

/** Of a list of transactions each is looked at, of a transaction each of its lists. */
function check(carrier: unknown, path: string, most: number): void {
  if (Array.isArray(carrier)) {
    if (typeof carrier[0] === 'object') {
      for (const [index, one] of carrier.entries()) check(one, `${path}[${index}]`, most);
    } else if (carrier.length > most) {
      invalidParams(
        `${path}: at most ${most} felts, got ${carrier.length}; --maximum-calldata-length sets the limit`,
      );
    }
  } else if (typeof carrier === 'object' && carrier !== null) {
    for (const [name, value] of Object.entries(carrier)) {
      if (Array.isArray(value)) check(value, `${path}.${name}`, most);
    }
  }
}
