// Blocks with one token transfer each: a few that ran, and any number of the same weight.
import { randomBytes } from 'node:crypto';
import type { EventData } from '@starkbox/engine';
import type { ClosedBlock, TransactionRecord } from '../../src/chain/history/header.js';

export interface Sample {
  readonly record: TransactionRecord;
  readonly events: readonly EventData[];
}

const GWEI = { price_in_fri: '0x3b9aca00', price_in_wei: '0x3b9aca00' };
export const PRICES = { l1_gas_price: GWEI, l1_data_gas_price: GWEI, l2_gas_price: GWEI };

export const randomFelt = (): string => `0x7${randomBytes(31).toString('hex')}`;

export function closedBlock(
  number: number,
  transactions: readonly TransactionRecord[],
  changes: Partial<ClosedBlock['header']> = {},
): ClosedBlock {
  const header = {
    number,
    hash: randomFelt(),
    parentHash: '0x0',
    timestamp: 1_700_000_000 + number,
    prices: PRICES,
    transactionCount: transactions.length,
    eventCount: 2 * transactions.length,
    stateDiffLength: 4,
    transactionCommitment: randomFelt(),
    eventCommitment: randomFelt(),
    receiptCommitment: randomFelt(),
    stateDiffCommitment: randomFelt(),
    ...changes,
  };
  return { header, transactions };
}

const LONG = /0x[0-9a-f]{40,}/g;

/**
 * Another transfer: what all samples have in common stays (tokens, classes, selectors), and all else that
 * is long (accounts, signature, hash, slots) is new.
 */
export class Transfers {
  readonly #samples: readonly Sample[];
  readonly #shared: ReadonlySet<string>;

  constructor(samples: readonly Sample[]) {
    this.#samples = samples;
    const each = samples.map(
      ({ record: { transaction, receipt, trace } }) =>
        new Set(`${transaction}${receipt}${trace}`.match(LONG)),
    );
    const [first = new Set<string>(), ...others] = each;
    this.#shared = new Set([...first].filter((felt) => others.every((other) => other.has(felt))));
  }

  make(index: number): Sample {
    const sample = this.#samples[index % this.#samples.length];
    if (!sample) throw new Error('there is no sample');
    const renamed = new Map<string, string>();
    const rename = (felt: string): string => {
      if (this.#shared.has(felt)) return felt;
      const newFelt = renamed.get(felt) ?? randomFelt();
      renamed.set(felt, newFelt);
      return newFelt;
    };
    const { record, events } = sample;
    return {
      record: {
        hash: rename(record.hash),
        transaction: record.transaction.replace(LONG, rename),
        proofFacts: undefined,
        receipt: record.receipt.replace(LONG, rename),
        trace: record.trace.replace(LONG, rename),
      },
      events: events.map((event) => ({ ...event, keys: event.keys.map(rename) })),
    };
  }
}
