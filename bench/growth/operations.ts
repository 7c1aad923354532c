// Operations whose cost is measured on chains of growing size.
import {
  type GrowingChain,
  type Read,
  readBlock,
  readEventsByAddress,
  readEventsByKey,
  readHotSlot,
  readSlot,
  readTransaction,
} from '../harness/growing-chain.js';
import { rpcBody } from '../harness/rpc-client.js';

/** A page of events needs as many transfers after its first one. */
export const LAST_TRANSFERS = 10;

export interface Operation {
  readonly name: string;
  readonly title: string;
  /** How many make one sample: enough for the clock of CPU time. */
  readonly each: number;
  /** Rounds for each one of a transaction: cheap operations vary more. */
  readonly rounds: number;
  /** A request; `pick` chooses one of the chain's transfers. */
  readonly make: (chain: GrowingChain, pick: () => number) => string | Promise<string>;
}

const reading = (name: string, title: string, read: Read): Operation => ({
  name,
  title,
  each: 40,
  rounds: 3,
  make: (chain, pick) => read(chain, pick()),
});

export const OPERATIONS: readonly Operation[] = [
  {
    name: 'transaction',
    title: 'a transfer, which closes a block',
    each: 6,
    rounds: 1,
    make: (chain) => chain.nextTransfer(),
  },
  {
    name: 'snapshot',
    title: '`devnet_snapshot`',
    each: 10,
    rounds: 2,
    make: () => rpcBody('devnet_snapshot'),
  },
  reading('storage', '`starknet_getStorageAt` of an old block', readSlot),
  reading('hot-storage', '`starknet_getStorageAt` of a slot of every block', readHotSlot),
  reading('block', '`starknet_getBlockWithReceipts`', readBlock),
  reading('hash', '`starknet_getTransactionByHash`', readTransaction),
  reading('events', '`starknet_getEvents` by a rare key', readEventsByKey),
  reading('events-from', '`starknet_getEvents` from an old block on', readEventsByAddress),
];
