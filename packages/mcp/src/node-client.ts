// JSON-RPC client of a node, whose errors say what failed and what to do.

import { type Abi, readAbi } from '@starkbox/abi';
import { propertyOf } from '@starkbox/abi/basics';
import type { NodeCalls } from '@starkbox/signing';
import { z } from 'zod';

const ANSWER = z.object({
  result: z.unknown().optional(),
  error: z
    .object({ code: z.number(), message: z.string(), data: z.unknown().optional() })
    .nullish(),
});
/** What our node adds to the errors of calls and transactions. */
const WITH_EXPLANATION = z.object({ explained: z.object({ text: z.string() }) });
const CLASS = z.object({ abi: z.unknown() });
/** A felt of a node; free text in its place is not shown. */
export const FELT_TEXT: z.ZodString = z.string().regex(/^0x[0-9a-fA-F]{1,64}$/, 'not a felt');

/** A call that the node refused. */
export class Refused extends Error {
  readonly code: number;

  constructor(
    method: string,
    { code, message, data }: NonNullable<z.infer<typeof ANSWER>['error']>,
  ) {
    super(`${method} failed with code ${code}: ${message}${detailOf(data)}`);
    this.code = code;
  }
}

function detailOf(data: unknown): string {
  if (data === undefined || data === null) return '';
  const explained = WITH_EXPLANATION.safeParse(data);
  if (explained.success) return `\n${explained.data.explained.text}`;
  return `\n${typeof data === 'string' ? data : JSON.stringify(data, null, 2)}`;
}

export class NodeClient implements NodeCalls {
  readonly url: string;
  /** Undefined for a node that requires none. */
  readonly token: string | undefined;
  /** By class hash; a class never changes. */
  readonly #abis = new Map<string, Abi>();

  constructor(url: string, token?: string) {
    this.url = url;
    this.token = token;
  }

  async call(method: string, params: unknown = {}): Promise<unknown> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      // Another host may not be an allowed one.
      redirect: 'error',
    }).catch((error: unknown) => {
      const reason = String(propertyOf(propertyOf(error, 'cause'), 'message') ?? error);
      throw new Error(
        `No node responds at ${this.url}: ${reason}. Start a chain with start_chain, or attach_chain to another URL.`,
      );
    });
    const answer = ANSWER.safeParse(await response.json().catch(() => undefined));
    if (!answer.success) {
      throw new Error(
        `${this.url} responded to ${method} with status ${response.status}, which is not a Starknet node: give attach_chain the URL of a node.`,
      );
    }
    const { result, error } = answer.data;
    if (error) throw new Refused(method, error);
    return result;
  }

  /** The result of a call, in the form that the specification gives it. */
  async read<T>(schema: z.ZodType<T>, method: string, params: unknown = {}): Promise<T> {
    const read = schema.safeParse(await this.call(method, params));
    if (read.success) return read.data;
    throw new Error(
      `${this.url} responded to ${method} in an unknown form: ${z.prettifyError(read.error)}`,
    );
  }

  chainId(): Promise<string> {
    return this.read(FELT_TEXT, 'starknet_chainId');
  }

  async abiAt(contract_address: string): Promise<Abi> {
    const block_id = 'pre_confirmed';
    const params = { block_id, contract_address };
    return this.abiOf(await this.read(FELT_TEXT, 'starknet_getClassHashAt', params));
  }

  async abiOf(class_hash: string): Promise<Abi> {
    const cached = this.#abis.get(class_hash);
    if (cached) return cached;
    const params = { block_id: 'pre_confirmed', class_hash };
    const { abi } = await this.read(CLASS, 'starknet_getClass', params);
    const read = readAbi(abi);
    this.#abis.set(class_hash, read);
    return read;
  }
}
