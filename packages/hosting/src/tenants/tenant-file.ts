// File of the tenants: their names, tokens and quotas.

import { createHash } from 'node:crypto';
import {
  ConfigError,
  token as checkToken,
  integer,
  list,
  object,
  optional,
  readRegular,
  reasonOf,
  string,
} from 'starkbox/registry';

/** The most of something that a tenant may have; undefined for no limit of its own. */
export interface Quotas {
  readonly instances: number | undefined;
  readonly loadedInstances: number | undefined;
  /** At a time. */
  readonly executions: number | undefined;
  readonly executionsPerMinute: number | undefined;
}

export interface Tenant {
  readonly name: string;
  /** The SHA-256 of its token, in hexadecimal. */
  readonly digest: string;
  readonly quotas: Quotas;
}

/** Part of the keys of objects, and a label of metrics. */
const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
const DIGEST = /^[0-9a-f]{64}$/;
/** Instances are counted by a list of their keys. */
const MOST_INSTANCES = 100_000;
const MOST = 1_000_000;

/**
 * @param operator the token of `--auth-token`, which no tenant may have
 * @throws ConfigError with the file, the member and what was expected
 */
export async function readTenants(
  path: string,
  operator: string | undefined,
): Promise<readonly Tenant[]> {
  try {
    return tenantsIn(JSON.parse(await readRegular(path)), operator);
  } catch (error) {
    throw new ConfigError(`--tenants ${path}: ${reasonOf(error)}`, 'tenants');
  }
}

function tenantsIn(value: unknown, operator: string | undefined): readonly Tenant[] {
  const { tenants, ...others } = object(value, 'the file');
  refuseOthers(others, 'the file');
  const all = list(tenants, 'tenants', tenantIn);
  if (all.length === 0) wrong('tenants', 'at least one tenant');
  const ownerByDigest = new Map(
    operator === undefined ? [] : [[digestOf(operator), '--auth-token']],
  );
  const names = new Set<string>();
  for (const [index, { name, digest }] of all.entries()) {
    const where = `tenants[${index}]`;
    if (names.has(name)) wrong(`${where}.name`, `another name: ${name} is there twice`);
    const owner = ownerByDigest.get(digest);
    if (owner !== undefined) wrong(where, `a unique token, not the token of ${owner}`);
    names.add(name);
    ownerByDigest.set(digest, name);
  }
  return all;
}

function tenantIn(value: unknown, where: string): Tenant {
  const {
    name,
    token,
    token_sha256: digest,
    maximum_instances: instances,
    maximum_loaded_instances: loadedInstances,
    maximum_executions: executions,
    executions_per_minute: executionsPerMinute,
    ...others
  } = object(value, where);
  refuseOthers(others, where);
  const quota = (limit: unknown, member: string, most = MOST): number | undefined =>
    optional(limit, `${where}.${member}`, (number, at) => numberUpTo(number, at, most));
  return {
    name: matching(name, `${where}.name`, NAME, 'up to 63 lower-case letters, digits and "-"'),
    digest: digestIn(token, digest, where),
    quotas: {
      instances: quota(instances, 'maximum_instances', MOST_INSTANCES),
      loadedInstances: quota(loadedInstances, 'maximum_loaded_instances'),
      executions: quota(executions, 'maximum_executions'),
      executionsPerMinute: quota(executionsPerMinute, 'executions_per_minute'),
    },
  };
}

function digestIn(token: unknown, digest: unknown, where: string): string {
  if ((token === undefined) === (digest === undefined)) {
    return wrong(where, 'one of token and token_sha256');
  }
  if (token === undefined) {
    return matching(digest, `${where}.token_sha256`, DIGEST, '64 hexadecimal digits in lower case');
  }
  const text = string(token, `${where}.token`);
  try {
    return digestOf(checkToken(text));
  } catch (error) {
    return wrong(`${where}.token`, `a token: it ${reasonOf(error)}`);
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function numberUpTo(value: unknown, where: string, most: number): number {
  const number = integer(value, where);
  return number < 1 || number > most ? wrong(where, `an integer from 1 to ${most}`) : number;
}

function matching(value: unknown, where: string, pattern: RegExp, expected: string): string {
  const text = string(value, where);
  return pattern.test(text) ? text : wrong(where, expected);
}

function refuseOthers(others: object, where: string): void {
  const [first] = Object.keys(others);
  if (first !== undefined) wrong(where, `no member "${first}"`);
}

function wrong(where: string, expected: string): never {
  throw new TypeError(`${where}: expected ${expected}`);
}
