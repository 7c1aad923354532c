// Order of calls that arrive together, also where validating one of them takes long.
import { expect, test } from 'vitest';
import { silentLog } from '../../src/log.js';
import { Dispatcher } from '../../src/rpc/protocol/dispatcher.js';
import { type ParamsReader, Schema } from '../../src/rpc/protocol/schema.js';

/** Validates the call with the number 0 for longer than a time slice, as a busy machine may. */
class SlowSchema extends Schema {
  override reader(): ParamsReader {
    return (params) => {
      const { n }: { n?: unknown } = Object(params);
      for (const begin = performance.now(); n === 0 && performance.now() - begin < 30; );
      return { n };
    };
  }
}

test('short calls are handled in the order in which they came', async () => {
  const handled: unknown[] = [];
  const dispatcher = new Dispatcher({
    handlers: { devnet_add: ({ n }: { n: number }) => handled.push(n) },
    restricted: undefined,
    log: silentLog,
    schema: new SlowSchema(() => new Map()),
  });
  const numbers = [0, 1, 2, 3];
  const session = { transport: 'in-process' } as const;
  await Promise.all(
    numbers.map((n) =>
      dispatcher.handle(
        JSON.stringify({ jsonrpc: '2.0', id: n, method: 'devnet_add', params: { n } }),
        session,
      ),
    ),
  );
  await Promise.all(numbers.map((n) => dispatcher.call('devnet_add', { n }, session)));
  expect(handled).toEqual([...numbers, ...numbers]);
});
