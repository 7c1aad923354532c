// Loads names of contracts and classes from the node, in bulk.
import { canonicalFelt } from '@starkbox/abi/basics';
import { classNames, contractNames, type LoadedName } from '../format/names.js';
import { call, isMissing } from './client.js';

/** The node takes this many in one call. */
const MAX_AT_ONCE = 1_000;
/** A page is shown without names rather than later than this. */
const MAX_WAIT_MILLISECONDS = 250;

let isServed = true;

/** Of texts that are no felts, the node would reject the whole request. */
const isFelt = (text: string): boolean => canonicalFelt(text) === text;

async function inParts<Row>(
  felts: readonly string[],
  ask: (part: readonly string[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const validFelts = isServed ? felts.filter(isFelt) : [];
  const rows: Row[] = [];
  try {
    for (let start = 0; start < validFelts.length; start += MAX_AT_ONCE) {
      rows.push(...(await ask(validFelts.slice(start, start + MAX_AT_ONCE))));
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
    isServed = false;
  }
  return rows;
}

async function loadContracts(
  addresses: readonly string[],
): Promise<ReadonlyMap<string, LoadedName>> {
  const rows = await inParts(
    addresses,
    async (contract_addresses) =>
      (await call('devnet_nameContracts', { contract_addresses })).contracts,
  );
  return new Map(
    rows.map(({ contract_address, name, name_source, class_hash, token }) => [
      contract_address,
      { name, source: name_source, classHash: class_hash, token },
    ]),
  );
}

async function loadClasses(hashes: readonly string[]): Promise<ReadonlyMap<string, LoadedName>> {
  const rows = await inParts(
    hashes,
    async (class_hashes) => (await call('devnet_nameContracts', { class_hashes })).classes,
  );
  return new Map(
    rows.map(({ class_hash, name, name_source }) => [
      class_hash,
      { name, source: name_source, classHash: class_hash },
    ]),
  );
}

contractNames.loadWith(loadContracts);
classNames.loadWith(loadClasses);

/** Loads names before a page is shown, so that its texts keep their places. A slow origin delays it little. */
export async function preloadNames(addresses: Iterable<string | undefined>): Promise<void> {
  const unknown = new Set<string>();
  for (const address of addresses) {
    if (address !== undefined && !contractNames.get(address)) unknown.add(address);
  }
  if (unknown.size === 0) return;
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, MAX_WAIT_MILLISECONDS));
  await Promise.race([contractNames.load([...unknown]), timeout]);
}
