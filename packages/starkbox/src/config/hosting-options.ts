// Options of instances in an object store. They are listed without the package that implements them, too.
import { baseUrl, inGroup, type OptionTable, path, trueOrFalse, wholeNumber } from './option.js';

export interface HostingConfig {
  /** A folder, or the address of a bucket. */
  readonly instanceStore: string | undefined;
  readonly durable: boolean;
  /** Seconds. */
  readonly hibernateAfter: number;
  readonly maximumLoadedInstances: number;
  readonly leaseSeconds: number;
  readonly nodeUrl: string | undefined;
  readonly publicUrl: string | undefined;
  /** A file. */
  readonly tenants: string | undefined;
}

export const HOSTING_OPTIONS: OptionTable<HostingConfig> = inGroup('hosting', {
  instanceStore: {
    flag: '--instance-store <PLACE>',
    default: undefined,
    parse: path,
    help: 'Store instances in this folder, or in a bucket that nodes share: s3://BUCKET/PREFIX?endpoint=URL&region=NAME. The first request loads an instance; without requests it hibernates. Install the package @starkbox/hosting first.',
  },
  durable: {
    flag: '--durable',
    default: false,
    parse: trueOrFalse,
    help: 'Write every change of an instance to the store before the response. By default, changes are written when the instance hibernates.',
  },
  hibernateAfter: {
    flag: '--hibernate-after <SECONDS>',
    default: 60,
    parse: wholeNumber(1, 2 ** 31),
    help: 'Remove an instance from memory after this many seconds without a request.',
  },
  maximumLoadedInstances: {
    flag: '--maximum-loaded-instances <COUNT>',
    default: 500,
    parse: wholeNumber(1),
    help: 'Maximum number of instances in memory. Beyond it, the least recently used instance hibernates.',
  },
  leaseSeconds: {
    flag: '--lease-seconds <SECONDS>',
    default: 10,
    parse: wholeNumber(1, 3600),
    help: 'Seconds until the lease of a node expires without renewal. Other nodes then take over its instances.',
  },
  nodeUrl: {
    flag: '--node-url <URL>',
    default: undefined,
    defaultText: 'the listening address',
    parse: baseUrl,
    help: 'URL at which clients reach this node alone. Other nodes redirect clients to it.',
  },
  publicUrl: {
    flag: '--public-url <URL>',
    default: undefined,
    defaultText: 'the listening address',
    parse: baseUrl,
    help: 'URL at which clients reach all nodes, such as the URL of a proxy. The URLs of instances begin with it.',
  },
  tenants: {
    flag: '--tenants <FILE>',
    default: undefined,
    parse: path,
    help: 'JSON file with tenants, { "tenants": [{ "name": ..., "token": ... }] }, and their quotas. A request must carry the token of a tenant and reaches only the instances of this tenant. The operator uses --auth-token.',
  },
});
