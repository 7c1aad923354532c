// Published OpenRPC documents of Starknet, without their prose, and with corrections of their known mistakes.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DOCUMENTS } from '@starkbox/spec/documents';
import { arrayAt, isObject, type JsonObject, objectAt, stringAt } from './json.js';
import { documentsIn, Spec, type SpecSource } from './spec-documents.js';

/** Versions of the specification as in paths, oldest first, and the folders of their documents. */
const FOLDERS = { v0_8: 'v0.8.1', v0_9: 'v0.9.0', v0_10: 'v0.10.2' } as const;

export type SpecVersion = keyof typeof FOLDERS;

export const OLDER_VERSIONS: readonly ['v0_8', 'v0_9'] = ['v0_8', 'v0_9'];
const NEWEST: SpecVersion = 'v0_10';
export const SPEC_VERSIONS: readonly SpecVersion[] = [...OLDER_VERSIONS, NEWEST];

/** `npm run gen:published-spec` writes it. */
const DIGEST = new URL('published-spec.json', import.meta.url);

const FILES: readonly string[] = [
  'starknet_api_openrpc.json',
  'starknet_write_api.json',
  'starknet_trace_api_openrpc.json',
  'starknet_ws_api.json',
  'starknet_executables.json',
  'starknet_metadata.json',
];
/** Beside the newest version, in a folder of its own. */
const PROVING = { folder: 'proving', file: 'starknet_proving_api_openrpc.json' };

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

/** Reads a document of the version that a folder of documents is named after. */
export type ReadPublished = (folder: string, file: string) => JsonObject;

/**
 * The published documents, of which the digest has all that can be checked.
 *
 * @example
 * const spec = loadPublishedSpec('v0_10');
 * expect(spec.checkResult('starknet_blockNumber', await client.blockNumber())).toEqual([]);
 */
export function loadPublishedSpec(
  version: SpecVersion,
  readPublished: ReadPublished = digestedDocument,
): Spec {
  const read: SpecSource['read'] = (file) =>
    readPublished(file === PROVING.file ? PROVING.folder : FOLDERS[version], file);
  return new Spec({
    name: `the published Starknet spec ${FOLDERS[version]}`,
    files: version === NEWEST ? [...FILES, PROVING.file] : FILES,
    read,
    ...(version === 'v0_8' && { prepare: withMinimums }),
    repair: (component, schema) => REPAIRS[component]?.(schema) ?? schema,
  });
}

let digest: JsonObject | undefined;

/** A document as {@link Spec} reads it, of the facts that the digest has of a version. */
function digestedDocument(folder: string, file: string): JsonObject {
  digest ??= objectAt(JSON.parse(readFileSync(DIGEST, 'utf8')), 'the digest');
  const { methods, schemas, errors } = objectAt(digest[file], file);
  const factsIn = (rows: unknown): readonly (readonly [string, JsonObject])[] =>
    arrayAt(rows, file).flatMap((row) => {
      const [name, versions, facts] = arrayAt(row, file);
      if (!arrayAt(versions, file).includes(folder)) return [];
      return [[stringAt(name, file), objectAt(facts, file)] as const];
    });
  return {
    methods: factsIn(methods).map(([name, facts]) => ({ name, ...facts })),
    components: {
      schemas: Object.fromEntries(factsIn(schemas)),
      errors: Object.fromEntries(factsIn(errors)),
    },
  };
}

/** The documents of Starkbox, which include the standard methods. */
export function loadOwnSpec(): Spec {
  return new Spec({
    name: 'our documents',
    read: documentsIn(fileURLToPath(DOCUMENTS)),
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

const published = new Map<SpecVersion, Spec>();

/** The published documents of a version. */
export function specOf(version: SpecVersion): Spec {
  const spec = published.get(version) ?? loadPublishedSpec(version);
  published.set(version, spec);
  return spec;
}

/** The published documents of the newest version. */
export function standardSpec(): Spec {
  return specOf(NEWEST);
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
