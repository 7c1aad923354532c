// The documents of older versions: equal in meaning to the published ones.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DOCUMENTS } from '@starkbox/spec/documents';
import {
  OLDER_VERSIONS,
  paramsValues,
  resultValues,
  Spec,
  type SpecError,
  specOf,
  valuesOf,
  withoutWider,
} from '@starkbox/test-support';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { object } from '../../src/json/reader.js';
import { applyChanges, documentsOf } from '../../src/rpc/versions/documents.js';
import { V0_8 } from '../../src/rpc/versions/v0_8.js';
import { V0_9 } from '../../src/rpc/versions/v0_9.js';

const STEPS = { v0_9: [V0_9], v0_8: [V0_9, V0_8] };
const DIRECTORY = fileURLToPath(DOCUMENTS);
const FILES = readdirSync(DIRECTORY).filter((file) => /^(?!devnet|paymaster).*\.json$/.test(file));

function expectFit(
  values: fc.Arbitrary<unknown>,
  check: (value: unknown) => readonly string[],
): void {
  expect(fc.sample(values, { seed: 1, numRuns: 6 }).flatMap(check)).toEqual([]);
}

const toCode = ({ code, message }: SpecError): string => `${code} ${message}`;

test('changes remove, change, replace and add by name', () => {
  const document = { list: [{ name: 'a', x: 1 }, { $ref: '#/b/c' }, 'd'], kept: [1], gone: {} };
  expect(
    applyChanges(document, { list: { a: { x: null, y: 2 }, c: null, d: null, e: { z: 3 } } }),
  ).toEqual({
    list: [
      { name: 'a', y: 2 },
      { name: 'e', z: 3 },
    ],
    kept: [1],
    gone: {},
  });
  expect(applyChanges(document, { list: ['x'], gone: null })).toEqual({ list: ['x'], kept: [1] });
});

describe.each(OLDER_VERSIONS)('%s', (version) => {
  const documents = documentsOf(STEPS[version]);
  const ours = new Spec({
    name: `our documents of ${version}`,
    files: FILES,
    read: (file) => withoutWider(object(documents.get(file), file)),
  });
  const published = specOf(version);
  const names = [...published.methods.keys()];

  test('has the same methods', () => {
    expect([...ours.methods.keys()].sort()).toEqual([...names].sort());
  });

  test.each(names)('says the same of %s', (name) => {
    const theirs = published.methods.get(name);
    const ourMethod = ours.methods.get(name);
    expect(ourMethod?.params).toEqual(theirs?.params);
    expect(ourMethod?.notification).toBe(theirs?.notification);
    expect(ourMethod?.errors.map(toCode).sort()).toEqual(theirs?.errors.map(toCode).sort());
    expectFit(paramsValues(published, name), (v) => ours.checkParams(name, v));
    expectFit(paramsValues(ours, name), (v) => published.checkParams(name, v));
    for (const { code, message } of theirs?.errors ?? []) {
      const dataSchema = published.errorData(name, code);
      if (dataSchema) {
        expectFit(valuesOf(published, dataSchema), (data) =>
          ours.checkError(name, { code, message, data }),
        );
      }
    }
    if (theirs?.notification) return;
    expectFit(resultValues(published, name), (v) => ours.checkResult(name, v));
    expectFit(resultValues(ours, name), (v) => published.checkResult(name, v));
  });
});
