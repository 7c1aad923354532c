// Variables at the lines that print them, compared with what the program printed.
import { readFile } from 'node:fs/promises';
import { Class } from '@starkbox/engine';
import { startFixture } from '@starkbox/test-support/fixture';
import { bounds } from '@starkbox/test-support/signing';
import { describe, expect, test } from 'vitest';
import { classTextWithPlaces } from '../../../contracts/classes.js';
import { type Debugger, openDebugger } from '../src/index.js';

const ENOUGH = bounds({ l1_gas: 0n, l1_data_gas: 10_000n, l2_gas: 5n * 10n ** 9n });
const FILE = 'contracts/src/variables.cairo';
const { client, node, sender } = await startFixture({
  startTime: 1_000,
});
const source = await readFile(new URL(`../../../${FILE}`, import.meta.url), 'utf8');

const text = (value: string): string[] => {
  const bytes = Buffer.from(value);
  const words = Math.floor(bytes.length / 31);
  const word = (at: number, end: number): string =>
    `0x${bytes.subarray(at, end).toString('hex') || '0'}`;
  return [
    `0x${words.toString(16)}`,
    ...Array.from({ length: words }, (_, index) => word(index * 31, (index + 1) * 31)),
    word(words * 31, bytes.length),
    `0x${(bytes.length - words * 31).toString(16)}`,
  ];
};
const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n;
const felt = (value: bigint | number): string =>
  `0x${((BigInt(value) + PRIME) % PRIME).toString(16)}`;
const felts = (...values: readonly (bigint | number)[]): string[] => values.map(felt);

const SOLID = felts(1, 2, 30, 40, 2n ** 100n, 5, 1);
const CALLS: readonly (readonly [name: string, calldata: readonly string[]])[] = [
  ['integers', felts(200, 40_000, 3_000_000_000, 2n ** 60n, 2n ** 120n + 11n)],
  ['signed', felts(-100, -3, 70_000, -(2n ** 40n), 2n ** 100n)],
  ['wide', felts(7, 1, 2n ** 127n, 9)],
  ['felts', felts(2n ** 200n, 3)],
  ['booleans', felts(1, 0)],
  ['addresses', felts(0x1234)],
  ['structs', felts(3, 4)],
  ['nested', SOLID],
  ['enums', felts(6, 77)],
  ['matches', felts(0)],
  ['matches', felts(1, 5, 6)],
  ['matches', felts(2, 5, 6, 9)],
  ['matches', ['0x3', ...SOLID]],
  ['options', felts(41)],
  ['results', felts(9)],
  ['tuples', felts(8, 123_456)],
  ['arrays', felts(11, 22)],
  ['spans', felts(4, 10, 20, 30, 40)],
  ['texts', text('the name of a person that takes two words')],
  ['people', [...text('Ada'), '0x24']],
  ['generics', felts(5, 500, 99)],
  ['for_loops', felts(3)],
  ['while_loops', felts(5)],
  ['break_values', felts(7)],
  ['recursion', felts(4)],
  ['closures', felts(5)],
  ['snapshots', felts(12)],
  ['shadowing', felts(3)],
  ['inlined', felts(10, 20)],
  ['dictionaries', felts(55, 66)],
  ['mutation', felts(20)],
  ['returned', felts(17, 2n ** 50n, 0xabcdef)],
  ['containers', felts(31, 2n ** 63n)],
  ['choices', felts(14, 2n ** 240n)],
  ['words', [...text('first, '), '0x9']],
  ['turns', felts(3)],
];

/** Calls of one transaction. */
const CALLS_OF_ONE = 12;

interface Comparison {
  readonly function: string;
  readonly line: number;
  readonly name: string;
  readonly printed: string;
  /** Undefined if the debugger has no value of it. */
  readonly shown: string | undefined;
}

async function call(method: string, params: object): Promise<unknown> {
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const { result, error } = Object(JSON.parse((await node.handle(request)) ?? ''));
  if (error) throw new Error(JSON.stringify(error));
  return result;
}

async function deploy(folder: 'places' | 'unoptimized'): Promise<string> {
  const artifact = JSON.parse(await classTextWithPlaces('variables', folder));
  const compiled = await Class.compile(JSON.stringify(artifact));
  const { hash, compiledClassHash: compiledHash = '' } = compiled;
  const declared = { class: compiled, hash, compiledHash, body: JSON.parse(await compiled.json()) };
  await sender.declare(declared, { resource_bounds: ENOUGH });
  await client.call('devnet_addArtifact', { artifact, sources: { [FILE]: source } });
  return (await client.call('devnet_deploy', { class_hash: hash })).contract_address;
}

/** Numbers in decimal without letters behind, without marks of snapshots and payloads that are nothing. */
function normalized(value: string): string {
  return value
    .replace(/ \('[^']*'\)/g, '')
    .replace(/0x[0-9a-f]+/g, (hex) => BigInt(hex).toString())
    .replaceAll('@', '')
    .replaceAll('(())', '');
}

async function compare(subject: Debugger, printed: string): Promise<readonly Comparison[]> {
  const [, name = '', list = ''] = /^(\w+): (.*)$/s.exec(printed.trimEnd()) ?? [];
  const frames = await subject.frames();
  const frame = frames.find(({ location }) => location?.file === FILE);
  const { variables } = await subject.scope(frame?.index);
  const shown = new Map(variables.map((variable) => [variable.name, variable.value]));
  return list.split('; ').map((pair) => {
    const [variable = '', value = ''] = pair.split(/ = (.*)/s);
    return {
      function: name,
      line: frame?.location?.line ?? 0,
      name: variable,
      printed: value,
      shown: shown.get(variable)?.text,
    };
  });
}

async function comparisons(address: string): Promise<readonly Comparison[]> {
  const all: Comparison[] = [];
  for (let first = 0; first < CALLS.length; first += CALLS_OF_ONE) {
    const calls = CALLS.slice(first, first + CALLS_OF_ONE);
    const hash = await sender.invoke(
      calls.map(([name, calldata]) => ({ to: address, name, calldata })),
      { resource_bounds: ENOUGH },
    );
    const subject = await openDebugger(call, { transactionHash: hash });
    for (const { run, step, text: printed } of subject.trace.printed) {
      await subject.goTo(subject.positionOf(run, step));
      all.push(...(await compare(subject, printed)));
    }
    await subject.close();
  }
  return all;
}

/** What the compiler's annotation names: optimizations keep less of it. */
const BUILDS = [
  { build: 'optimized', folder: 'places', shown: 279, unmapped: 70 },
  { build: 'unoptimized', folder: 'unoptimized', shown: 304, unmapped: 45 },
] as const;

describe('variables at the lines that print them have the printed values', () => {
  test.each(BUILDS)('$build', { timeout: 240_000 }, async ({ folder, shown, unmapped }) => {
    const all = await comparisons(await deploy(folder));
    const mapped = all.filter((comparison) => comparison.shown !== undefined);
    const wrong = mapped.filter(
      ({ printed, shown: value = '' }) => normalized(value) !== normalized(printed),
    );
    expect(wrong).toEqual([]);
    expect({ shown: mapped.length, unmapped: all.length - mapped.length }).toEqual({
      shown,
      unmapped,
    });
    expect(new Set(mapped.map((comparison) => comparison.function)).size).toBeGreaterThan(30);
  });
});
