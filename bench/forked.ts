// Processes of the fork benchmark: an origin behind a proxy that counts and delays, and its forks.
import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Class, storageAddress } from '@starkbox/engine';
import { type Config, createNode } from 'starkbox';
import { FaultyProxy } from '../packages/e2e/support/fork/proxy.js';
import { hex, STRK } from '../packages/engine/test/fixtures/chain.js';
import { CONTRACTS } from './repository.js';

/** Holds `key + 1` at every key. */
export const SLOTS = '0x5107';
/** Account that executes any calls. */
export const CALLER = '0xca11';

export type Command =
  | { readonly do: 'originate'; readonly blocks: number; readonly slots: number }
  | { readonly do: 'delay'; readonly milliseconds: number }
  | { readonly do: 'count' }
  | { readonly do: 'fork'; readonly config: Partial<Config> }
  | { readonly do: 'close' };

/** The reply of a process to a command. */
export interface Reply {
  readonly url?: string;
  /** Start time of a node. */
  readonly milliseconds?: number;
  /** Slots, nonces and classes requested since the last count. */
  readonly reads?: number;
  readonly requests?: number;
  /** Total time of answering requests. */
  readonly answering?: number;
  readonly error?: string;
}

/** A child process that runs commands. */
export class Worker {
  readonly #child: ChildProcess = fork(fileURLToPath(import.meta.url), { stdio: 'inherit' });

  run(command: Command): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const gone = (code: number | null): void => reject(new Error(`a process ended with ${code}`));
      this.#child.once('exit', gone);
      this.#child.once('message', (reply: Reply) => {
        this.#child.off('exit', gone);
        if (reply.error === undefined) resolve(reply);
        else reject(new Error(reply.error));
      });
      this.#child.send(command);
    });
  }

  /** Closes the node, then ends the process. */
  async end(): Promise<void> {
    await this.run({ do: 'close' });
    this.#child.kill();
  }

  kill(): void {
    this.#child.kill();
  }
}

let proxy: FaultyProxy | undefined;
let close: (() => Promise<void>) | undefined;

async function perform(command: Command): Promise<Reply> {
  switch (command.do) {
    case 'originate': {
      const node = await createNode({ seed: 0, port: 0 });
      for (let block = 0; block < command.blocks; block += 1) {
        await node.call('devnet_createBlock');
      }
      const { classes, ...state_diff } = await contracts(command.slots);
      await node.call('devnet_applyStateDiff', { state_diff, classes });
      await node.call('devnet_createBlock');
      const { url } = await node.listen();
      proxy = await FaultyProxy.before(url);
      close = async () => {
        await proxy?.close();
        await node.close();
      };
      return { url: proxy.url };
    }
    case 'delay':
      if (proxy) proxy.delay = command.milliseconds;
      return {};
    case 'count': {
      const { reads = 0, requests = 0, answering = 0 } = proxy ?? {};
      proxy?.forget();
      return { reads, requests, answering };
    }
    case 'fork': {
      const begin = performance.now();
      const node = await createNode({ seed: 1, port: 0, ...command.config });
      const { url } = await node.listen();
      close = () => node.close();
      return { url, milliseconds: performance.now() - begin };
    }
    case 'close':
      await close?.();
      return {};
  }
}

/** Two test contracts and token balances, as a state diff with classes. */
async function contracts(slots: number) {
  const [many, caller] = await Promise.all(['slots', 'account_reject'].map(compiled));
  if (!many || !caller) throw new Error('a contract is missing');
  const entries = (name: string) =>
    Array.from({ length: slots }, (_, key) => ({
      key: storageAddress(name, [hex(key + 1)]),
      value: hex(key + 2),
    }));
  return {
    classes: [many, caller].map(({ class_hash, contract_class }) => ({
      class_hash,
      contract_class,
    })),
    deployed_contracts: [
      { address: SLOTS, class_hash: many.class_hash },
      { address: CALLER, class_hash: caller.class_hash },
    ],
    storage_diffs: [
      { address: SLOTS, storage_entries: entries('slot') },
      { address: STRK, storage_entries: entries('ERC20_balances') },
    ],
  };
}

async function compiled(name: string) {
  const file = new URL(`cairo/${name}.sierra.json`, CONTRACTS);
  const made = await Class.compile(await readFile(file, 'utf8'));
  const contract_class: unknown = JSON.parse(await made.json());
  return { class_hash: made.hash, contract_class };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('message', (command: Command) => {
    perform(command).then(
      (reply) => process.send?.(reply),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
}
