// Published OpenRPC documents of Starknet, with corrections of their known mistakes.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DOCUMENTS } from '@starkbox/spec/documents';
import { isObject, type JsonObject, objectAt } from './json.js';
import { Spec } from './spec-documents.js';

/** Versions of the specification as in paths, oldest first, and the folders of their documents. */
const FOLDERS = { v0_8: 'v0.8.1', v0_9: 'v0.9.0', v0_10: 'v0.10.2' } as const;

export type SpecVersion = keyof typeof FOLDERS;

export const OLDER_VERSIONS: readonly ['v0_8', 'v0_9'] = ['v0_8', 'v0_9'];
const NEWEST: SpecVersion = 'v0_10';
export const SPEC_VERSIONS: readonly SpecVersion[] = [...OLDER_VERSIONS, NEWEST];

const DIRECTORY = fileURLToPath(new URL('../../../../shared/spec/', import.meta.url));

const FILES: readonly string[] = [
  'starknet_api_openrpc.json',
  'starknet_write_api.json',
  'starknet_trace_api_openrpc.json',
  'starknet_ws_api.json',
  'starknet_executables.json',
  'starknet_metadata.json',
];
/** Beside the newest version. */
const PROVING = '../proving/starknet_proving_api_openrpc.json';

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
export function loadPublishedSpec(
  version: SpecVersion = NEWEST,
  directory: string = DIRECTORY,
): Spec {
  return new Spec({
    name: `the published Starknet spec ${FOLDERS[version]}`,
    directory: join(directory, FOLDERS[version]),
    files: version === NEWEST ? [...FILES, PROVING] : FILES,
    ...(version === 'v0_8' && { prepare: withMinimums }),
    repair: (component, schema) => REPAIRS[component]?.(schema) ?? schema,
  });
}

export function hasPublishedSpec(version: SpecVersion = NEWEST): boolean {
  return existsSync(join(DIRECTORY, FOLDERS[version]));
}

/** The documents of Starkbox, which include the standard methods. */
export function loadOwnSpec(): Spec {
  return new Spec({
    name: 'our documents',
    directory: fileURLToPath(DOCUMENTS),
    files: [
      'read.json',
      'write.json',
      'trace.json',
      'ws.json',
      'casm.json',
      'devnet.json',
      'paymaster.json',
    ],
  });
}

let standard: Spec | undefined;
const published = new Map<SpecVersion, Spec | undefined>();

/** The published documents of a version; undefined without them, with a warning. */
export function specOf(version: SpecVersion): Spec | undefined {
  if (!published.has(version)) {
    const isThere = hasPublishedSpec(version);
    if (!isThere) {
      console.warn(
        `The published specification is not part of the project: answers of ${version} are not checked against it.`,
      );
    }
    published.set(version, isThere ? loadPublishedSpec(version) : undefined);
  }
  return published.get(version);
}

/** The published documents; without them, those of Starkbox, with a warning. */
export function standardSpec(): Spec {
  if (!standard && !hasPublishedSpec()) {
    console.warn(
      'The published specification is not part of the project: standard methods are checked against our own documents.',
    );
  }
  standard ??= (hasPublishedSpec() ? specOf(NEWEST) : undefined) ?? loadOwnSpec();
  return standard;
}

/** Version 0.8 does not say that counts are not negative, which later ones do. */
function withMinimums(document: JsonObject): JsonObject {
  const text = JSON.stringify(document, (_key, value: unknown) =>
    isObject(value) && value['type'] === 'integer' ? { minimum: 0, ...value } : value,
  );
  return objectAt(JSON.parse(text), 'repaired document');
}

function withoutMinimum(schema: JsonObject): JsonObject {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === 'minimum' ? undefined : value,
  );
  return objectAt(JSON.parse(text), 'repaired schema');
}
