// Console calls of this browser, without secrets, in local storage.
import { writeJson } from '../../format/json.js';
import { createBrowserStore, useStore } from '../../state/store.js';
import { SECRET } from './single-fields.js';

export interface PastCall {
  readonly at: number;
  readonly method: string;
  /** As JSON. */
  readonly params: string;
  readonly isError: boolean;
  readonly milliseconds: number;
}

const MAX_COUNT = 200;
/** Calls with longer parameters, such as classes, are not stored. */
const MAX_LENGTH = 20_000;
const HIDDEN = '•••';

const past = createBrowserStore(
  'localStorage',
  'starkbox.console',
  (stored): readonly PastCall[] =>
    Array.isArray(stored) ? stored.filter(isPastCall).slice(0, MAX_COUNT) : [],
);

function isPastCall(value: unknown): value is PastCall {
  return (
    typeof value === 'object' &&
    value !== null &&
    'method' in value &&
    typeof value.method === 'string' &&
    'params' in value &&
    typeof value.params === 'string' &&
    'at' in value &&
    typeof value.at === 'number'
  );
}

export function usePast(): readonly PastCall[] {
  return useStore(past);
}

export function remember(
  call: Omit<PastCall, 'at' | 'params'> & { readonly params: unknown },
): void {
  const params = writeJson(withoutSecrets(call.params), 2);
  if (params.length > MAX_LENGTH) return;
  const same = (pastCall: PastCall): boolean =>
    pastCall.method === call.method && pastCall.params === params;
  const entry = { ...call, params, at: Date.now() };
  past.set([entry, ...past.get().filter((pastCall) => !same(pastCall))].slice(0, MAX_COUNT));
}

export function forget(): void {
  past.set([]);
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string' && /^https?:\/\/[^/]*@/.test(value) ? HIDDEN : value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      SECRET.test(name) ? HIDDEN : withoutSecrets(part),
    ]),
  );
}
