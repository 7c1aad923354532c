// Private keys for signing: those that were imported into this tab, and those that the node has.
import { readPrivateKey } from '../../rpc/queries.js';
import { createBrowserStore, useStore } from '../../state/store.js';

/** By address. They leave the tab's storage with the tab, and are not sent anywhere. */
const imported = createBrowserStore(
  'sessionStorage',
  'starkbox.keys',
  (stored): Readonly<Record<string, string>> =>
    typeof stored === 'object' && stored !== null
      ? Object.fromEntries(
          Object.entries(stored).flatMap(([address, key]): [string, string][] =>
            typeof key === 'string' ? [[address, key]] : [],
          ),
        )
      : {},
);

export function useImported(): readonly string[] {
  return Object.keys(useStore(imported));
}

export function importKey(address: string, key: string): void {
  imported.set({ ...imported.get(), [address]: key });
}

export function forgetKey(address: string): void {
  const { [address]: _, ...others } = imported.get();
  imported.set(others);
}

export async function privateKeyOf(address: string): Promise<string | undefined> {
  return imported.get()[address] ?? readPrivateKey(address);
}
