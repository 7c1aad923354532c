// Public API of `starkbox/devnet`: the classes of the library devnet-js (`starknet-devnet` on npm), on our node.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Stream } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Methods } from '@starkbox/spec';
import { resultOf } from '../client/methods.js';
import { PACKAGE_FOLDER } from '../files/package-folder.js';
import { parse, stringify } from '../json/json.js';
import { Cheats, Postman, type Send } from './steering.js';

/** A number, a bigint, or a string of decimal or hexadecimal digits. */
export type BigNumberish = string | number | bigint;
/** The unit of a token: ETH in WEI, STRK in FRI. */
export type BalanceUnit = 'WEI' | 'FRI';
/** A block by its state. */
export type BlockTag = 'latest' | 'pre_confirmed' | 'l1_accepted';
/** A tag, a number, or a hash. */
export type BlockId = BlockTag | number | string;
/** An account that exists from the first block. */
export type PredeployedAccount = Methods['devnet_getPredeployedAccounts']['result'][number];

/** The result of `mint`. */
export interface MintResponse {
  /** The balance afterwards. */
  new_balance: bigint;
  /** The unit of the balance. */
  unit: BalanceUnit;
  /** The transaction that minted the tokens. */
  tx_hash: string;
}

/** The prices after `setGasPrice`, in FRI. */
export interface GasModificationResponse {
  /** The price of L1 gas. */
  l1_gas_price?: bigint;
  /** The price of L1 data gas. */
  l1_data_gas_price?: bigint;
  /** The price of L2 gas. */
  l2_gas_price?: bigint;
}

/** The result of `createBlock`. */
export type NewBlockResponse = Methods['devnet_createBlock']['result'];
/** The result of `abortBlocks`. */
export type AbortedBlocksResponse = Methods['devnet_abortBlocks']['result'];
/** The result of the node, with the new time under the name in the types of devnet-js. */
export type SetTimeResponse = Methods['devnet_setTime']['result'] & { readonly time: number };
/** The result of `increaseTime`, with the new time. */
export type IncreaseTimeResponse = Methods['devnet_increaseTime']['result'] & {
  readonly time: number;
};

/** Options of `DevnetProvider`. */
export interface DevnetProviderConfig {
  /** `http://127.0.0.1:5050` by default. */
  url?: string;
  /** Milliseconds until a call is given up; 30 s by default. */
  timeout?: number;
}

/** A failed call: with the code and data of the node, or because the node did not respond. */
export class DevnetProviderError extends Error {
  /** The code of the error; undefined if the node did not respond. */
  readonly code: number | undefined;
  /** Details from the node. */
  readonly data: unknown;

  constructor(message: string, { code, data }: { code?: number; data?: unknown } = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A node could not be started. */
export class DevnetError extends Error {}

/** Kept for code that names it: nothing is downloaded here. */
export class GithubError extends Error {}

type RpcBlockId = Methods['devnet_abortBlocks']['params']['starting_block_id'];

/** Returns a block id as the specification writes it. */
export function toRpcBlockId(blockId: BlockId): RpcBlockId {
  if (typeof blockId === 'number') return { block_number: blockId };
  if (blockId === 'latest' || blockId === 'pre_confirmed' || blockId === 'l1_accepted') {
    return blockId;
  }
  return { block_hash: blockId };
}

/** Calls of a node at a URL. */
export class DevnetProvider {
  /** The URL of the node. */
  readonly url: string;
  /** Messages between L1 and L2. */
  readonly postman: Postman;
  /** Impersonation. */
  readonly cheats: Cheats;
  readonly #timeout: number;

  constructor({ url = 'http://127.0.0.1:5050', timeout = 30_000 }: DevnetProviderConfig = {}) {
    this.url = url;
    this.#timeout = timeout;
    this.postman = new Postman(this.#send);
    this.cheats = new Cheats(this.#send);
  }

  /** Whether the node responds. */
  isAlive(): Promise<boolean> {
    return this.#fetch('/is_alive', {}).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /**
   * Starts the chain again from its first block.
   *
   * @throws DevnetProviderError if the node rejects the call, or does not respond
   */
  async restart(params: { restartL1ToL2Messaging?: boolean } = {}): Promise<void> {
    await this.#send('devnet_restart', {
      restart_l1_to_l2_messaging: params.restartL1ToL2Messaging ?? false,
    });
  }

  /**
   * Gives tokens to an address.
   *
   * @throws DevnetProviderError if the node rejects the call, or does not respond
   */
  async mint(address: string, amount: bigint, unit: BalanceUnit = 'FRI'): Promise<MintResponse> {
    const minted = await this.#send('devnet_mint', { address, amount, unit });
    return { new_balance: BigInt(minted.new_balance), unit, tx_hash: minted.tx_hash };
  }

  /**
   * Lists the accounts that exist from the first block.
   *
   * @throws DevnetProviderError if the node rejects the call, or does not respond
   */
  async getPredeployedAccounts(
    additionalArgs: { withBalance?: boolean } = {},
  ): Promise<PredeployedAccount[]> {
    const with_balance = additionalArgs.withBalance ?? false;
    return [...(await this.#send('devnet_getPredeployedAccounts', { with_balance }))];
  }

  /**
   * Closes the block under construction.
   *
   * @throws DevnetProviderError if the node rejects the call, or does not respond
   */
  createBlock(): Promise<NewBlockResponse> {
    return this.#send('devnet_createBlock', {});
  }

  /**
   * Removes a block and all after it.
   *
   * @throws DevnetProviderError if the node rejects the call, or does not respond
   */
  abortBlocks(startingBlockId: BlockId): Promise<AbortedBlocksResponse> {
    return this.#send('devnet_abortBlocks', { starting_block_id: toRpcBlockId(startingBlockId) });
  }

  /**
   * Sets the time of the next block.
   *
   * @throws DevnetProviderError if the node rejects the call, or does not respond
   */
  async setTime(
    time: number,
    additionalArgs: { generateBlock?: boolean } = {},
  ): Promise<SetTimeResponse> {
    const generate_block = additionalArgs.generateBlock ?? false;
    const set = await this.#send('devnet_setTime', { time, generate_block });
    return { ...set, time: set.block_timestamp };
  }

  /**
   * Moves the time forward and closes a block.
   *
   * @throws DevnetProviderError if the node rejects the call, or does not respond
   */
  async increaseTime(increment: number): Promise<IncreaseTimeResponse> {
    const increased = await this.#send('devnet_increaseTime', { time: increment });
    const block_id = { block_hash: increased.block_hash };
    const { timestamp } = await this.#send('starknet_getBlockWithTxHashes', { block_id });
    return { ...increased, time: timestamp };
  }

  /**
   * Saves the chain in a file of the node.
   *
   * @throws DevnetProviderError if the node rejects the call, or does not respond
   */
  async dump(path?: string): Promise<void> {
    await this.#send('devnet_dump', path === undefined ? {} : { path });
  }

  /**
   * Replaces the chain with a saved one.
   *
   * @throws DevnetProviderError if the node rejects the call, or does not respond
   */
  async load(path: string): Promise<void> {
    await this.#send('devnet_load', { path });
  }

  /**
   * Sets prices in FRI; the others stay.
   *
   * @throws DevnetProviderError if the node rejects the call, or does not respond
   */
  async setGasPrice(
    price: { l1GasPrice?: bigint; l1DataGasPrice?: bigint; l2GasPrice?: bigint },
    generateBlock: boolean = false,
  ): Promise<GasModificationResponse> {
    const { l1GasPrice, l1DataGasPrice, l2GasPrice } = price;
    const set = await this.#send('devnet_setGasPrice', {
      ...(l1GasPrice === undefined ? {} : { gas_price_fri: l1GasPrice }),
      ...(l1DataGasPrice === undefined ? {} : { data_gas_price_fri: l1DataGasPrice }),
      ...(l2GasPrice === undefined ? {} : { l2_gas_price_fri: l2GasPrice }),
      generate_block: generateBlock,
    });
    return {
      l1_gas_price: BigInt(set.gas_price_fri),
      l1_data_gas_price: BigInt(set.data_gas_price_fri),
      l2_gas_price: BigInt(set.l2_gas_price_fri),
    };
  }

  /**
   * Returns the options of the node.
   *
   * @throws DevnetProviderError if the node rejects the call, or does not respond
   */
  getConfig(): Promise<Methods['devnet_getConfig']['result']> {
    return this.#send('devnet_getConfig', {});
  }

  readonly #send: Send = async (method, params) => {
    const answer = await this.#fetch('/rpc', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = Object(parse(await answer.text()));
    if (error === undefined) return resultOf(method, result);
    const { code, message, data } = Object(error);
    throw new DevnetProviderError(String(message), { code: Number(code), data });
  };

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const signal = AbortSignal.timeout(this.#timeout);
    return fetch(new URL(path, this.url), { ...init, signal }).catch((error: unknown) => {
      const reason = signal.aborted
        ? `did not respond within ${this.#timeout} ms: raise the timeout of DevnetProvider`
        : `cannot be reached: ${Object(error).cause ?? error}`;
      throw new DevnetProviderError(`The node at ${this.url} ${reason}`);
    });
  }
}

/** Where the output of the node goes. */
export type DevnetOutput = 'inherit' | 'ignore' | Stream | number;

/** Options of the functions that start a node. */
export interface DevnetConfig {
  /** Arguments of the command. */
  args?: string[];
  /** The standard output; `inherit` by default. */
  stdout?: DevnetOutput;
  /** The standard error; `inherit` by default. */
  stderr?: DevnetOutput;
  /** Milliseconds until a start is given up; 5 s by default. */
  maxStartupMillis?: number;
  /** Whether the node stays when this process ends. */
  keepAlive?: boolean;
}

const COMMAND = fileURLToPath(new URL('bin/starkbox.js', PACKAGE_FOLDER));
const CHECK_INTERVAL = 20;

/** A node in a separate process. */
export class Devnet {
  /** Nodes that end with this process. */
  static readonly instances: Devnet[] = [];
  /** Calls of the node. */
  readonly provider: DevnetProvider;
  readonly #process: ChildProcess;

  /** @internal The functions that spawn create them. */
  constructor(child: ChildProcess, provider: DevnetProvider) {
    this.#process = child;
    this.provider = provider;
  }

  /**
   * Starts the Starkbox of this package.
   *
   * @example
   * import { Devnet } from 'starkbox/devnet'; // was: from 'starknet-devnet'
   * const devnet = await Devnet.spawnInstalled({ args: ['--seed', '0'] });
   * @throws DevnetError if the node ends or does not start in time
   */
  static spawnInstalled(config: DevnetConfig = {}): Promise<Devnet> {
    // The node sees by itself that this process has ended, however it ends.
    const bound = config.keepAlive ? [] : ['--exit-with-parent'];
    return Devnet.#spawn(process.execPath, [COMMAND, ...bound], config);
  }

  /**
   * The same: this package is one version, whichever is asked for.
   *
   * @throws DevnetError if the node ends or does not start in time
   */
  static spawnVersion(_version: string, config: DevnetConfig = {}): Promise<Devnet> {
    return Devnet.spawnInstalled(config);
  }

  /**
   * Starts your command, which takes the arguments of starknet-devnet.
   *
   * @throws DevnetError if the node ends or does not start in time
   */
  static spawnCommand(command: string, config: DevnetConfig = {}): Promise<Devnet> {
    return Devnet.#spawn(command, [], config);
  }

  static async #spawn(
    command: string,
    first: readonly string[],
    config: DevnetConfig,
  ): Promise<Devnet> {
    const { args = [], stdout = 'inherit', stderr = 'inherit', keepAlive = false } = config;
    const chosenPort = optionIn(args, '--port');
    const port = chosenPort ?? (await freePort());
    const portOption = chosenPort === undefined ? ['--port', port] : [];
    const child = spawn(command, [...first, ...args, ...portOption], {
      detached: true,
      stdio: ['ignore', stdout, stderr],
    });
    child.unref();
    const failed = once(child, 'error').then(([error]) => Promise.reject(error));
    // Where nothing waits for it any more, it is seen by later calls.
    failed.catch(() => undefined);
    const url = `http://${optionIn(args, '--host') ?? '127.0.0.1'}:${port}`;
    const devnet = new Devnet(child, new DevnetProvider({ url }));
    if (!keepAlive) endWithProcess(devnet);
    await Promise.race([failed, devnet.#started(config.maxStartupMillis ?? 5000)]);
    return devnet;
  }

  async #started(limit: number): Promise<void> {
    const timeout = AbortSignal.timeout(limit);
    while (!(await this.provider.isAlive())) {
      const { exitCode } = this.#process;
      if (exitCode !== null) {
        throw new DevnetError(`The node exited with code ${exitCode}; see its output`);
      }
      if (timeout.aborted) {
        this.kill();
        throw new DevnetError(`The node did not start in ${limit} ms; raise maxStartupMillis`);
      }
      await delay(CHECK_INTERVAL);
    }
  }

  /** Sends a signal to the process; SIGTERM by default. */
  kill(signal: NodeJS.Signals = 'SIGTERM'): boolean {
    return this.#process.kill(signal);
  }
}

function endWithProcess(devnet: Devnet): void {
  if (Devnet.instances.length === 0) {
    process.once('exit', () => {
      for (const instance of Devnet.instances) instance.kill();
    });
  }
  Devnet.instances.push(devnet);
}

/** The value of an option of the command. */
function optionIn(args: readonly string[], option: string): string | undefined {
  const at = args.indexOf(option);
  return at < 0 ? undefined : args[at + 1];
}

async function freePort(): Promise<string> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  server.close();
  if (typeof address !== 'object' || !address) throw new DevnetError('No free port was found');
  return String(address.port);
}
