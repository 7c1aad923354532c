// Readers of the parameters that the documents of the package declare.

import { isObject, listOf, memberOf, membersOf } from '@starkbox/abi/basics';
import { METHODS } from '@starkbox/spec';
import { expect, test } from 'vitest';
import { RpcError } from '../../src/errors.js';
import { declaredIn, readDocuments, referred } from '../../src/rpc/protocol/documents.js';
import { Schema } from '../../src/rpc/protocol/schema.js';
import { Compiler } from '../../src/rpc/protocol/schema-compiler.js';

const schema = new Schema(readDocuments);

test('every method has a reader that takes its parameters in their order', async () => {
  for (const [method, { params }] of Object.entries(METHODS)) {
    const reader = await schema.reader(method);
    const most = params.length;
    expect(() => reader(Array.from({ length: most + 1 }, () => null)), method).toThrow(RpcError);
    if (params.every(({ required }) => !required)) expect(reader(undefined)).toEqual({});
    else expect(() => reader(undefined), method).toThrow(RpcError);
  }
});

const documents = readDocuments();
const compiler = new Compiler(documents);
const parameters = [...declaredIn(documents)].flatMap(([method, declared]) =>
  declared.params.map((param) => {
    const ref = memberOf(memberOf(param, 'schema'), '$ref');
    const schema =
      typeof ref === 'string'
        ? referred(documents, ref, declared.file).target
        : memberOf(param, 'schema');
    return { method, declared, name: String(memberOf(param, 'name')), schema };
  }),
);
const messageOf = ({ declared, name }: (typeof parameters)[number], value: unknown): string => {
  try {
    compiler.check(declared)({ [name]: value });
    return '';
  } catch (error) {
    return error instanceof RpcError ? error.message : String(error);
  }
};

test('every limit of a parameter is named when a value is beyond it', () => {
  const limits = parameters.flatMap((parameter) => {
    const beyond = (keyword: string, exceeding: (limit: number) => unknown) => {
      const limit = memberOf(parameter.schema, keyword);
      return typeof limit === 'number' ? [{ parameter, limit, value: exceeding(limit) }] : [];
    };
    return [
      ...beyond('maximum', (limit) => limit + 1),
      ...beyond('minimum', (limit) => limit - 1),
      ...beyond('exclusiveMaximum', (limit) => limit),
      ...beyond('maxItems', (limit) => Array.from({ length: limit + 1 }, () => '0x1')),
      ...beyond('minItems', (limit) => Array.from({ length: limit - 1 }, () => '0x1')),
    ];
  });
  expect(limits.length).toBeGreaterThan(20);
  for (const { parameter, limit, value } of limits) {
    const message = messageOf(parameter, value);
    const { expected, received } = Object(
      /: expected (?<expected>.*); got (?<received>.*)$/.exec(message)?.groups,
    );
    const where = `${parameter.method} ${parameter.name}: ${message}`;
    expect(expected, where).toContain(String(limit));
    expect(received, where).not.toBe(expected);
  }
});

/** Parameters of any form, and what limits the felts in them. */
const FREE: Readonly<Record<string, string>> = {
  abi: 'the options for the size of classes',
  contract_class: 'the options for the size of classes',
  artifact: 'no felt of it is hashed',
  sources: 'texts',
  options: 'the parsers of options',
  params: 'the parameters of the method that a journal repeats',
  typed_data: 'the reader of outside executions',
};

test('every list of felts in parameters has a limit', () => {
  const unlimited: string[] = [];
  const limits = new Set<number>();
  const visit = (schema: unknown, path: readonly string[], above: ReadonlySet<string>): void => {
    const ref = memberOf(schema, '$ref');
    if (typeof ref === 'string') {
      if (!above.has(ref)) visit(compiler.resolve(ref), path, new Set([...above, ref]));
      return;
    }
    const { type, properties, items, additionalProperties: others, ...rest } = membersOf(schema);
    const parts = ['oneOf', 'anyOf', 'allOf'].flatMap((keyword) => listOf(rest[keyword]));
    const isFree =
      (type === 'object' && !properties && parts.length === 0) || (type === 'array' && !items);
    if (isFree && !path.some((name) => name in FREE)) unlimited.push(path.join('.'));
    if (canBeFelt(items)) {
      const { maxItems, 'x-max-items': option } = rest;
      if (typeof maxItems === 'number') limits.add(maxItems);
      else if (!String(option).startsWith('--')) unlimited.push(path.join('.'));
    }
    for (const part of [...parts, items, others]) if (isObject(part)) visit(part, path, above);
    for (const [name, member] of Object.entries(membersOf(properties))) {
      visit(member, [...path, name], above);
    }
  };
  for (const [method, declared] of declaredIn(documents)) {
    // Notifications have results in the place of parameters.
    if (method in METHODS) visit(compiler.schemaOf(declared), [method], new Set());
  }
  expect(unlimited).toEqual([]);
  expect(Math.max(...limits)).toBe(100_000);
});

function canBeFelt(schema: unknown): boolean {
  const ref = memberOf(schema, '$ref');
  if (typeof ref === 'string') return canBeFelt(compiler.resolve(ref));
  if (memberOf(schema, 'x-felt') !== undefined) return true;
  const unions = ['oneOf', 'anyOf', 'allOf'].map((keyword) => memberOf(schema, keyword));
  return unions.flatMap(listOf).some(canBeFelt);
}

test('no refusal leaves open what was expected', () => {
  const messages = parameters.flatMap((parameter) =>
    [-1.5, 'no', true, [[]], [], {}].map((value) => messageOf(parameter, value)),
  );
  const open = /something else|not accepted|expected (.*); got \1$/;
  expect(messages.filter((message) => open.test(message))).toEqual([]);
});

test('short and long positional lists mean the same', async () => {
  const reader = await schema.reader('starknet_getStorageAt');
  const byName = { contract_address: '0x1', key: '0x2', block_id: 'latest' };
  expect(reader(['0x01', '0x02', 'latest'])).toEqual(byName);
  expect(reader(['0x01', '0x02', 'latest', null])).toEqual(byName);
});

test('a class of 50,000 felts is checked in no time', async () => {
  const reader = await schema.reader('starknet_addDeclareTransaction');
  const bounds = { max_amount: '0x1', max_price_per_unit: '0x1' };
  const gas = { l1_gas: bounds, l2_gas: bounds, l1_data_gas: bounds };
  const program = Array.from(
    { length: 50_000 },
    (_, i) => `0x${(2n ** 240n + BigInt(i)).toString(16)}`,
  );
  const declare_transaction = {
    type: 'DECLARE',
    version: '0x3',
    sender_address: '0x1',
    compiled_class_hash: '0x1',
    signature: [],
    nonce: '0x0',
    contract_class: {
      sierra_program: program,
      contract_class_version: '0.1.0',
      entry_points_by_type: { CONSTRUCTOR: [], EXTERNAL: [], L1_HANDLER: [] },
      abi: '[]',
    },
    resource_bounds: gas,
    tip: '0x0',
    paymaster_data: [],
    account_deployment_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
  };
  const shortest = (work: () => unknown): number =>
    Math.min(
      ...Array.from({ length: 10 }, () => {
        const begin = performance.now();
        work();
        return performance.now() - begin;
      }),
    );
  const reading = shortest(() => reader({ declare_transaction }));
  const writing = shortest(() => JSON.stringify(declare_transaction));
  console.log(`reading ${reading.toFixed(1)} ms, writing ${writing.toFixed(1)} ms`);
  // Measured: 2 to 4. A slow keyword would show as a factor of its own.
  expect(reading / writing).toBeLessThan(40);
});
