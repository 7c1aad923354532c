// Published OpenRPC documents of Starknet, with corrections of their known mistakes.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type JsonObject, objectAt } from './json.js';
import { loadSpec, type Spec } from './spec-documents.js';

export const publishedSpecDirectory: string = fileURLToPath(
  new URL('../../../../shared/spec/v0.10.2', import.meta.url),
);

const FILES: readonly string[] = [
  'starknet_api_openrpc.json',
  'starknet_write_api.json',
  'starknet_trace_api_openrpc.json',
  'starknet_ws_api.json',
  'starknet_executables.json',
  'starknet_metadata.json',
  '../proving/starknet_proving_api_openrpc.json',
];

/**
 * Components that correct answers violate.
 * Other mistakes (`schema` around a schema, `required` as a string, no `type` beside `properties`,
 * unions of which one member includes another) are recognised by their form when a schema is read.
 */
const REPAIRS: Readonly<Record<string, (schema: JsonObject) => JsonObject>> = {
  // The pattern requires a first digit from 0 to 7, which rejects 0x9; intended is less than 2^251.
  'starknet_api_openrpc.json#STORAGE_KEY': () => ({
    type: 'string',
    pattern: '^0x(0|[1-7][a-fA-F0-9]{0,62}|[89a-fA-F][a-fA-F0-9]{0,61})$',
  }),
  // Offsets from the frame pointer are negative for arguments.
  'starknet_executables.json#CellRef': withoutMinimum,
  'starknet_executables.json#DoubleDeref': withoutMinimum,
  // They refer to components that the other documents only define inline.
  'starknet_proving_api_openrpc.json#PROOF': () => ({
    type: 'string',
    pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$',
  }),
  'starknet_proving_api_openrpc.json#PROOF_FACTS': () => ({
    type: 'array',
    items: { $ref: 'starknet_api_openrpc.json#/components/schemas/FELT' },
  }),
};

/**
 * Reads the published documents.
 *
 * @example
 * const spec = loadPublishedSpec();
 * expect(spec.checkResult('starknet_blockNumber', await client.blockNumber())).toEqual([]);
 */
export function loadPublishedSpec(directory: string = publishedSpecDirectory): Spec {
  return loadSpec({
    name: 'the published Starknet spec',
    directory,
    files: FILES,
    repair: (component, schema) => REPAIRS[component]?.(schema) ?? schema,
  });
}

export function hasPublishedSpec(): boolean {
  return existsSync(publishedSpecDirectory);
}

/** The documents of Starkbox, which include the standard methods. */
export function loadOwnSpec(): Spec {
  return loadSpec({
    name: 'our documents',
    directory: fileURLToPath(new URL('../../starkbox/spec', import.meta.url)),
    files: ['read.json', 'write.json', 'trace.json', 'ws.json', 'casm.json', 'devnet.json'],
  });
}

let standard: Spec | undefined;

/** The published documents; without them, those of Starkbox, with a warning. */
export function standardSpec(): Spec {
  if (!standard && !hasPublishedSpec()) {
    console.warn(
      'The published specification is not part of the project: standard methods are checked against our own documents.',
    );
  }
  standard ??= hasPublishedSpec() ? loadPublishedSpec() : loadOwnSpec();
  return standard;
}

function withoutMinimum(schema: JsonObject): JsonObject {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === 'minimum' ? undefined : value,
  );
  return objectAt(JSON.parse(text), 'repaired schema');
}
