// Methods of the node, from `rpc.discover`.
import { listOf, type Members, membersOf } from '@starkbox/abi/basics';
import { useQuery } from '@tanstack/react-query';
import { textOf } from '../format/json.js';
import { call } from './client.js';
import { queries } from './queries.js';

export interface RpcParam {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly schema: unknown;
}

export interface RpcError {
  readonly name: string;
  readonly code: number;
  readonly message: string;
}

export interface RpcMethod {
  readonly name: string;
  readonly alias: string | undefined;
  readonly summary: string;
  readonly params: readonly RpcParam[];
  readonly result: { readonly description: string; readonly schema: unknown } | undefined;
  readonly errors: readonly RpcError[];
  /** Whether the method changes state. */
  readonly writes: boolean;
  readonly isSubscription: boolean;
}

export interface Discovery {
  readonly methods: readonly RpcMethod[];
  readonly schemas: ReadonlyMap<string, unknown>;
}

const KEY = ['discovery'];

async function readDiscovery(): Promise<Discovery> {
  const { methods, components } = await call('rpc.discover', {});
  const errors = new Map(Object.entries(membersOf(membersOf(components)['errors'])));
  return {
    methods: methods
      .map((method) => methodOf(membersOf(method), errors))
      .sort((a, b) => (placeOf(a.name) < placeOf(b.name) ? -1 : 1)),
    schemas: new Map(Object.entries(membersOf(membersOf(components)['schemas']))),
  };
}

export function useDiscovery() {
  return useQuery({ queryKey: KEY, queryFn: readDiscovery });
}

export function fetchDiscovery(): Promise<Discovery> {
  return queries.fetchQuery({ queryKey: KEY, queryFn: readDiscovery });
}

function methodOf(method: Members, errors: ReadonlyMap<string, unknown>): RpcMethod {
  const name = textOf(method['name']);
  const result = membersOf(method['result']);
  return {
    name,
    alias: typeof method['x-alias'] === 'string' ? method['x-alias'] : undefined,
    summary: textOf(method['summary']),
    params: listOf(method['params']).map((param) => {
      const { name, description, required, schema } = membersOf(param);
      return {
        name: textOf(name),
        description: textOf(description),
        required: required === true,
        schema,
      };
    }),
    result:
      result['schema'] === undefined
        ? undefined
        : { description: textOf(result['description']), schema: result['schema'] },
    errors: listOf(method['errors']).flatMap((error) => {
      const ref = membersOf(error)['$ref'];
      const key = typeof ref === 'string' ? nameIn(ref) : '';
      const { code, message } = membersOf(errors.get(key) ?? error);
      return typeof code === 'number' ? [{ name: key, code, message: textOf(message) }] : [];
    }),
    writes: method['x-writes'] === true,
    isSubscription: /_subscribe/.test(name),
  };
}

const GROUPS = ['starknet_', 'devnet_'];

/** Standard methods come first. */
function placeOf(name: string): string {
  const group = GROUPS.findIndex((prefix) => name.startsWith(prefix));
  return `${group < 0 ? GROUPS.length : group} ${name}`;
}

/** The last part of `#/components/schemas/FELT`. */
export function nameIn(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** A method by either of its names. */
export function methodNamed({ methods }: Discovery, name: string): RpcMethod | undefined {
  return methods.find((method) => method.name === name || method.alias === name);
}
