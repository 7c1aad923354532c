// A chain of many blocks, built once on a machine and kept as an image.
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Config, createChain, type LocalChain } from 'starkbox';
import { STRK, type Stage, setStage } from './stage.js';

/** Bump it when the content of the chain changes. */
const VERSION = 3;
const CACHE = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
const FOLDER = join(CACHE, 'starkbox', 'long-chain');
/** Each block of this many has one transaction that fails. */
const FAILING = 50;

/** The whole length takes minutes to make; a small part shows the same growth. Pages read up to 2,000 transactions. */
export const IS_FULL: boolean = process.env['TEST_FULL'] === '1';
export const BLOCKS: number = IS_FULL ? 20_000 : 820;
export const TRANSACTIONS: number = BLOCKS * 2.5;

const CONFIG: Partial<Config> = { seed: 0, accounts: 10, port: 0, blockGenerationOn: 'demand' };
const MULTICALL_OF_ONE = '0x1';
const TRANSFER = '0x83afd3f4caedc6eebf44246fe54e38c95e3179a5ec9ea81740eca5b482d12e';
const hex = (value: number | bigint): string => `0x${value.toString(16)}`;

/** An unsigned transfer as JSON, for a node that impersonates all accounts. */
export function transferRequest(
  node: LocalChain,
  from: number,
  to: number,
  amount: bigint,
  nonce: number,
): string {
  const price = { max_price_per_unit: '0x12a05f200' };
  return JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'starknet_addInvokeTransaction',
    params: {
      invoke_transaction: {
        type: 'INVOKE',
        version: '0x3',
        sender_address: node.accounts[from]?.address,
        calldata: [
          MULTICALL_OF_ONE,
          STRK,
          TRANSFER,
          '0x3',
          node.accounts[to]?.address,
          hex(amount),
          '0x0',
        ],
        nonce: hex(nonce),
        signature: ['0x1', '0x1'],
        resource_bounds: {
          l1_gas: { ...price, max_amount: '0x0' },
          l2_gas: { ...price, max_amount: '0x5f5e100' },
          l1_data_gas: { ...price, max_amount: '0x2710' },
        },
        tip: '0x0',
        paymaster_data: [],
        account_deployment_data: [],
        nonce_data_availability_mode: 'L1',
        fee_data_availability_mode: 'L1',
      },
    },
  });
}

async function ask(node: LocalChain, request: string): Promise<void> {
  const answer = await node.handle(request);
  if (answer === undefined || answer.includes('"error":')) throw new Error(`answered ${answer}`);
}

async function build(file: string): Promise<void> {
  // The transfer of a fee is a quarter of the work.
  const node = await createChain({ ...CONFIG, chargeFee: false });
  await node.request('devnet_autoImpersonate');
  const count = node.accounts.length;
  let sentCount = 0;
  for (let block = 1; block < BLOCKS; block++) {
    // Two, then three.
    const targetCount = Math.ceil((block * TRANSACTIONS) / (BLOCKS - 1));
    const isFailing = block % FAILING === 0;
    for (; sentCount < targetCount; sentCount++) {
      const from = sentCount % count;
      const amount = isFailing && sentCount + 1 === targetCount ? 10n ** 30n : 1n;
      await ask(
        node,
        transferRequest(node, from, (from + 1) % count, amount, Math.floor(sentCount / count)),
      );
    }
    await node.request('devnet_createBlock');
  }
  await node.request('devnet_stopAutoImpersonate');
  mkdirSync(FOLDER, { recursive: true });
  // Another process may make it at the same time.
  const draft = `${file}.${process.pid}`;
  await node.request('devnet_dump', { path: draft, format: 'image' });
  renameSync(draft, file);
  await node.close();
}

/** A stage with the long chain. */
export async function setLongStage(): Promise<Stage> {
  const file = join(FOLDER, `${VERSION}-${BLOCKS}-${TRANSACTIONS}.image`);
  if (!existsSync(file)) await build(file);
  const stage = await setStage({ ...CONFIG, blockGenerationOn: 'transaction' });
  const load = () => stage.node.node.request('devnet_load', { path: file });
  // An image of another format is made anew.
  await load().catch(() => build(file).then(load));
  return stage;
}
