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

export const HOSTING_OPTIONS: OptionTable<HostingConfig> = inGroup('Hosting', {
  instanceStore: {
    flag: '--instance-store <PLACE>',
    default: undefined,
    parse: path,
    help: 'Keep instances in a folder, or in a bucket that nodes share: s3://BUCKET/PREFIX?endpoint=URL&region=NAME. An instance is loaded by its first request, and hibernates without one. Needs the package @starkbox/hosting.',
  },
  durable: {
    flag: '--durable',
    default: false,
    parse: trueOrFalse,
    help: 'Write every change of an instance to the store before it is answered; otherwise it is written when the instance hibernates.',
  },
  hibernateAfter: {
    flag: '--hibernate-after <SECONDS>',
    default: 60,
    parse: wholeNumber(1, 2 ** 31),
    help: 'Seconds without a request after which an instance of the store leaves memory.',
  },
  maximumLoadedInstances: {
    flag: '--maximum-loaded-instances <COUNT>',
    default: 500,
    parse: wholeNumber(1),
    help: 'Most instances of the store in memory; beyond it, the one that was used longest ago hibernates.',
  },
  leaseSeconds: {
    flag: '--lease-seconds <SECONDS>',
    default: 10,
    parse: wholeNumber(1, 3600),
    help: 'How long after its last renewal the lease of a node holds; then other nodes take over its instances.',
  },
  nodeUrl: {
    flag: '--node-url <URL>',
    default: undefined,
    defaultText: 'the address that it listens on',
    parse: baseUrl,
    help: 'Where clients reach this node itself; other nodes send them there.',
  },
  publicUrl: {
    flag: '--public-url <URL>',
    default: undefined,
    defaultText: 'the address that it listens on',
    parse: baseUrl,
    help: 'Where clients reach all nodes, such as the address of a proxy; the addresses of instances begin with it.',
  },
  tenants: {
    flag: '--tenants <FILE>',
    default: undefined,
    parse: path,
    help: 'JSON file with tenants, { "tenants": [{ "name": ..., "token": ... }] }, and their quotas. Each request must carry one of the tokens, and reaches the instances of its tenant alone; --auth-token is the token of the operator.',
  },
});
