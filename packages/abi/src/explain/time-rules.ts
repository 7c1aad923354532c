// Causes of failures in checks of the time: too early, not yet open, still locked.
import { canonicalFelt } from '../felt.js';
import type { Facts, PossibleFinding, Rule } from './finding.js';

const DAY = 86_400;
const LATEST = 10 * 365 * DAY;

/** `2026-11-18 20:55:00 UTC` */
function momentText(seconds: number): string {
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** The soonest time after a moment that the storage of a contract holds. */
async function storedTimeAfter(time: number, facts: Facts): Promise<number | undefined> {
  const { frame, sources } = facts;
  const values = (frame && (await sources.storedAt?.(frame.contract))) ?? [];
  const times = values
    .map((value) => Number(canonicalFelt(value) ?? 'NaN'))
    .filter((seconds) => seconds > time && seconds < time + LATEST);
  return times.length === 0 ? undefined : Math.min(...times);
}

async function tooEarly(_: RegExpExecArray, facts: Facts): Promise<PossibleFinding> {
  const { frame, view, sources } = facts;
  const { time } = sources;
  if (!frame || time === undefined) return undefined;
  const due = await storedTimeAfter(time, facts);
  const block = `The time of the block was ${momentText(time)}`;
  if (due === undefined) {
    return {
      hint: `${block}. Move the clock forward with devnet_increaseTime, and send the transaction again.`,
      advice: `${block}. Move the clock forward, and send the transaction again.`,
      actions: [
        {
          kind: 'increase_time',
          label: 'Move the clock forward by 1 day',
          method: 'devnet_increaseTime',
          params: { time: DAY },
        },
      ],
    };
  }
  const stored = `the storage of ${view.contract(frame)} holds a later time, ${momentText(due)}`;
  return {
    hint: `${block}, and ${stored}. Call devnet_setTime {"time": ${due}, "generate_block": true}, and send the transaction again.`,
    advice: `${block}, and ${stored}.`,
    actions: [
      {
        kind: 'set_time',
        label: `Move the clock to ${momentText(due)}`,
        method: 'devnet_setTime',
        params: { time: due, generate_block: true },
      },
    ],
  };
}

export const TIME_RULES: readonly Rule[] = [
  {
    pattern:
      /too (?:early|soon)|not (?:yet )?(?:started|matured|unlocked|unlockable)|not yet|(?:still|time|is)[- _]?locked|before (?:the )?(?:start|unlock|release)|timelock/i,
    find: tooEarly,
  },
];
