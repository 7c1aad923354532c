// Variables at the lines that print them, compared with what the program printed.
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { classTextWithPlaces } from '../../../contracts/classes.js';
import { startFixture } from '../../e2e/support/fixture.js';
import { bounds, contract } from '../../e2e/support/signing.js';
import { type Debugger, openDebugger } from '../src/index.js';

const ENOUGH = bounds({ l1_gas: 0n, l1_data_gas: 10_000n, l2_gas: 5n * 10n ** 9n });
const FILE = 'contracts/src/variables.cairo';
const { client, node, sender } = await startFixture({
  startTime: 1_000,
  maximumJsonValues: 4_000_000,
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
];

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

let address = '';
beforeAll(async () => {
  const artifact = JSON.parse(await classTextWithPlaces('variables'));
  const declared = await contract('variables');
  await sender.declare(declared, { resource_bounds: ENOUGH });
  ({ contract_address: address } = await client.call('devnet_deploy', {
    class_hash: declared.hash,
  }));
  await client.call('devnet_addArtifact', { artifact, sources: { [FILE]: source } });
});

/** Whether what the debugger shows is what was printed: numbers may be in hexadecimal, with letters behind. */
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

async function comparisons(): Promise<readonly Comparison[]> {
  const all: Comparison[] = [];
  for (const [name, calldata] of CALLS) {
    const hash = await sender.invoke([{ to: address, name, calldata }], {
      resource_bounds: ENOUGH,
    });
    const subject = await openDebugger(call, { transactionHash: hash });
    for (const { run, step, text: printed } of subject.trace.printed) {
      await subject.goTo(subject.positionOf(run, step));
      all.push(...(await compare(subject, printed)));
    }
    await subject.close();
  }
  return all;
}

describe('variables at the lines that print them', async () => {
  test('have the printed values', { timeout: 120_000 }, async () => {
    const all = await comparisons();
    const wrong = all.filter(
      ({ printed, shown }) => shown !== undefined && normalized(shown) !== normalized(printed),
    );
    const missing = all.filter(({ shown }) => shown === undefined);
    console.log('all', all.length, 'wrong', wrong.length, 'missing', missing.length);
    for (const w of wrong)
      console.log('WRONG', w.function, w.line, w.name, '|', w.printed, '|', w.shown);
    const ms = new Map<string, string[]>();
    for (const m of missing)
      ms.set(m.function, [...(ms.get(m.function) ?? []), `${m.name}@${m.line}`]);
    for (const [f, names] of ms) console.log('MISSING', f, [...new Set(names)].join(' '));
    expect(wrong).toEqual([]);
  });
});
