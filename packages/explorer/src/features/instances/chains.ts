// Chains of the node as rows: the main one and its instances.
import { chainPath, instanceId } from '../../format/chain-path.js';
import { escapeText } from '../../format/untrusted-text.js';
import type { Result } from '../../rpc/methods.js';
import { queries } from '../../rpc/queries.js';

export type InstanceRow = Result<'devnet_listInstances'>['instances'][number];

export const MAIN = 'main chain';
export const MAIN_PATH = '';
/** The main chain among ids of instances, as the node calls it. */
export const ROOT = 'root';

export const shortId = (id: string): string =>
  id.length > 9 ? `${id.slice(0, 4)}…${id.slice(-4)}` : id;

/** Reads all that is known of instances again. */
export const readAgain = (): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['instances'] });

/** The path of a chain, from the id of an instance or of the main one. */
export const pathOf = (id: string): string => (id === ROOT ? MAIN_PATH : chainPath(id));

/** The id of the shown chain. */
export const ownId = (): string => instanceId() ?? ROOT;

/** A name without markup. */
export function plainName(id: string, rows: readonly InstanceRow[]): string {
  if (id === ROOT) return MAIN;
  const name = rows.find((row) => row.instance_id === id)?.name;
  return name === undefined ? shortId(id) : escapeText(name, 40).text;
}
