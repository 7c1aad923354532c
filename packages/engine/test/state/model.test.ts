// Random histories of writing, closing, rewinding and branching against a plain model.

import { builtinClass, type Class, State, type StateDiff } from '@starkbox/engine';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hex } from '../fixtures/chain.js';
import { declareDiff } from '../fixtures/diffs.js';

const FIRST = 3;
const ADDRESSES = ['0xa', '0xb'];
const KEYS = ['0x1', '0x2'];

const sierra = await builtinClass('udc');
const cairo0 = await builtinClass('udc-cairo0');

/** By name, what is not zero. */
type Values = ReadonlyMap<string, string>;
interface Model {
  readonly closed: readonly Values[];
  readonly open: Values;
}
interface Pair {
  readonly state: State;
  readonly model: Model;
}

const slotName = (address: string, key: string) => `slot ${address} ${key}`;
const nonceName = (address: string) => `nonce ${address}`;
const className = (address: string) => `class ${address}`;
const declaredName = (hash: string) => `declared ${hash}`;

const versionOf = (model: Model) => FIRST + model.closed.length;
function valueAt(model: Model, version: number, name: string): string {
  const values = version === versionOf(model) ? model.open : model.closed[version - FIRST];
  return values?.get(name) ?? '0x0';
}
const changed = (model: Model, version: number, name: string) =>
  valueAt(model, version, name) !== valueAt(model, version - 1, name);

function sinceOf(model: Model, version: number, name: string): number | undefined {
  for (let at = version; at >= FIRST; at -= 1) if (changed(model, at, name)) return at;
  return undefined;
}

function diffOf(model: Model, version: number): StateDiff {
  const now = (name: string) => valueAt(model, version, name);
  const isNew = (name: string) => valueAt(model, version - 1, name) === '0x0';
  const has = (name: string) => changed(model, version, name);
  const moved = ADDRESSES.filter((address) => has(className(address)));
  return {
    storage_diffs: ADDRESSES.map((address) => ({
      address,
      storage_entries: KEYS.filter((key) => has(slotName(address, key))).map((key) => ({
        key,
        value: now(slotName(address, key)),
      })),
    })).filter(({ storage_entries }) => storage_entries.length > 0),
    nonces: ADDRESSES.filter((address) => has(nonceName(address))).map((address) => ({
      contract_address: address,
      nonce: now(nonceName(address)),
    })),
    deployed_contracts: moved
      .filter((address) => isNew(className(address)))
      .map((address) => ({ address, class_hash: now(className(address)) })),
    replaced_classes: moved
      .filter((address) => !isNew(className(address)))
      .map((address) => ({ contract_address: address, class_hash: now(className(address)) })),
    declared_classes: [],
    deprecated_declared_classes: [],
    ...declareDiff([sierra, cairo0].filter(({ hash }) => has(declaredName(hash)))),
  };
}

const address = fc.constantFrom(...ADDRESSES);
const small = fc.nat(2).map(hex);
const write = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constant('slot'), address, fc.constantFrom(...KEYS), small),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constant('nonce'), address, fc.constant(''), small) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant('class'),
      address,
      fc.constant(''),
      fc.constantFrom('0x1', '0x2'),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant('declared'),
      fc.constant(''),
      fc.constant(''),
      fc.constantFrom('sierra', 'cairo0'),
    ),
  },
);
/** Which handle a command works on, counted from the newest: mostly that one. */
const age = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(9) });
const command = fc.oneof(
  { withCrossShrink: true },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('nothing'), age }) },
  { weight: 9, arbitrary: fc.record({ does: fc.constant('advance'), age }) },
  {
    weight: 12,
    arbitrary: fc.record({
      does: fc.constant('apply'),
      age,
      writes: fc.array(write, { maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('burst'),
      age,
      address,
      from: fc.nat(2),
      step: fc.nat(1),
      blocks: fc.nat(6),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('rewind'), age, depth: fc.nat(16) }),
  },
);
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

async function apply({ state, model }: Pair, writes: readonly Write[]): Promise<Pair> {
  const open = new Map(model.open);
  const classes: Class[] = [];
  const storage_diffs = [];
  const nonces = [];
  const deployed_contracts = [];
  for (const [kind, address, key, value] of writes) {
    if (kind === 'slot') {
      storage_diffs.push({ address, storage_entries: [{ key, value }] });
      open.set(slotName(address, key), value);
    } else if (kind === 'nonce') {
      nonces.push({ contract_address: address, nonce: value });
      open.set(nonceName(address), value);
    } else if (kind === 'class') {
      deployed_contracts.push({ address, class_hash: value });
      open.set(className(address), value);
    } else {
      const declared = value === 'sierra' ? sierra : cairo0;
      classes.push(declared);
      open.set(declaredName(declared.hash), '0x1');
    }
  }
  const next = await state.apply({ storage_diffs, nonces, deployed_contracts }, classes);
  return { state: next, model: { ...model, open } };
}

const advance = ({ state, model }: Pair): Pair => ({
  state: state.advance(),
  model: { ...model, closed: [...model.closed, model.open] },
});

async function follow(pair: Pair, command: Command): Promise<Pair> {
  const { state, model } = pair;
  switch (command.does) {
    case 'nothing':
      return { state: state.copy(), model };
    case 'advance':
      return advance(pair);
    case 'apply':
      return apply(pair, command.writes);
    // One slot through several blocks, with a new value in each or the same in all.
    case 'burst': {
      let next = pair;
      for (let block = 0; block < command.blocks; block += 1) {
        const value = hex(command.from + block * command.step);
        next = advance(await apply(next, [['slot', command.address, '0x1', value]]));
      }
      return next;
    }
    case 'rewind': {
      const remaining = Math.max(model.closed.length - command.depth, 0);
      const closed = model.closed.slice(0, remaining);
      const next = await state.rewind(FIRST + remaining - 1);
      return { state: next, model: { closed, open: closed.at(-1) ?? new Map() } };
    }
  }
}

/** Everything at every version, from just before the first to the one being written. */
async function checkValues({ state, model }: Pair): Promise<void> {
  expect(state.version).toBe(versionOf(model));
  const actual: unknown[] = [];
  const expected: unknown[] = [];
  for (let version = FIRST - 1; version <= state.version; version += 1) {
    const view = state.at(version);
    const value = (name: string) => valueAt(model, version, name);
    for (const address of ADDRESSES) {
      for (const key of KEYS) {
        actual.push(await view.storageAt(address, key));
        expected.push(value(slotName(address, key)));
      }
      actual.push(await view.nonceAt(address), await view.classHashAt(address));
      expected.push(value(nonceName(address)), value(className(address)));
    }
    for (const { hash } of [sierra, cairo0]) {
      actual.push(view.classSince(hash));
      expected.push(sinceOf(model, version, declaredName(hash)));
    }
    if (version < FIRST) continue;
    actual.push(state.diffOf(version));
    expected.push(diffOf(model, version));
  }
  expect(actual).toEqual(expected);
}

/** A slot is dated by the last closed version whose difference has it. */
async function checkDates({ state, model }: Pair): Promise<void> {
  for (const address of ADDRESSES) {
    for (const key of KEYS) {
      for (let version = FIRST - 1; version < state.version; version += 1) {
        const expected = sinceOf(model, version, slotName(address, key));
        expect(state.at(version).storageSince(address, key)).toBe(expected);
      }
    }
  }
}

/** Without history only the head has values and a difference. */
async function checkHead({ state, model }: Pair): Promise<void> {
  for (const address of ADDRESSES) {
    const value = (name: string) => valueAt(model, state.version, name);
    for (const key of KEYS) {
      expect(await state.storageAt(address, key)).toBe(value(slotName(address, key)));
    }
    expect(await state.nonceAt(address)).toBe(value(nonceName(address)));
    expect(await state.classHashAt(address)).toBe(value(className(address)));
  }
  expect(state.diffOf(state.version)).toEqual(diffOf(model, state.version));
  expect([state.firstVersion, state.figures().versions]).toEqual([state.version, 1]);
}

/** After each command the new handle is checked, and at the end once more all of them. */
async function run(
  commands: readonly Command[],
  keepHistory: boolean,
  check: (pair: Pair) => Promise<void>,
): Promise<void> {
  const pairs: Pair[] = [
    {
      state: State.create({ version: FIRST, keepHistory }),
      model: { closed: [], open: new Map() },
    },
  ];
  for (const command of commands) {
    const pair = pairs.at(-1 - (command.age % pairs.length));
    if (!pair || (!keepHistory && command.does === 'rewind')) continue;
    const next = await follow(pair, command);
    await check(next);
    pairs.push(next);
  }
  for (const pair of pairs) await check(pair);
}

const commands = fc.array(command, { minLength: 32, maxLength: 32 });
/** Histories per test. For more: TEST_HISTORIES=5000. */
const RUNS = Number(process.env['TEST_HISTORIES'] ?? 60);
const options = { numRuns: RUNS };

test('they have the values and differences of a plain model', { timeout: 180_000 }, async () => {
  const property = fc.asyncProperty(commands, (list) => run(list, true, checkValues));
  await fc.assert(property, options);
});

test('they have the dates of a plain model', { timeout: 180_000 }, async () => {
  const property = fc.asyncProperty(commands, (list) => run(list, true, checkDates));
  await fc.assert(property, options);
});

test('without history they have the values and the difference of the head', {
  timeout: 180_000,
}, async () => {
  const property = fc.asyncProperty(commands, (list) => run(list, false, checkHead));
  await fc.assert(property, options);
});
