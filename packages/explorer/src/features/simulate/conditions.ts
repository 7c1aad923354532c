// Another clock and another gas price for a simulation, which then runs on a branch of the chain that is deleted after it.
import { readGasPrice, STRK } from '../../format/amount.js';
import { chainPath } from '../../format/chain-path.js';
import { readMoment } from '../../format/time.js';
import type { Run } from '../../parts/send/run.js';
import { call, request } from '../../rpc/client.js';
import { chainNow } from '../../rpc/live-state.js';

/** As typed; empty for the chain's own. */
export interface Conditions {
  readonly clock: string;
  readonly price: string;
}

const SPANS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const LATER = /^\+\s*(\d{1,9})\s*([smhd])$/;

/** Seconds since 1970: a date, a number, or `+1 d` from now on. */
function readClock(text: string, now: number): number | undefined {
  const [, count, unit] = LATER.exec(text.trim()) ?? [];
  if (count !== undefined) return now + Number(count) * (SPANS[unit ?? ''] ?? 1);
  return readMoment(text);
}

/** What keeps the conditions from being met; undefined if nothing does. */
export function conditionFault(
  { clock, price }: Conditions,
  block: string,
  now: number,
): string | undefined {
  if (clock.trim() === '' && price.trim() === '') return undefined;
  if (clock.trim() !== '' && readClock(clock, now) === undefined)
    return 'A clock is a date such as 2026-11-16T01:00:00Z, seconds since 1970, or a span such as +1 d.';
  const gasPrice = price.trim() === '' ? 1n : readGasPrice(price, STRK);
  if (gasPrice === undefined || gasPrice === 0n) return 'A price is a number above zero, in gfri.';
  return /^\d/.test(block.trim())
    ? 'Clock and price can be changed on the newest state alone: choose pre-confirmed.'
    : undefined;
}

/** Seconds without a request after which the branch is deleted, should the page be closed meanwhile. */
const BRANCH_SECONDS = 120;

/**
 * Runs `work` on a branch of the chain with these conditions.
 * @param block as typed
 */
export async function underConditions(
  { clock, price }: Conditions,
  block: string,
  work: (chain: string) => Promise<readonly Run[]>,
): Promise<readonly Run[]> {
  const now = chainNow();
  const fault = conditionFault({ clock, price }, block, now);
  if (fault !== undefined) throw new Error(fault);
  const time = clock.trim() === '' ? undefined : readClock(clock, now);
  const fri = price.trim() === '' ? undefined : readGasPrice(price, STRK);
  if (time === undefined && fri === undefined) return work(chainPath());
  const { instance_id } = await call('devnet_createInstance', {
    name: 'simulation',
    ttl: BRANCH_SECONDS,
  });
  try {
    const chain = chainPath(instance_id);
    // Prices and times are those of a block: the one that is sealed here makes them apply to the next.
    if (fri !== undefined) {
      const prices = { l2_gas_price_fri: fri, generate_block: true };
      await request('devnet_setGasPrice', prices, chain);
    }
    if (time !== undefined) await request('devnet_setTime', { time, generate_block: true }, chain);
    const runs = await work(chain);
    // Explanations are asked for while the branch is there.
    return await Promise.all(
      runs.map(async (run) => {
        const explained = await run.explain?.();
        return run.explain ? { ...run, explain: async () => explained } : run;
      }),
    );
  } finally {
    await call('devnet_deleteInstance', { instance_id });
  }
}
