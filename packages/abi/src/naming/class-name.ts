// Name of a class by its ABI.
import type { Abi } from '../abi.js';

const EVENT = '::Event';

/** Sierra has no name of the contract, but the compiler names its enum of events after the contract's module. */
export function classNameOf({ events, roots }: Abi): string | undefined {
  const eventEnum = roots.filter((name) => events.get(name)?.kind === 'enum').at(-1);
  if (!eventEnum?.endsWith(EVENT)) return undefined;
  const path = eventEnum.slice(0, -EVENT.length);
  return path.slice(path.lastIndexOf(':') + 1) || undefined;
}
