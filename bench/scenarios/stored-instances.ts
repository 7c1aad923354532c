// Many instances in a data directory, each used once: creation, memory, disk, and first requests after a kill.
import { Random } from '../../test/support/random.js';
import { median, percentile } from '../harness/figures.js';
import { bytesIn, interleave, milliseconds, sampled } from '../harness/rounds.js';
import type { Run } from '../harness/scenario.js';
import { OUR_COMMAND, SpawnedNode } from '../harness/spawned-node.js';

const CLIENTS = 8;
/** Instances of the directory that first requests are compared with. */
const FEW = 1_000;
/** Requests of one round, each to another instance. */
const ROUND = 50;

type StoredRun = Pick<Run<'stored'>, 'sizes' | 'figures' | 'folder' | 'defer'>;

/** Instances of a directory, in an order in which they are asked. */
interface Filled {
  readonly node: SpawnedNode;
  readonly ids: string[];
}

const openAt = (folder: string, count: number): Promise<SpawnedNode> => {
  const options = `--data-dir ${folder} --maximum-instances ${2 * count} --instance-idle-seconds 0`;
  return SpawnedNode.open({ command: `${OUR_COMMAND} ${options}` });
};

/** Seconds in which several clients do all work. */
async function secondsOf(count: number, work: (index: number) => Promise<void>): Promise<number> {
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  const clients = () => Promise.all(Array.from({ length: CLIENTS }, client));
  return (await milliseconds(clients)) / 1_000;
}

async function use(node: SpawnedNode, id: string): Promise<void> {
  const instance = node.instance(id);
  await instance.call('devnet_mint', { address: '0x77', amount: 1 });
  await instance.call('devnet_getAccountBalance', { address: '0x77' });
}

/** Makes instances and uses each, then kills the node. */
async function filled(
  folder: string,
  count: number,
  say: (figures: Readonly<Record<string, number>>) => void,
): Promise<Filled> {
  const node = await openAt(folder, count);
  const ids: string[] = [];
  const create_s = await secondsOf(count, async () => {
    const { instance_id } = await node.call('devnet_createInstance');
    ids.push(instance_id);
  });
  say({ create_s });
  const use_s = await secondsOf(count, (index) => use(node, ids[index] ?? ''));
  const [memory_mb = Number.NaN, anonymous_mb = Number.NaN] = [node.memory(), node.anonymous()];
  say({ use_s, memory_mb, anonymous_mb });
  await node.end();
  say({ disk_mb: bytesIn(folder) / 1e6 });
  const started = await openAt(folder, count);
  const start_ms = started.startTime ?? Number.NaN;
  say({ start_ms, start_memory_mb: started.memory() ?? Number.NaN });
  const random = new Random(1);
  const order = ids.map((id) => [random.below(2 ** 31), id] as const).toSorted(([a], [b]) => a - b);
  return { node: started, ids: order.map(([, id]) => id) };
}

export async function measureStored(run: StoredRun): Promise<void> {
  const { sizes, figures } = run;
  const many = await filled(run.folder(), sizes.stored, (part) => {
    for (const [name, value] of Object.entries(part)) figures.say(`stored_${name}`, value);
  });
  run.defer(() => many.node.end());
  const few = await filled(run.folder(), FEW, () => {});
  run.defer(() => few.node.end());
  const firsts = ({ node, ids }: Filled) => {
    const read = () => node.instance(ids.pop() ?? '').call('starknet_blockNumber');
    return sampled(ROUND, read);
  };
  const rounds = await interleave(FEW / ROUND - 1, {
    many: () => firsts(many),
    few: () => firsts(few),
  });
  const times = rounds.of('many').flat();
  figures.sayAll({
    stored_first_ms: median(times),
    stored_first_p99_ms: percentile(times, 0.99),
    stored_first_growth: median(times) / median(rounds.of('few').flat()),
  });
}
