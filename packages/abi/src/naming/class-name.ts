// Name of a class by its ABI.
import type { Abi } from '../abi.js';

const EVENT = '::Event';

/** Sierra has no name of the contract, but the compiler names its enum of events after the contract's module. */
export function classNameOf({ events, roots }: Abi): string | undefined {
  const own = roots.filter((name) => events.get(name)?.kind === 'enum').at(-1);
  if (!own?.endsWith(EVENT)) return undefined;
  const path = own.slice(0, -EVENT.length);
  return path.slice(path.lastIndexOf(':') + 1) || undefined;
}
