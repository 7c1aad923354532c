// An overloaded node, and its recovery. Every connection sends its next request after an answer: reads, calls and, one
// in ten, a write.
import { STRK } from '../../packages/engine/test/fixtures/chain.js';
import { NodeProcess } from '../harness/node-process.js';
import { milliseconds } from '../harness/rounds.js';
import { type Answer, RpcClient, rpcBody } from '../harness/rpc-client.js';
import { defineScenario } from '../harness/scenario.js';
import { callParams } from '../harness/signed-requests.js';

/** Of the node, in seconds. */
const TIMEOUT = 10;
const RECOVERY_SECONDS = 2;
const FEW = 16;
const RECEIVER = '0xabc';

const READ = rpcBody('starknet_blockNumber');
const CALL = rpcBody('starknet_call', callParams({ to: STRK, name: 'decimals', calldata: [] }));
const WRITE = rpcBody('devnet_mint', { address: RECEIVER, amount: 1, unit: 'FRI' });

interface Load {
  answers: number;
  /** JSON-RPC errors, HTTP statuses and closed connections. */
  refusals: number;
  longestSeconds: number;
  /** Hashes of acknowledged transactions. */
  readonly writes: string[];
}

const answerOf = (client: RpcClient, body: string): Promise<Answer> =>
  client.answer(body).catch((error: unknown) => ({ error }));

/** Sends requests on every connection until the time is over. */
async function load(
  client: RpcClient,
  connections: number,
  seconds: number,
  bodyOf: (count: number) => string,
): Promise<Load & { readonly rate: number }> {
  const totals: Load = { answers: 0, refusals: 0, longestSeconds: 0, writes: [] };
  const start = performance.now();
  let count = 0;
  const sendUntilEnd = async (): Promise<void> => {
    while (performance.now() - start < seconds * 1000) {
      count += 1;
      const sentAt = performance.now();
      const { result, error } = await answerOf(client, bodyOf(count));
      if (error) totals.refusals += 1;
      else totals.answers += 1;
      const elapsed = (performance.now() - sentAt) / 1000;
      totals.longestSeconds = Math.max(totals.longestSeconds, elapsed);
      const { tx_hash } = Object(result);
      if (typeof tx_hash === 'string') totals.writes.push(tx_hash);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendUntilEnd));
  return { ...totals, rate: (totals.answers * 1000) / (performance.now() - start) };
}

/** Acknowledged writes that the chain does not have; one more was sent after the load. */
async function lostWrites(client: RpcClient, writes: readonly string[]): Promise<number> {
  let lost = 0;
  for (const transaction_hash of writes) {
    const status = await client.call('starknet_getTransactionStatus', { transaction_hash });
    if (Object(status).execution_status !== 'SUCCEEDED') lost += 1;
  }
  const params = { address: RECEIVER, block_id: 'latest' };
  const { amount } = Object(await client.call('devnet_getAccountBalance', params));
  return lost + Math.max(0, writes.length + 1 - Number(amount));
}

export const scenario = defineScenario({
  measures: 'more requests than a node can answer, and its recovery',
  sizes: { connections: [2_000, 500], seconds: [60, 5] },
  promises: () => ({
    'longest answer (s)': { atMost: TIMEOUT + 2, isNoisy: true },
    'lost writes': { atMost: 0 },
    'reads again (of before)': { atLeast: 0.7, isNoisy: true },
    'writes again (s)': { atMost: RECOVERY_SECONDS, isNoisy: true },
  }),
  async measure(run) {
    const { connections, seconds } = run.sizes;
    const node = new NodeProcess();
    run.defer(() => node.end());
    const { url } = await node.call('open', { timeout: TIMEOUT });
    const few = new RpcClient(url, FEW);
    run.defer(() => few.close());
    await load(few, FEW, 1, () => READ);
    const before = await load(few, FEW, 2, () => READ);

    const many = new RpcClient(url, connections);
    // Connections are opened first, because an overloaded node accepts them slowly.
    await Promise.all(Array.from({ length: connections }, () => many.send(READ)));
    const overload = await load(many, connections, seconds, (count) =>
      count % 10 === 0 ? WRITE : count % 10 < 4 ? CALL : READ,
    );
    many.close();
    const firstWrite = await milliseconds(() => few.send(WRITE));
    const after = await load(few, FEW, RECOVERY_SECONDS, () => READ);
    run.figures.sayAll({
      'reads before (1/s)': before.rate,
      'answers (1/s)': overload.rate,
      answers: overload.answers,
      refusals: overload.refusals,
      'longest answer (s)': overload.longestSeconds,
      writes: overload.writes.length,
      'writes again (s)': firstWrite / 1000,
      'reads again (of before)': after.rate / before.rate,
      'lost writes': await lostWrites(few, overload.writes),
    });
    return undefined;
  },
});
