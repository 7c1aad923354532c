// Checks of parameters that are compiled into the bundle: they accept, refuse and change what the compiler's own do.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DOCUMENTS } from '@starkbox/spec/documents';
import { documentsIn, paramsValues, Spec } from '@starkbox/test-support';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RpcError } from '../../src/errors.js';
import { type Documents, declaredIn, parametersOf } from '../../src/rpc/protocol/documents.js';
import type { Precompiled } from '../../src/rpc/protocol/precompiled.js';
import { type ParamsReader, Schema } from '../../src/rpc/protocol/schema.js';
import {
  Compiler,
  toCanonical,
  toClosedCheck,
  toExactCheck,
} from '../../src/rpc/protocol/schema-compiler.js';
import { documentsFor, VERSION_NAMES } from '../../src/rpc/versions/versions.js';

const { checksCode }: { checksCode: (parts: object, documents: Documents) => string } =
  await import(new URL('../../../../scripts/bundle/precompiled-checks.mjs', import.meta.url).href);

const DIRECTORY = fileURLToPath(DOCUMENTS);
const spec = new Spec({
  name: 'our spec',
  read: documentsIn(DIRECTORY),
  files: readdirSync(DIRECTORY).filter((file) => file.endsWith('.json')),
});

/** Values of which every schema refuses some. */
const ODD = [null, true, -1, 1.5, 2 ** 60, 2n ** 200n, '', '0x0Ab', '0xg', 'latest', [], {}, [{}]];

function schemasOf(version: string): { readonly compiled: Schema; readonly precompiled: Schema } {
  const documents = documentsFor(version);
  const code = checksCode({ declaredIn, parametersOf, Compiler }, documents);
  const load = new Function(
    'toCanonical',
    'toClosedCheck',
    'toExactCheck',
    `${code} return CHECKS;`,
  );
  const checks: [string, Precompiled][] = load(toCanonical, toClosedCheck, toExactCheck);
  return {
    compiled: new Schema(() => documents),
    precompiled: new Schema(
      () => documents,
      async () => new Map(checks),
    ),
  };
}

function outcome(read: ParamsReader, params: object): unknown {
  try {
    return read(structuredClone(params));
  } catch (error) {
    if (error instanceof RpcError) return error.message + JSON.stringify(error.data);
    throw error;
  }
}

test.each(VERSION_NAMES)('agree with the documents of %s', async (version) => {
  const { compiled, precompiled } = schemasOf(version);
  let refused = 0;
  for (const [method, declared] of declaredIn(documentsFor(version))) {
    const [precompiledReader, compiledReader] = [
      await precompiled.reader(method),
      await compiled.reader(method),
    ];
    const names = parametersOf(declared).map(({ name }) => name);
    const valid = spec.methods.has(method) ? fc.sample(paramsValues(spec, method), 2) : [{}];
    for (const params of valid) {
      const changed = names.flatMap((name) => ODD.map((value) => ({ ...params, [name]: value })));
      for (const sentParams of [
        params,
        { ...params, unknown: 1 },
        Object.values(params),
        ...changed,
      ]) {
        const expected = outcome(compiledReader, sentParams);
        expect(
          outcome(precompiledReader, sentParams),
          `${method} ${JSON.stringify(Object.keys(sentParams))}`,
        ).toEqual(expected);
        if (typeof expected === 'string') refused += 1;
      }
    }
  }
  expect(refused).toBeGreaterThan(100);
});
