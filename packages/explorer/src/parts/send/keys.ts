// Private keys for signing: those that were imported into this tab, and those that the node has.
import { type Stored, stored } from '../../navigation/stored.js';
import { readPrivateKey } from '../../rpc/queries.js';

/** By address. They leave the tab's storage with the tab, and are not sent anywhere. */
const imported: Stored<Readonly<Record<string, string>>> = stored(
  'sessionStorage',
  'starkbox.keys',
  (found) =>
    typeof found === 'object' && found !== null
      ? Object.fromEntries(
          Object.entries(found).flatMap(([address, key]): [string, string][] =>
            typeof key === 'string' ? [[address, key]] : [],
          ),
        )
      : {},
);

export function useImported(): readonly string[] {
  return Object.keys(imported.use());
}

export function importKey(address: string, key: string): void {
  imported.set({ ...imported.now(), [address]: key });
}

export function forgetKey(address: string): void {
  const { [address]: _, ...others } = imported.now();
  imported.set(others);
}

export async function privateKeyOf(address: string): Promise<string | undefined> {
  return imported.now()[address] ?? readPrivateKey(address);
}
