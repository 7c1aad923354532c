// Cause of a change of the chain: the JSON-RPC call that requested it.
import { stringify } from '../../json/json.js';

/** A call as it came, its method by the canonical name. */
export interface Cause {
  readonly jsonrpc: unknown;
  readonly method: string;
  readonly params: object | null | undefined;
  readonly id: unknown;
}

/** A call as the journal holds it. */
export function journalEntry({ jsonrpc, method, params, id }: Cause): string {
  return stringify({ jsonrpc, method, params: params ?? null, id: id ?? null });
}
