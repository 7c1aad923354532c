// Our OpenRPC documents: well-formed, complete, and equal in meaning to the published ones.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ERRORS, METHODS, methodFacts } from '@starkbox/spec';
import { DOCUMENTS } from '@starkbox/spec/documents';
import {
  documentsIn,
  paramsValues,
  resultValues,
  Spec,
  type SpecError,
  schemaValues,
  standardSpec,
  valuesOf,
  withoutWider,
} from '@starkbox/test-support';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const DIRECTORY = fileURLToPath(DOCUMENTS);
const FILES = readdirSync(DIRECTORY).filter((file) => file.endsWith('.json'));
const { factProblems }: { factProblems: (method: object) => readonly string[] } = await import(
  new URL('../../../../scripts/generate/method-facts.mjs', import.meta.url).href
);

interface Descriptor {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: object;
}

interface Method {
  readonly name: string;
  readonly summary?: string;
  readonly params: readonly Descriptor[];
  readonly result?: Descriptor;
  readonly errors: readonly { readonly $ref: string }[];
  readonly [fact: `x-${string}`]: unknown;
}

interface OpenRpc {
  readonly openrpc: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly methods: readonly Method[];
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly errors: Readonly<Record<string, { readonly code: number; readonly message: string }>>;
  };
}

const read = (file: string): OpenRpc => JSON.parse(readFileSync(`${DIRECTORY}/${file}`, 'utf8'));
const documents = new Map(FILES.map((file) => [file, read(file)]));
const methods = [...documents.values()].flatMap((document) => document.methods);

const ours = { name: 'our spec', files: FILES, read: documentsIn(DIRECTORY) };
const everything = new Spec(ours);
const standard = new Spec({
  ...ours,
  prepare: withoutWider,
});

/** Every made-up value must pass. */
function expectFit(
  values: fc.Arbitrary<unknown>,
  check: (value: unknown) => readonly string[],
  numRuns: number,
): void {
  expect(fc.sample(values, { seed: 1, numRuns }).flatMap(check)).toEqual([]);
}

function findReferences(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === '$ref' && typeof item === 'string' ? [item] : findReferences(item),
  );
}

describe('every document', () => {
  test.each(FILES)('%s is OpenRPC', (file) => {
    const { openrpc, info, methods, components } = read(file);
    expect(openrpc).toMatch(/^1\.\d+\.\d+$/);
    expect(info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    expect(Object.keys(components)).toEqual(['schemas', 'errors']);
    expect(new Set(methods.map(({ name }) => name)).size).toBe(methods.length);
    for (const { name, summary, params, result } of methods) {
      expect(summary, name).toEqual(expect.any(String));
      expect(new Set(params.map((param) => param.name)).size, name).toBe(params.length);
      for (const descriptor of [...params, ...(result ? [result] : [])]) {
        expect(descriptor, name).toMatchObject({
          name: expect.any(String),
          description: expect.any(String),
          schema: expect.any(Object),
        });
      }
      for (const param of params) expect(param.required, name).toEqual(expect.any(Boolean));
    }
    for (const [name, error] of Object.entries(components.errors)) {
      expect(error, name).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
    }
  });

  test.each(FILES)('%s has references that lead somewhere', (file) => {
    for (const ref of findReferences(read(file))) {
      const match = /^(?:\.\/(\w+\.json))?#\/components\/(schemas|errors)\/(\w+)$/.exec(ref);
      const [, target = file, group = '', name = ''] = match ?? [];
      const components = documents.get(target)?.components;
      const definitions = group === 'errors' ? components?.errors : components?.schemas;
      expect(definitions, ref).toHaveProperty([name]);
    }
  });

  test('uses every schema and error that it has', () => {
    const referenced = new Set(
      [...documents.values()].flatMap(findReferences).map((ref) => ref.replace(/^.*\//, '')),
    );
    const unused = [...documents.values()]
      .flatMap(({ components }) => Object.keys(components.schemas))
      .filter((name) => !referenced.has(name));
    // Named by the standard, though no method mentions them.
    expect(unused).toEqual(['TXN_TYPE']);
  });

  test('puts optional params last, except where clients expect another order', () => {
    const odd = methods.filter(({ params }) => {
      const firstOptional = params.findIndex(({ required }) => required !== true);
      return firstOptional >= 0 && params.slice(firstOptional).some(({ required }) => required);
    });
    expect(odd.map(({ name }) => name)).toEqual(['devnet_postmanSendMessageToL2']);
  });

  test('gives a code one name', () => {
    const codes = Object.values(ERRORS).map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
  });

  test('is what the generated table says', () => {
    const calls = methods.filter(({ result }) => result !== undefined);
    expect(Object.keys(METHODS).sort()).toEqual(calls.map(({ name }) => name).sort());
    for (const [name, { document, params }] of Object.entries(METHODS)) {
      const method = documents
        .get(`${document}.json`)
        ?.methods.find((declared) => declared.name === name);
      expect(params.map(({ name, required = false }) => ({ name, required }))).toEqual(
        method?.params.map(({ name, required }) => ({ name, required })),
      );
    }
  });

  test('states the facts of every method', () => {
    const calls = methods.filter(({ result }) => result !== undefined);
    expect(calls.flatMap(factProblems)).toEqual([]);
    for (const method of calls) {
      const facts = Object(methodFacts(method.name));
      const stated = {
        writes: method['x-writes'],
        journalled: method['x-journalled'] ?? false,
        restricted: method['x-restricted'],
        forwarded: method['x-forwarded'],
        waits: method['x-waits'],
        needsListener: method['x-listener'],
        redacted: method['x-redacted'],
      };
      for (const [fact, value] of Object.entries(stated)) {
        expect(facts[fact] ?? false, `${fact} of ${method.name}`).toEqual(value);
      }
    }
  });

  test('names a method and the fact that it does not state', () => {
    const whole = methods.find(({ name }) => name === 'devnet_mint');
    const { 'x-waits': _waits, ...withoutWaits } = { ...whole };
    expect(factProblems(withoutWaits)).toEqual(['devnet_mint: x-waits is missing']);
    const { 'x-journalled': _journalled, ...withoutJournalled } = { ...whole };
    expect(factProblems(withoutJournalled)).toEqual([
      'devnet_mint: x-journalled is missing: a method that writes is in the journal, or says why not',
    ]);
    expect(factProblems({ ...whole, 'x-journalled': false })).toEqual([
      'devnet_mint: x-not-journalled-because is for methods that write and are not journalled, and only those',
    ]);
    expect(factProblems({ ...whole, 'x-redacted': 'some' })).toEqual([
      'devnet_mint: x-redacted must be one of "params", "list params", "result", false',
    ]);
    expect(factProblems({ ...whole, 'x-forwarded': 'block' })).toEqual([
      'devnet_mint: x-forwarded is "block", so the parameter block_id must be required',
    ]);
  });

  test.each(methods.map(({ name }) => name))('accepts what can be made up for %s', (name) => {
    expectFit(paramsValues(everything, name), (v) => everything.checkParams(name, v), 20);
    if (everything.methods.get(name)?.notification) return;
    expectFit(resultValues(everything, name), (v) => everything.checkResult(name, v), 20);
  });
});

describe('requests', () => {
  const invoke = {
    type: 'INVOKE',
    version: '0x3',
    sender_address: '0x1',
    calldata: [],
    signature: [],
    nonce: '0x0',
    resource_bounds: Object.fromEntries(
      ['l1_gas', 'l1_data_gas', 'l2_gas'].map((gas) => [
        gas,
        { max_amount: '0x0', max_price_per_unit: '0x0' },
      ]),
    ),
    tip: '0x0',
    paymaster_data: [],
    account_deployment_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
  };
  const check = (method: string, params: unknown): readonly string[] =>
    everything.checkParams(method, params, { unknown: 'ignore' });

  test('with unknown members are refused', () => {
    const refused = [
      ['starknet_addInvokeTransaction', { invoke_transaction: { ...invoke, extra: 1 } }],
      ['starknet_getNonce', { block_id: { block_number: 1, extra: 1 }, contract_address: '0x1' }],
      ['starknet_getEvents', { filter: { chunk_size: 1, adress: '0x1' } }],
      ['devnet_applyStateDiff', { state_diff: { extra: [] } }],
      ['devnet_applyStateDiff', { state_diff: { nonces: [{ contract_address: '0x1' }] } }],
    ] as const;
    for (const [method, params] of refused) expect(check(method, params), method).toHaveLength(1);
    expect(check('starknet_addInvokeTransaction', { invoke_transaction: invoke })).toEqual([]);
  });

  test('may have them in messages and calls', () => {
    const call = { contract_address: '0x1', entry_point_selector: '0x2', calldata: [], extra: 1 };
    const message = {
      from_address: `0x${'0'.repeat(40)}`,
      to_address: '0x1',
      entry_point_selector: '0x2',
      payload: [],
      extra: 1,
    };
    expect(check('starknet_call', { request: call, block_id: 'latest' })).toEqual([]);
    expect(check('starknet_estimateMessageFee', { message, block_id: 'latest' })).toEqual([]);
  });

  test('may be wider than the standard where it says so', () => {
    const proofs = [{ proof: [1, 255] }, { proof: null }, { proof: '' }, { proof_facts: null }];
    for (const proof of proofs) {
      const params = { invoke_transaction: { ...invoke, ...proof } };
      expect(check('starknet_addInvokeTransaction', params)).toEqual([]);
    }
    expect(check('starknet_traceBlockTransactions', { block_id: 'pre_confirmed' })).toEqual([]);
    const amounts = [10, 1e21, 10n ** 30n, '10'];
    for (const amount of amounts)
      expect(check('devnet_mint', { address: '0x1', amount })).toEqual([]);
    expect(check('devnet_mint', { address: '0x1', amount: '0x10' })).toHaveLength(1);
    expect(check('devnet_setGasPrice', { gas_price_wei: 2n ** 128n - 1n })).toEqual([]);
    expect(check('devnet_setGasPrice', { gas_price_wei: 2n ** 128n })).toHaveLength(1);
    expect(check('devnet_setGasPrice', { gas_price_wei: 0 })).toHaveLength(1);
  });
});

const toCode = ({ code, message }: SpecError): string => `${code} ${message}`;

describe('the published documents', () => {
  const published = standardSpec();
  const names = [...published.methods.keys()];

  test('have the same standard methods', () => {
    const standardNames = [...standard.methods.keys()].filter((name) =>
      name.startsWith('starknet_'),
    );
    expect(standardNames.sort()).toEqual([...names].sort());
  });

  test.each(names)('say the same of %s', (name) => {
    const theirs = published.methods.get(name);
    const ours = standard.methods.get(name);
    expect(ours?.params).toEqual(theirs?.params);
    expect(ours?.notification).toBe(theirs?.notification);
    expect(ours?.errors.map(toCode).sort()).toEqual(theirs?.errors.map(toCode).sort());
    expectFit(paramsValues(published, name), (v) => standard.checkParams(name, v), 60);
    expectFit(paramsValues(standard, name), (v) => published.checkParams(name, v), 60);
    if (theirs?.notification) return;
    expectFit(resultValues(published, name), (v) => standard.checkResult(name, v), 60);
    expectFit(resultValues(standard, name), (v) => published.checkResult(name, v), 60);
  });

  test('say the same beside the messages of errors', () => {
    for (const { name, errors } of published.methods.values()) {
      for (const { code, message } of errors) {
        for (const [from, to] of [
          [published, standard],
          [standard, published],
        ] as const) {
          const dataSchema = from.errorData(name, code);
          // The absence of data says nothing: any would do.
          if (dataSchema === undefined) continue;
          expect(to.errorData(name, code), `${name} ${code}`).toBeDefined();
          const check = (data: unknown) => to.checkError(name, { code, message, data });
          expectFit(valuesOf(from, dataSchema), check, 60);
        }
      }
    }
  });

  // A mere reference means what its target means, which is compared itself.
  const components = published.schemas
    .map((component): [string, string] => [component.replace(/^.*#/, ''), component])
    .filter(([, component]) => published.schema(component).schema['$ref'] === undefined)
    .filter(([name]) => standard.schemas.some((schema) => schema.endsWith(`#${name}`)))
    .filter(([, component]) => !component.startsWith('starknet_metadata.json'));

  test.each(components)('mean the same by %s', (name, component) => {
    const { oneOf } = standard.schema(name).schema;
    // Enough to meet each form of a union several times.
    const runs = Math.max(60, Array.isArray(oneOf) ? oneOf.length * 15 : 0);
    expectFit(schemaValues(published, component), (v) => standard.checkSchema(name, v), runs);
    expectFit(schemaValues(standard, name), (v) => published.checkSchema(component, v), runs);
  });
});
