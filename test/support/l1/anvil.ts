// The L1 of the tests: a real Anvil on a free port, its accounts, and our contracts on it.
import { type ChildProcess, spawn } from 'node:child_process';

import { createInterface } from 'node:readline';
import {
  type Account,
  type Address,
  type Chain,
  createTestClient,
  type GetContractReturnType,
  getContract,
  type Hex,
  type HttpTransport,
  http,
  type PublicActions,
  publicActions,
  type TestClient,
  type WalletActions,
  walletActions,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { vi } from 'vitest';
import { findAnvil } from '../../../packages/starkbox/src/l1/anvil/process.js';
import { MESSAGING_ABI } from '../../../packages/starkbox/src/l1/ethereum/messaging-contract.js';
import { closeAfterFile } from '../closing.js';

/** The accounts that every Anvil begins with; the postman signs with the first one. */
export const KEYS = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
] as const;

/** Where the first contract of the first account lands. */
export const FIRST_CONTRACT = '0x5fbdb2315678afecb367f032d93f642f64180aa3';

export type L1Client = TestClient<'anvil', HttpTransport, Chain, Account> &
  PublicActions<HttpTransport, Chain, Account> &
  WalletActions<Chain, Account>;

export interface Anvil {
  readonly url: string;
  readonly port: number;
  /** Signs as one of the accounts; the second by default, so that nonces of the postman are its own. */
  client(account?: 0 | 1 | 2): L1Client;
  /** Ends at once, as by a crash. */
  kill(): Promise<void>;
}

/** Ended after the tests of the file. */
export async function startAnvil(args: readonly string[] = [], port = 0): Promise<Anvil> {
  const child = spawn(await findAnvil(), ['--port', String(port), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const boundPort = await listening(child);
  const url = `http://127.0.0.1:${boundPort}/`;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const anvil: Anvil = {
    url,
    port: boundPort,
    client: (account = 1) => connect(url, KEYS[account]),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
  closeAfterFile(() => anvil.kill());
  return anvil;
}

export function connect(url: string, key: Hex = KEYS[1]): L1Client {
  return createTestClient({
    mode: 'anvil',
    account: privateKeyToAccount(key),
    chain: foundry,
    transport: http(url),
  })
    .extend(publicActions)
    .extend(walletActions);
}

export type MessagingContract = GetContractReturnType<typeof MESSAGING_ABI, L1Client, Address>;

export function messagingAt(client: L1Client, address: string): MessagingContract {
  return getContract({ abi: MESSAGING_ABI, address: asHex(address), client });
}

/** Where the contract lives that this transaction created, or throws if it was reverted. */
export async function mined(client: L1Client, hash: Hex): Promise<Address | null | undefined> {
  // Of two blocks in quick succession, waitForTransactionReceipt may look at the first one only.
  const { status, contractAddress } = await vi.waitFor(
    () => client.getTransactionReceipt({ hash }),
    { timeout: 30_000, interval: 5 },
  );
  if (status !== 'success') throw new Error(`${hash} was reverted`);
  return contractAddress;
}

export function asHex(text: string): Hex {
  return `0x${text.replace(/^0x/, '')}`;
}

async function listening(child: ChildProcess): Promise<number> {
  const { stdout } = child;
  if (!stdout) throw new Error('Anvil has no output');
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`Anvil ended with ${code}`)));
    createInterface({ input: stdout }).on('line', (line) => {
      const port = /^Listening on \S+:(\d+)$/.exec(line.trim())?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
}
