// Parameters of the simulated fleet, with the source of each.

const MEASURED =
  'measured by npm run bench -- hosting --instances 1500 --slots 20000, on a busy machine';
const OPTION = 'default of';
const MODEL = 'model of the use';
const PRICE = 'price of S3 Standard in us-east-1; compare it with the price list';
const LIMIT = 'published limit of S3 for a partition of keys';

/** Each can be set on the command line by its name. */
export const PARAMETERS = {
  instances: [1_000_000, MODEL],
  nodes: [100, MODEL],
  hours: [24, MODEL],
  activePercentPerHour: [1, MODEL],
  sessionSeconds: [300, MODEL],
  transactionsPerSession: [20, MODEL],
  readsPerSession: [200, MODEL],
  /** Sessions of the busiest hour, as a multiple of the mean. */
  peakFactor: [2, MODEL],
  burstInstances: [500, MODEL],

  hibernateAfterSeconds: [60, `${OPTION} --hibernate-after`],
  leaseSeconds: [10, `${OPTION} --lease-seconds`],
  mostLoadedPerNode: [500, `${OPTION} --maximum-loaded-instances`],
  leaseMarginSeconds: [2, 'src/lease.ts'],
  checkSeconds: [2, 'deploy/haproxy.cfg, two failed checks'],
  ringPoints: [1_600, 'deploy/haproxy.cfg, weight 100 with 16 points each'],

  nodeMiB: [81, MEASURED],
  loadedMiB: [0.42, `${MEASURED}: 500 with three transactions each`],
  loadCpuMs: [8.7, `${MEASURED}, with the hibernation of another instance`],
  hibernateCpuMs: [0, 'part of loadCpuMs, because both were measured together'],
  bytesPerInstance: [5_048, MEASURED],
  transactionCpuMs: [10, 'docs/contributing/benchmarks.md, a transfer'],
  readCpuMs: [0.2, 'docs/contributing/benchmarks.md, a read'],
  getsPerLoad: [1, 'the manifest; tables that instances share are in memory'],
  putsPerLoad: [1, 'the manifest, with the new owner'],
  putsPerHibernation: [1, 'the manifest'],
  putsPerTransaction: [1, '--durable; 0 without it'],

  memoryMiBPerNode: [2_048, 'deploy/kubernetes/nodes.yaml, its limit'],
  coresPerNode: [2, 'the machine of docs/contributing/benchmarks.md'],
  storeGetsPerSecond: [5_500, LIMIT],
  storePutsPerSecond: [3_500, LIMIT],
  dollarsPer1000Puts: [0.005, PRICE],
  dollarsPer1000Gets: [0.0004, PRICE],
  dollarsPerGbMonth: [0.023, PRICE],
} as const;

type Name = keyof typeof PARAMETERS;
export type Values = Readonly<Record<Name, number>>;

const QUICK: Partial<Record<string, number>> = {
  instances: 10_000,
  nodes: 10,
  hours: 2,
  burstInstances: 100,
};

type Sizes<N extends string> = Readonly<Record<N, readonly [full: number, quick: number]>>;

function sizesOf<N extends string>(
  parameters: Readonly<Record<N, readonly [value: number, source: string]>>,
): Sizes<N> {
  const sizes = Object.create(null);
  for (const name in parameters) {
    const [value] = parameters[name];
    sizes[name] = [value, QUICK[name] ?? value];
  }
  return sizes;
}

/** The parameters as sizes of a scenario. */
export const SIZES: Sizes<Name> = sizesOf(PARAMETERS);
