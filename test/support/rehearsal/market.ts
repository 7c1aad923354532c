// A market with a history: two coins, a pool, and a router through which other accounts swap.
import type { Client } from '@starkbox/test-support';
import type { LocalChain } from 'starkbox';
import { type Call, type Contract, contract, deployment, hex, Sender } from '../signing.js';

export interface Market {
  readonly coinA: string;
  readonly coinB: string;
  readonly pool: string;
  readonly router: string;
  /** Transactions that touched the pool, the oldest first. */
  readonly touching: readonly string[];
  /** Swaps of more than 9,000 coins. */
  readonly large: readonly string[];
  /** Reverted ones among them. */
  readonly reverted: readonly string[];
}

const SUPPLY = 10n ** 18n;
/** Coins of each trader. */
const HELD = 10n ** 12n;
const FILLED = 10_000_000;
const TRADERS = 4;
/** Transactions of a block. */
const IN_BLOCK = 5;

const u256 = (value: bigint): readonly string[] => [hex(value), '0x0'];

/**
 * Deploys a market, and makes transactions of several accounts: swaps, swaps through a contract, transfers of coins that
 * do not touch the pool, and swaps that revert.
 *
 * @param node with blocks on demand
 * @param count transactions that touch the pool after its first filling
 * @param load reads a class by its name
 */
export async function createMarket(
  { node, client }: { readonly node: LocalChain; readonly client: Client },
  count: number,
  load: (name: string) => Promise<Contract> = contract,
): Promise<Market> {
  const senders = node.accounts.map((account) => new Sender(client, account));
  const [owner, ...others] = senders;
  if (!owner) throw new Error('there is no account');
  const traders = others.slice(0, TRADERS);
  const close = () => client.call('devnet_createBlock', {});
  const coin = await load('coin');
  const ownerArguments = [...u256(SUPPLY), owner.account.address];
  const coinA = await owner.deploy(coin, ownerArguments, '0xa');
  await close();
  const coinB = await deployAgain(owner, coin.hash, ownerArguments, '0xb');
  const pool = await owner.deploy(await load('pool'), [coinA, coinB]);
  const router = await owner.deploy(await load('router'));
  await close();
  const approve = (to: string, spender: string): Call => ({
    to,
    name: 'approve',
    calldata: [spender, ...u256(HELD)],
  });
  const filling = await owner.invoke([
    approve(coinA, pool),
    approve(coinB, pool),
    { to: pool, name: 'fill', calldata: [hex(FILLED), hex(FILLED)] },
  ]);
  for (const { account } of traders) {
    await owner.invoke(
      [coinA, coinB].map((to) => ({
        to,
        name: 'transfer',
        calldata: [account.address, ...u256(HELD)],
      })),
    );
  }
  await close();
  for (const trader of traders) {
    await trader.invoke([coinA, coinB].flatMap((to) => [approve(to, pool), approve(to, router)]));
  }
  await close();

  const touching = [filling];
  const [large, reverted]: [string[], string[]] = [[], []];
  for (let index = 0; index < count; index += 1) {
    const trader = traders[index % traders.length] ?? owner;
    const aToB = index % 3 !== 0;
    const paid = amountOf(index);
    const direction = aToB ? '0x1' : '0x0';
    const [paidCoin, receivedCoin] = aToB ? [coinA, coinB] : [coinB, coinA];
    const isThrough = index % 4 === 1;
    const swap: Call = isThrough
      ? {
          to: router,
          name: 'swap_through',
          calldata: [pool, paidCoin, receivedCoin, direction, hex(paid)],
        }
      : { to: pool, name: 'swap', calldata: [direction, hex(paid)] };
    const hash = await trader.invoke([swap]);
    touching.push(hash);
    if (paid === 0) reverted.push(hash);
    if (paid > 9000) large.push(hash);
    if (index % 7 === 0) {
      const recipient = hex(0x1000 + index);
      await owner.invoke([{ to: coinA, name: 'transfer', calldata: [recipient, ...u256(1n)] }]);
    }
    if (index % IN_BLOCK === IN_BLOCK - 1) await close();
  }
  await close();
  return { coinA, coinB, pool, router, touching, large, reverted };
}

/** From 3,000 to 10,000 coins, so that fees never vanish by rounding; some are none, which reverts. */
function amountOf(index: number): number {
  return index % 11 === 10 ? 0 : 3000 + ((index * 997) % 7001);
}

async function deployAgain(
  owner: Sender,
  classHash: string,
  constructorCalldata: readonly string[],
  salt: string,
): Promise<string> {
  const { call, address } = deployment(classHash, constructorCalldata, { salt });
  await owner.invoke([call]);
  return address;
}
