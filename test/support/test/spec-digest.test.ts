// The digest of the published documents: everything in them that can be checked, and no prose.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { documentsIn, loadPublishedSpec, SPEC_VERSIONS, type Spec } from '../conformance/index.js';
import { translate } from '../conformance/spec-schema.js';
import { temporaryFolder } from '../temporary-folder.js';

/** The documents, which are not part of the project. */
const PUBLISHED = fileURLToPath(new URL('../../../../shared/spec/', import.meta.url));
const DIGEST = fileURLToPath(new URL('../conformance/published-spec.json', import.meta.url));
const FOLDERS = ['v0.8.1', 'v0.9.0', 'v0.10.2', 'proving'];

const { digestOf }: { digestOf: (folder: string) => string } = await import(
  new URL('../../../scripts/generate/published-spec.mjs', import.meta.url).href
);

const arePublishedHere = existsSync(PUBLISHED);
if (!arePublishedHere) {
  console.warn(
    'The published OpenRPC documents are not part of the project: their digest, which responses are checked with, was not compared with them.',
  );
}

/** What a validator makes of every schema, by the places where it is. */
function checksOf(spec: Spec): ReadonlyMap<string, unknown> {
  const methods = [...spec.methods.values()];
  const located = [
    ...spec.schemas.map((name) => [name, spec.schema(name)] as const),
    ...methods.flatMap(({ name }) =>
      [...spec.params(name)].map(([param, schema]) => [`${name} ${param}`, schema] as const),
    ),
    ...methods
      .filter(({ notification }) => !notification)
      .map(({ name }) => [`${name} result`, spec.result(name)] as const),
    ...methods.flatMap(({ name, errors }) =>
      errors.flatMap(({ code }) => {
        const schema = spec.errorData(name, code);
        return schema === undefined ? [] : [[`${name} ${code}`, schema] as const];
      }),
    ),
  ];
  return new Map(
    located.map(([path, { file, schema }]) => [
      path,
      (['closed', 'loose'] as const).map((openness) =>
        translate(schema, openness, (ref, how) => `${how} ${spec.follow(ref, file)}`, path),
      ),
    ]),
  );
}

describe.runIf(arePublishedHere)('beside the published documents', () => {
  test('the digest is what the script makes of them', () => {
    expect(readFileSync(DIGEST, 'utf8')).toBe(digestOf(PUBLISHED));
  });

  test.each(SPEC_VERSIONS)('the digest of %s checks the same', (version) => {
    const published = loadPublishedSpec(version, (folder, file) =>
      documentsIn(join(PUBLISHED, folder))(file),
    );
    const digested = loadPublishedSpec(version);
    expect(digested.methods).toEqual(published.methods);
    expect(checksOf(digested)).toEqual(checksOf(published));
  });
});

describe('a digest', () => {
  const write = (documents: Readonly<Record<string, object>>): string => {
    const folder = temporaryFolder();
    for (const version of FOLDERS) {
      mkdirSync(join(folder, version));
      const document = documents[version] ?? documents['others'];
      writeFileSync(join(folder, version, 'api.json'), JSON.stringify(document));
    }
    return folder;
  };
  const documentWith = (shape: object) => ({
    info: { title: 'prose' },
    methods: [
      {
        name: 'go',
        summary: 'prose',
        params: [{ name: 'to', description: 'prose', required: true, schema: { type: 'string' } }],
        result: { name: 'prose', description: 'prose', schema: { type: 'null', title: 'prose' } },
        errors: [{ $ref: '#/components/errors/LOST' }],
      },
    ],
    components: {
      schemas: { PLACE: { description: 'prose', ...shape } },
      errors: { LOST: { code: 1, message: 'Lost', data: { $comment: 'prose', type: 'string' } } },
    },
  });
  const schema = {
    type: 'object',
    properties: { description: { type: 'string', description: 'prose' } },
    required: ['description'],
  };

  test('has facts without prose, those of several versions once', () => {
    const newest = { ...schema, required: [] };
    const folder = write({ others: documentWith(schema), 'v0.10.2': documentWith(newest) });
    const fact = { ...schema, properties: { description: { type: 'string' } } };
    const method = {
      params: [{ name: 'to', required: true, schema: { type: 'string' } }],
      result: { schema: { type: 'null' } },
      errors: [{ $ref: '#/components/errors/LOST' }],
    };
    expect(JSON.parse(digestOf(folder))).toEqual({
      'api.json': {
        methods: [['go', FOLDERS, method]],
        schemas: [
          ['PLACE', ['v0.8.1', 'v0.9.0', 'proving'], fact],
          ['PLACE', ['v0.10.2'], { ...fact, required: [] }],
        ],
        errors: [['LOST', FOLDERS, { code: 1, message: 'Lost', data: { type: 'string' } }]],
      },
    });
  });

  test('is not made of a schema with a keyword that is neither', () => {
    const folder = write({ others: documentWith({ minLength: 3 }) });
    expect(() => digestOf(folder)).toThrow('#/schemas/PLACE/minLength');
  });
});
