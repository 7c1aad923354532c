// Inputs that libFuzzer found to reach code which no other reaches, on the built addon: taken, or refused by a typed
// error. run.mjs makes more of them.

import { readFileSync } from 'node:fs';
import {
  builtinClass,
  Class,
  EngineError,
  type FailureKind,
  pedersen,
  State,
  StateSource,
  storageAddress,
} from '@starkbox/engine';
import { describe, expect, test } from 'vitest';
import { addon } from '../../js/addon.js';
import { callNow, callWorker } from '../../js/call.js';
import { block, CHAIN_ID } from '../fixtures/chain.js';

interface Kept {
  readonly target: string;
  /** In base64. */
  readonly input: string;
}

const CORPUS: readonly Kept[] = JSON.parse(
  readFileSync(new URL('./corpus.json', import.meta.url), 'utf8'),
);

/** The class that the target `casm` has in src/targets/class.rs. */
const SIERRA = JSON.stringify({
  sierra_program: ['0x1', '0x7', '0x0', '0x2', '0x0'],
  contract_class_version: '0.1.0',
  entry_points_by_type: { EXTERNAL: [], L1_HANDLER: [], CONSTRUCTOR: [] },
  abi: '[]',
});

async function imageOf(state: State): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of state.export()) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Each by itself: one that is refused does not hide another. */
async function use(contractClass: Class): Promise<void> {
  const calls = [
    () => contractClass.json(),
    () => contractClass.casm(),
    () => contractClass.warm(),
    () => contractClass.compiledClassHashPoseidon(),
  ];
  for (const call of calls) expect(await outcome(call)).not.toBe('internal');
}

/** As the targets of the same names in src/targets. */
const TARGETS: Readonly<Record<string, (input: Buffer) => unknown>> = {
  async image(input) {
    const state = await State.import([input]);
    const image = await imageOf(state);
    const again = await State.import([image]).catch((error: unknown) => {
      throw new Error('its own image is refused', { cause: error });
    });
    expect((await imageOf(again)).equals(image)).toBe(true);
    state.advance();
  },
  packed: (input) => use(Class.unpack(input)),
  async class(input) {
    await Class.hashOf(input.toString());
    await use(await Class.compile(input.toString(), { sierraFelts: 0 }));
  },
  async casm(input) {
    await use(await Class.withCasm(SIERRA, input.toString()));
  },
  async diff(input) {
    const state = State.create({ version: 1 });
    State.of(await callWorker(() => state.native.apply(input.toString(), []))).advance();
  },
  async transaction(input) {
    const { native } = await builtinClass('udc');
    callNow(() => new addon.Transaction(input.toString(), CHAIN_ID, native));
    callNow(() => new addon.Transaction(input.toString(), CHAIN_ID));
  },
  block: (input) => callNow(() => new addon.Block(input.toString())),
  receipts: (input) =>
    callWorker(() => State.create().native.close(block().native, input.toString(), '0x0')),
  async origin(input) {
    const state = State.create({ source: new StateSource(async () => input.toString()) });
    await state.storageAt('0x1', '0x1');
  },
  felt(input) {
    const lines = input.toString().split('\n');
    const [first = '', second = ''] = lines;
    storageAddress(first, lines);
    pedersen(lines);
    callNow(() => addon.sign(first, second));
  },
};

/** The map from code to statements is read from the compiler alone. */
const WITHIN = ['statements'];

async function outcome(run: () => unknown): Promise<FailureKind | 'taken'> {
  try {
    await run();
    return 'taken';
  } catch (error) {
    if (error instanceof EngineError) return error.kind;
    throw error;
  }
}

describe.each(Object.entries(TARGETS))('inputs of the target %s', (name, take) => {
  const inputs = CORPUS.filter(({ target }) => target === name);

  test('break nothing', { timeout: 180_000 }, async () => {
    expect(inputs.length).toBeGreaterThan(5);
    for (const { input } of inputs) {
      const ending = await outcome(() => take(Buffer.from(input, 'base64')));
      expect(ending, input).not.toBe('internal');
    }
  });
});

test('every input belongs to a target', () => {
  const names = [...Object.keys(TARGETS), ...WITHIN].sort();
  expect([...new Set(CORPUS.map(({ target }) => target))].sort()).toEqual(names);
});
