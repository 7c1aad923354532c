// A node whose instances are in a folder, and the ways in which a test makes that folder fail.
import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { type ConfigInput, createChain, type LocalChain } from 'starkbox';
import type { NodeOptions } from '../../../starkbox/src/node/node-options.js';

export interface Answer {
  readonly status: number;
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A folder for objects. What is in it goes after the test. */
export class StoreFolder {
  readonly path: string;

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'starkbox-store-'));
    closeAfterTest(() => rmSync(this.path, { recursive: true, force: true }));
  }

  /** As the disk is after a crash at this moment. */
  copy(): StoreFolder {
    const copied = new StoreFolder();
    cpSync(this.path, copied.path, { recursive: true, preserveTimestamps: true });
    return copied;
  }

  keys(prefix: string): readonly string[] {
    const folder = join(this.path, 'objects', prefix);
    return existsSync(folder) ? readdirSync(folder) : [];
  }

  /** Lets every write fail, as on a full disk; reads go on. */
  failWrites(): void {
    renameSync(join(this.path, 'drafts'), join(this.path, 'away'));
  }

  allowWrites(): void {
    renameSync(join(this.path, 'away'), join(this.path, 'drafts'));
  }
}

export class FolderNode {
  readonly url: string;
  readonly #node: LocalChain;

  constructor(node: LocalChain, url: string) {
    this.#node = node;
    this.url = url;
  }

  static async start(
    store: StoreFolder,
    config: ConfigInput = {},
    options: NodeOptions = {},
  ): Promise<FolderNode> {
    const fixed = { seed: 0, accounts: 1, instanceStore: store.path };
    const node = await createChain({ ...fixed, ...config }, options);
    closeAfterTest(() => node.close().catch(() => undefined));
    return new FolderNode(node, (await node.listen({ port: 0 })).url);
  }

  async send(id: string, method: string, params: object = {}): Promise<Answer> {
    const response = await fetch(this.#urlOf(id), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
    });
    return { status: response.status, ...Object(await response.json()) };
  }

  async create(params: object = {}): Promise<string> {
    const { result } = await this.send('root', 'devnet_createInstance', params);
    return Object(result).instance_id;
  }

  mint(id: string): Promise<Answer> {
    return this.send(id, 'devnet_mint', { address: '0x77', amount: 1 });
  }

  async blockNumber(id: string): Promise<unknown> {
    return (await this.send(id, 'starknet_blockNumber')).result;
  }

  /** What a list tells about an instance. */
  async row(
    id: string,
  ): Promise<{ readonly age: number; readonly idle: number; readonly block_number: number }> {
    const { result } = await this.send('root', 'devnet_listInstances');
    const rows: readonly unknown[] = Object(result).instances;
    return Object(rows.find((row) => Object(row).instance_id === id));
  }

  /** The status of a request to write an instance back. */
  async release(id: string): Promise<number> {
    const response = await fetch(`${this.url}/instances/${id}/release`, { method: 'POST' });
    await response.text();
    return response.status;
  }

  close(): Promise<void> {
    return this.#node.close();
  }

  #urlOf(id: string): string {
    return id === 'root' ? this.url : `${this.url}/instances/${id}/rpc`;
  }
}
