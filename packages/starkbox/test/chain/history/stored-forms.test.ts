// Values, texts and traces as blocks store them: each is read as it was written, or not at all.
import { describe, expect, test } from 'vitest';
import { ByteReader, BytesError, ByteWriter } from '../../../src/chain/history/byte-codec.js';
import {
  isEngineReceipt,
  readReceipt,
  readStateDiff,
  readTrace,
  readTransaction,
} from '../../../src/chain/history/stored-texts.js';
import { checkCalls } from '../../../src/chain/history/stored-trace.js';

describe('bytes', () => {
  const NUMBERS = [0, 1, 127, 128, 129, 16_383, 16_384, 2 ** 31, 2 ** 49, 2 ** 53 - 1];

  test('have numbers, texts and felts in turn', () => {
    const writer = new ByteWriter();
    const long = 'é'.repeat(400);
    for (const number of NUMBERS) writer.number(number);
    writer
      .felt('0x0')
      .felt('0xabc')
      .felt('0xabcd')
      .latin1('ÿa')
      .text(long)
      .bytes(Buffer.of(0, 255));
    writer.latin1('b'.repeat(3_000));
    const reader = new ByteReader(writer.finish());
    expect(NUMBERS.map(() => reader.number())).toEqual(NUMBERS);
    expect([reader.felt(), reader.felt(), reader.felt()]).toEqual(['0x0', '0xabc', '0xabcd']);
    expect([reader.latin1(), reader.text()]).toEqual(['ÿa', long]);
    expect([...reader.bytes()]).toEqual([0, 255]);
    expect(reader.isAtEnd).toBe(false);
    expect(reader.latin1()).toBe('b'.repeat(3_000));
    expect(reader.isAtEnd).toBe(true);
    const lengths = NUMBERS.map((number) => new ByteWriter().number(number).finish().length);
    expect(lengths).toEqual([1, 1, 1, 2, 2, 2, 3, 5, 8, 8]);
  });

  test('of several values are handed on as they are', () => {
    const writer = new ByteWriter().text('ab').text('').text('c').text('d');
    const reader = new ByteReader(writer.finish());
    const values = reader.values(3);
    expect([values, reader.text()]).toEqual(['\x02ab\x00\x01c', 'd']);
    expect(reader.values(0)).toBe('');
  });

  test('that end early, or in the middle of a number, are refused', () => {
    const read = (...bytes: readonly number[]) => new ByteReader(Buffer.from(bytes));
    expect(() => read().number()).toThrow(BytesError);
    expect(() => read(0x80).number()).toThrow(BytesError);
    expect(() => read(...Array(8).fill(0x80), 0).number()).toThrow(BytesError);
    expect(read(...Array(7).fill(0x80), 1).number()).toBe(2 ** 49);
    expect(() => read(3, 1, 2).text()).toThrow(BytesError);
    expect(read(2, 97, 98).text()).toBe('ab');
    const whole = Buffer.of(9, 1, 97);
    expect(new ByteReader(whole.subarray(1)).text()).toBe('a');
  });
});

describe('the texts of a transaction', () => {
  const bounds = { resource_bounds: {} };
  const SENT = {
    INVOKE: { ...bounds, calldata: [] },
    DECLARE: { ...bounds, class_hash: '0x1' },
    DEPLOY_ACCOUNT: { ...bounds, constructor_calldata: [] },
    L1_HANDLER: { calldata: [] },
  };

  test.each(Object.entries(SENT))('%s has the members of its type', (type, members) => {
    expect(readTransaction(JSON.stringify({ type, ...members }))).toEqual({ type, ...members });
    for (const name of Object.keys(members)) {
      const wrong = { type, ...members, [name]: 5 };
      expect(() => readTransaction(JSON.stringify(wrong))).toThrow(/stored transaction/);
    }
    expect(() => readTransaction(JSON.stringify({ type: 'OTHER', ...members }))).toThrow(TypeError);
    expect(() => readTransaction('null')).toThrow(TypeError);
  });

  test('receipts, traces and state differences have theirs', () => {
    const receipt = {
      ...{ execution_status: 'SUCCEEDED', actual_fee: {}, execution_resources: {} },
      ...{ messages_sent: [], events: [] },
    };
    const diff = {
      ...{ storage_diffs: [], nonces: [], deployed_contracts: [], replaced_classes: [] },
      ...{ declared_classes: [], deprecated_declared_classes: [] },
    };
    const trace = { type: 'INVOKE' };
    const readers = [
      [receipt, readReceipt],
      [diff, readStateDiff],
      [trace, readTrace],
    ] as const;
    for (const [value, read] of readers) {
      expect(read(JSON.stringify(value))).toEqual(value);
      for (const name of Object.keys(value)) {
        expect(() => read(JSON.stringify({ ...value, [name]: 5 }))).toThrow(TypeError);
      }
      expect(() => read('[]')).toThrow(TypeError);
    }
    expect(isEngineReceipt(receipt)).toBe(false);
    expect(isEngineReceipt({ ...receipt, data_availability: {} })).toBe(true);
    expect(isEngineReceipt({ ...receipt, data_availability: 5 })).toBe(false);
  });
});

describe('the calls of a trace', () => {
  const call = (calls: readonly object[] = []) => ({
    ...{ contract_address: '0x1', class_hash: '0x2', entry_point_selector: '0x3' },
    ...{ caller_address: '0x0', calldata: ['0x1'], result: [] },
    ...{ entry_point_type: 'EXTERNAL', call_type: 'CALL', is_reverted: false },
    execution_resources: { l1_gas: 0, l2_gas: 5 },
    events: [{ order: 0, keys: ['0x1'], data: [] }],
    messages: [{ order: 1, to_address: '0x1', payload: ['0x2'] }],
    calls: [...calls],
  });
  const nested = (depth: number): object => {
    let inner = call();
    for (let level = 1; level < depth; level += 1) inner = call([inner]);
    return inner;
  };
  const check = (trace: object) => () => checkCalls({ ...trace }, 'trace');

  test('are complete, at every level', () => {
    const names = ['validate', 'constructor', 'execute', 'function', 'fee_transfer'];
    for (const name of names.map((word) => `${word}_invocation`)) {
      expect(check({ [name]: call([call()]) })).not.toThrow();
      expect(check({ [name]: null })).toThrow(TypeError);
      for (const member of Object.keys(call())) {
        expect(check({ [name]: { ...call(), [member]: {} } })).toThrow(`trace.${name}.${member}`);
        expect(check({ [name]: call([{ ...call(), [member]: 'x' }]) })).toThrow(TypeError);
      }
      const reverted = check({ [name]: { revert_reason: 'why' } });
      if (/execute|function/.test(name)) expect(reverted).not.toThrow();
      else expect(reverted).toThrow(TypeError);
    }
    expect(check({ execute_invocation: { revert_reason: 5 } })).toThrow(TypeError);
    const [event, message] = [call().events[0], call().messages[0]];
    for (const [member, value] of [
      ...Object.keys(event ?? {}).map((name) => ['events', { ...event, [name]: 'x' }] as const),
      ...Object.keys(message ?? {}).map(
        (name) => ['messages', { ...message, [name]: 'x' }] as const,
      ),
    ]) {
      expect(check({ validate_invocation: { ...call(), [member]: [value] } })).toThrow(TypeError);
    }
    for (const gas of [{ l1_gas: 0 }, { l2_gas: 0 }, { l1_gas: -1, l2_gas: 0 }]) {
      expect(check({ validate_invocation: { ...call(), execution_resources: gas } })).toThrow(
        TypeError,
      );
    }
  });

  test('are nested in at most 200 levels', () => {
    expect(check({ validate_invocation: nested(200) })).not.toThrow();
    expect(check({ validate_invocation: nested(201) })).toThrow(/at most 200 nested calls/);
  });
});
