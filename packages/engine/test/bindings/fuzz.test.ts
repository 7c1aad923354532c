// Broken input to every function of the binding gives typed errors, no crash and no hang.

import {
  Class,
  EngineError,
  type FailureKind,
  pedersen,
  State,
  StateSource,
  storageAddress,
} from '@starkbox/engine';
import { expect, test } from 'vitest';
import { classText } from '../../../../contracts/classes.js';
import { addon } from '../../js/addon.js';
import { callNow, callWorker } from '../../js/call.js';
import {
  anyNumber,
  anyString,
  asJson,
  brokenText,
  type Dice,
  dice,
  type Json,
} from '../fixtures/broken-input.js';
import {
  block,
  blockValues,
  CHAIN_ID,
  declareValues,
  deployAccountValues,
  firstAccount,
  genesis,
  genesisDiff,
  invokeValues,
  STRK,
  transfer,
} from '../fixtures/chain.js';

/** Inputs per entry. For more: TEST_INPUTS=100000. */
const INPUTS = Number(process.env['TEST_INPUTS'] ?? 1_500);

const chain = await genesis();
const account = firstAccount(chain);

/** Throws everything at an entry and counts what came back. */
async function barrage(
  entry: (input: string, roll: Dice) => unknown,
  good: readonly Json[],
  inputs = INPUTS,
): Promise<Map<FailureKind | 'fine', number>> {
  const seen = new Map<FailureKind | 'fine', number>();
  for (let number = 0; number < inputs; number += 1) {
    const roll = dice(number);
    const input = brokenText(good, roll);
    let outcome: FailureKind | 'fine' = 'fine';
    try {
      await entry(input, roll);
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind === 'internal') {
        throw new Error(`input ${number} broke the engine: ${input.slice(0, 2000)}`, {
          cause: error,
        });
      }
      outcome = error.kind;
    }
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
  }
  return seen;
}

const refusals = (seen: Map<string, number>): number => INPUTS - (seen.get('fine') ?? 0);

test('transactions', { timeout: 180_000 }, async () => {
  const { account: declared } = chain.classes;
  const good = [
    invokeValues(account, [{ to: STRK, name: 'transfer', calldata: ['0x1', '0x1', '0x0'] }], 0),
    deployAccountValues('0x1', declared.hash),
    declareValues(account, declared, 0),
    {
      type: 'L1_HANDLER',
      contract_address: '0x1',
      entry_point_selector: '0x2',
      calldata: ['0x3'],
      nonce: '0x4',
      paid_fee_on_l1: '0x5',
    },
  ].map(asJson);
  const seen = await barrage(
    (input, roll) =>
      callNow(
        () => new addon.Transaction(input, CHAIN_ID, roll(2) === 0 ? declared.native : undefined),
      ),
    good,
  );
  expect(refusals(seen)).toBeGreaterThan(INPUTS / 4);
  expect(seen.get('fine')).toBeGreaterThan(INPUTS / 100);
});

test('execution of whatever could still be read', { timeout: 120_000 }, async () => {
  const good = [
    asJson(
      invokeValues(account, [{ to: STRK, name: 'transfer', calldata: ['0x1', '0x1', '0x0'] }], 0),
    ),
    asJson(deployAccountValues('0x1', chain.classes.account.hash)),
  ];
  const context = block();
  let ran = 0;
  await barrage(async (input, roll) => {
    const tx = callNow(() => new addon.Transaction(input, CHAIN_ID));
    ran += 1;
    const flags = {
      validate: roll(2) === 0,
      chargeFee: roll(2) === 0,
      strictNonce: roll(2) === 0,
      unboundedGas: roll(2) === 0,
    };
    await callWorker(() => chain.state.native.execute(context.native, tx, flags));
  }, good);
  expect(ran).toBeGreaterThan(INPUTS / 10);
});

test('block contexts', async () => {
  const seen = await barrage(
    (input) => callNow(() => new addon.Block(input)),
    [
      asJson(
        blockValues(1, { starknet_version: '0.14.4', use_kzg_da: true, limits: { l1_gas: 5 } }),
      ),
    ],
  );
  expect(refusals(seen)).toBeGreaterThan(INPUTS / 4);
});

test('state differences', { timeout: 180_000 }, async () => {
  const { diff } = await genesisDiff();
  const small = asJson({
    storage_diffs: diff.storage_diffs?.slice(2, 4) ?? [],
    deployed_contracts: diff.deployed_contracts?.slice(0, 2) ?? [],
    nonces: [{ contract_address: '0x1', nonce: '0x2' }],
    replaced_classes: [],
    declared_classes: [{ class_hash: chain.classes.strk.hash, compiled_class_hash: '0x1' }],
    deprecated_declared_classes: [],
  });
  const seen = await barrage(
    (input) => callWorker(() => chain.state.native.apply(input, [])),
    [small],
  );
  expect(refusals(seen)).toBeGreaterThan(INPUTS / 4);
});

test('receipts of finished blocks', { timeout: 180_000 }, async () => {
  const done = await chain.state.execute(block(), transfer(account, '0x1', 1, 0));
  if (done.outcome === 'rejected') throw new Error('rejected');
  const good = asJson([{ signature: ['0x1', '0x2'], receipt: done.receipt }]);
  const context = block();
  const seen = await barrage(
    (input) => callWorker(() => chain.state.native.close(context.native, input, '0x0')),
    [good],
  );
  expect(refusals(seen)).toBeGreaterThan(INPUTS / 4);
});

test('class hashes', { timeout: 180_000 }, async () => {
  const seen = await barrage((input) => Class.hashOf(input), await smallClasses());
  expect(refusals(seen)).toBeGreaterThan(INPUTS / 4);
});

test('classes with compiled code', { timeout: 180_000 }, async () => {
  const [sierra] = await smallClasses();
  const casm = asJson({
    prime: '0x800000000000011000000000000000000000000000000000000000000000001',
    compiler_version: '2.19.5',
    bytecode: ['0x1', '0x2', '0x208b7fff7fff7ffe'],
    bytecode_segment_lengths: [1, 2],
    hints: [[0, [{ AllocSegment: { dst: { register: 'AP', offset: 0 } } }]]],
    entry_points_by_type: {
      EXTERNAL: [{ selector: '0x1', offset: 0, builtins: ['range_check'] }],
      L1_HANDLER: [],
      CONSTRUCTOR: [],
    },
  });
  const seen = await barrage((input) => Class.withCasm(JSON.stringify(sierra), input), [casm]);
  expect(refusals(seen)).toBeGreaterThan(INPUTS / 4);
});

/** Classes with their shape whole and little in them, so that mutations hit the shape. */
async function smallClasses(): Promise<readonly Json[]> {
  const sierra = JSON.parse(await classText('upgraded'));
  const legacy = JSON.parse(await chain.classes['udc-cairo0'].json());
  return [
    asJson({ ...sierra, sierra_program: sierra.sierra_program.slice(0, 12), abi: '[]' }),
    asJson({ ...legacy, abi: legacy.abi.slice(0, 1) }),
    asJson({
      program: {
        builtins: [],
        data: ['0x1'],
        hints: {},
        identifiers: {},
        main_scope: '__main__',
        prime: '0x1',
        reference_manager: { references: [] },
      },
      entry_points_by_type: {
        CONSTRUCTOR: [],
        EXTERNAL: [{ selector: '0x1', offset: 0 }],
        L1_HANDLER: [],
      },
      abi: [],
    }),
  ];
}

test('classes that are compiled', { timeout: 120_000 }, async () => {
  const limits = { compileMillis: 2_000, compilerMemory: 256 << 20, sierraFelts: 10 };
  const seen = await barrage((input) => Class.compile(input, limits), await smallClasses());
  expect(refusals(seen)).toBeGreaterThan(INPUTS / 2);
});

test('state images', { timeout: 180_000 }, async () => {
  const state = (
    await State.create().apply({ nonces: [{ contract_address: '0x1', nonce: '0x2' }] })
  ).advance();
  const pieces: Uint8Array[] = [];
  for await (const piece of state.export()) pieces.push(piece);
  const good = Buffer.concat(pieces);
  const seen = await barrage(
    (_, roll) => {
      const bytes = Buffer.from(good);
      const changes = 1 + roll(3);
      for (let change = 0; change < changes; change += 1) bytes[roll(bytes.length)] = roll(256);
      return State.import([bytes.subarray(0, roll(4) === 0 ? roll(bytes.length) : bytes.length)]);
    },
    [null],
  );
  expect(refusals(seen)).toBeGreaterThan(INPUTS / 2);
});

test('felts, keys and addresses', { timeout: 180_000 }, async () => {
  await barrage(
    (input, roll) => {
      const string = roll(2) === 0 ? input : anyString(roll);
      switch (roll(5)) {
        case 0:
          return pedersen([string, '0x1']);
        case 1:
          return storageAddress(string, [string]);
        case 2:
          return chain.state.storageAt(string, string);
        case 3:
          return chain.state.call(block(), {
            contract_address: STRK,
            entry_point_selector: string,
            calldata: [string],
          });
        default:
          return callNow(() => addon.sign(string, string));
      }
    },
    [null, '0x1'],
  );
});

test('versions', async () => {
  await barrage(
    async (_, roll) => {
      const number = anyNumber(roll);
      switch (roll(4)) {
        case 0:
          return chain.state.at(number);
        case 1:
          return chain.state.rewind(number);
        case 2:
          return chain.state.diffOf(number);
        default:
          return State.create({ version: number });
      }
    },
    [null],
  );
});

test('values of a wrong JavaScript type', () => {
  const entries: Record<string, unknown> = { ...addon };
  for (const value of [null, undefined, 1, {}, true, Symbol('x'), 10n]) {
    for (const name of ['pedersen', 'sign', 'keccak', 'storageAddress', 'publicKey']) {
      const entry = entries[name];
      if (typeof entry !== 'function') throw new Error(`${name} is missing`);
      expect(
        () => callNow(() => Reflect.apply(entry, undefined, [value, value])),
        `${name}(${String(value)})`,
      ).toThrow(expect.objectContaining({ kind: 'input' }));
    }
  }
});

test('answers of an origin', { timeout: 180_000 }, async () => {
  let reply: string | null = null;
  const state = State.create({ source: new StateSource(async () => reply) });
  let key = 0;
  const good = [asJson('0x1'), ...(await smallClasses())];
  await barrage(async (input, roll) => {
    reply = roll(3) === 0 ? anyString(roll) : input;
    key += 1;
    const name = `0x${key.toString(16)}`;
    // A class that can be read is compiled; the felts of these are no program.
    return roll(2) === 0 ? state.nonceAt(name) : state.storageAt(name, '0x1');
  }, good);
});
