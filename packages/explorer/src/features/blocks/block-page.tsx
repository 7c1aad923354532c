// Page of one block: header facts, transactions, events, state changes.
import { canonicalFelt, shortHash } from '@starkbox/abi/basics';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ETH, grouped, percentText, priceText, STRK } from '../../format/amount.js';
import { writeJson } from '../../format/json.js';
import { momentText } from '../../format/time.js';
import { to, useRoute } from '../../navigation/route.js';
import { Action, act, LastDone } from '../../parts/action.js';
import { FactOf, Facts } from '../../parts/facts.js';
import { Icon } from '../../parts/icons.js';
import { Amount, Integer } from '../../parts/number.js';
import { Empty, Heading, Json, Unread } from '../../parts/page-states.js';
import { Tabs } from '../../parts/tabs.js';
import { EventTable } from '../../parts/transaction/event-table.js';
import { StateChanges } from '../../parts/transaction/state-changes.js';
import { TransactionList, USUALLY_SHOWN } from '../../parts/transaction/transaction-list.js';
import { useMedia } from '../../parts/use-media.js';
import { Address, Age, Copy, Finality, Link, useChainNow } from '../../parts/values.js';
import { asCurl, call, RpcFailure } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import type { Result } from '../../rpc/methods.js';
import { type BlockRow, useClasses } from '../../rpc/queries.js';
import { useMarketBlocks } from './market-blocks.js';

const BLOCK_NOT_FOUND = 24;
/** That of blocks for which none was set. */
const DEFAULT_SEQUENCER = 0x1000n;

type BlockId = 'pre_confirmed' | { block_number: number } | { block_hash: string };
type Block = Result<'starknet_getBlockWithTxHashes'>;

function readId(key: string): BlockId | undefined {
  if (key === 'pre_confirmed') return key;
  if (/^\d{1,15}$/.test(key)) return { block_number: Number(key) };
  const block_hash = canonicalFelt(key);
  return block_hash === undefined ? undefined : { block_hash };
}

interface Tab {
  readonly id: BlockId | undefined;
  readonly tab: string;
  readonly revision: number;
}

export function BlockPage({ id: key }: { readonly id: string }) {
  const id = useMemo(() => readId(key), [key]);
  const tab = useRoute().query.get('tab') ?? 'transactions';
  const revision = useLive((live) => (id === 'pre_confirmed' ? live.revision : 0));
  const query = useBlock(key, { id, tab, revision });
  const block = query.data;
  if (!block) {
    const isMissing =
      id === undefined ||
      (query.error instanceof RpcFailure && query.error.code === BLOCK_NOT_FOUND);
    return (
      <>
        <Heading title={`Block ${key}`} />
        {isMissing ? <NoBlock id={key} /> : <Unread query={query} what="the block" />}
      </>
    );
  }
  return (
    <>
      <BlockHeading block={block} id={id} />
      <BlockFacts block={block} isPending={id === 'pre_confirmed'} />
      <BlockTabs block={block} id={id} tab={tab} revision={revision} />
    </>
  );
}

/** The block, and in the same request what the open tab needs. */
function useBlock(key: string, { id, tab, revision }: Tab) {
  const query = useQuery({
    queryKey: ['block', key, revision],
    enabled: id !== undefined,
    placeholderData: (old) => old,
    queryFn: () => call('starknet_getBlockWithTxHashes', { block_id: id ?? 'latest' }),
  });
  useQuery({
    ...stateQuery(id ?? 'pre_confirmed', revision),
    enabled: id !== undefined && tab === 'state',
  });
  useQuery({
    ...eventsQuery(id ?? 'pre_confirmed', revision),
    enabled: id !== undefined && tab === 'events',
  });
  return query;
}

function NoBlock({ id }: { readonly id: string }) {
  const head = useLive((live) => live.head);
  return (
    <p className="empty">
      There is no block {id}.{' '}
      {head && (
        <>
          The head is <Link href={to('block', head.number)}>{head.number}</Link>.
        </>
      )}{' '}
      <Link href={to('blocks')}>All blocks</Link>
    </p>
  );
}

function BlockHeading({ block, id }: { readonly block: Block; readonly id: BlockId | undefined }) {
  const head = useLive((live) => live.head);
  const isPending = id === 'pre_confirmed';
  return (
    <>
      <Heading
        title={isPending ? 'Pre-confirmed block' : `Block ${grouped(block.block_number)}`}
        actions={
          <>
            {block.block_number > 0 && (
              <Link className="button" href={to('block', block.block_number - 1)}>
                <Icon name="left" /> {grouped(block.block_number - 1)}
              </Link>
            )}
            {head && block.block_number < head.number && (
              <Link className="button" href={to('block', block.block_number + 1)}>
                <span>{grouped(block.block_number + 1)}</span> <Icon name="right" />
              </Link>
            )}
            {isPending && (
              <Action
                kind="primary"
                run={() =>
                  act('Seal the block', 'devnet_createBlock', {}, ({ block_hash }) => (
                    <Link href={to('block', block_hash)}>{shortHash(block_hash)}</Link>
                  ))
                }
              >
                Seal now
              </Action>
            )}
            <Copy
              value={asCurl('starknet_getBlockWithReceipts', { block_id: id })}
              what="as curl"
            />
          </>
        }
      />
      {isPending && <LastDone />}
    </>
  );
}

/** Sums of the block's transactions, undefined until they are read; only the chain's own closed blocks have them. */
function useTotals(block: Block, isPending: boolean): BlockRow | null | undefined {
  const { data, error } = useQuery({
    queryKey: ['block-totals', 'block_hash' in block ? block.block_hash : undefined],
    enabled: !isPending,
    queryFn: async () => {
      const { blocks } = await call('devnet_listBlocks', {
        before: block.block_number + 1,
        limit: 1,
      });
      return blocks.find(({ block_number }) => block_number === block.block_number) ?? null;
    },
    retry: false,
  });
  return isPending || error ? null : data;
}

function BlockFacts({ block, isPending }: { readonly block: Block; readonly isPending: boolean }) {
  const totals = useTotals(block, isPending);
  const isWide = useMedia('(min-width: 768px)');
  const fullness = useMarketBlocks()?.get(block.block_number)?.fullness ?? null;
  return (
    <>
      <Facts>
        <FactOf name="Transactions">
          <Integer of={block.transactions.length} />
        </FactOf>
        {totals !== null && <Totals of={totals} />}
        {fullness !== null && <FactOf name="Fullness">{percentText(fullness)}</FactOf>}
        {!isWide && <Moment of={block} isPending={isPending} />}
      </Facts>
      {isWide ? (
        <Facts>
          <Moment of={block} isPending={isPending} />
          <Details of={block} />
        </Facts>
      ) : (
        <details>
          <summary>Details</summary>
          <Facts>
            <Details of={block} />
          </Facts>
        </details>
      )}
    </>
  );
}

/** What few readers look for. */
function Details({ of: block }: { readonly of: Block }) {
  return (
    <>
      {BigInt(block.sequencer_address) !== DEFAULT_SEQUENCER && (
        <FactOf name="Sequencer">
          <Address of={block.sequencer_address} />
        </FactOf>
      )}
      <FactOf name="Starknet version">{block.starknet_version}</FactOf>
      <FactOf name="Data availability">{block.l1_da_mode.toLowerCase()}</FactOf>
      {'parent_hash' in block && block.block_number > 0 && (
        <FactOf name="Parent">
          <Link className="mono" href={to('block', block.parent_hash)} title={block.parent_hash}>
            {shortHash(block.parent_hash)}
          </Link>
        </FactOf>
      )}
      <Prices of={block} />
      {'block_hash' in block && (
        <FactOf name="Hash" isWide>
          <span className="whole">
            {block.block_hash} <Copy value={block.block_hash} what="block hash" />
          </span>
        </FactOf>
      )}
    </>
  );
}

/** Until the sums are read, the facts keep their room. */
function Totals({ of: totals }: { readonly of: BlockRow | undefined }) {
  if (!totals) {
    return ['Failed', 'Events', 'L2 gas', 'Fees'].map((name) => (
      <FactOf key={name} name={name}>
        <span className="quiet">–</span>
      </FactOf>
    ));
  }
  return (
    <>
      <FactOf name="Failed">
        <span className={totals.failed_count > 0 ? 'fail' : undefined}>
          <Integer of={totals.failed_count} />
        </span>
      </FactOf>
      <FactOf name="Events">
        <Integer of={totals.event_count} />
      </FactOf>
      <FactOf name="L2 gas">
        <Integer of={totals.l2_gas} />
      </FactOf>
      <FactOf name="Fees">
        <Amount of={BigInt(totals.fee.fri)} unit={STRK} whole />
        {totals.fee.wei !== '0' && (
          <>
            {' '}
            <Amount of={BigInt(totals.fee.wei)} unit={ETH} whole />
          </>
        )}
      </FactOf>
    </>
  );
}

function Prices({ of: block }: { readonly of: Block }) {
  const prices = [
    ['L2 gas price', block.l2_gas_price],
    ['L1 gas price', block.l1_gas_price],
    ['L1 data gas price', block.l1_data_gas_price],
  ] as const;
  return prices.map(([name, price]) => (
    <FactOf key={name} name={name}>
      <span title={priceText(BigInt(price.price_in_wei), ETH)}>
        {priceText(BigInt(price.price_in_fri), STRK)}
      </span>
    </FactOf>
  ));
}

function Moment({ of: block, isPending }: { readonly of: Block; readonly isPending: boolean }) {
  const now = useChainNow();
  return (
    <>
      <FactOf name="Status">
        {isPending && <Finality of="PRE_CONFIRMED" />}
        {'status' in block &&
          (block.status === 'ACCEPTED_ON_L2' ? 'Accepted on L2' : <Finality of={block.status} />)}
      </FactOf>
      <FactOf name="Chain time">
        {momentText(block.timestamp)}{' '}
        <span className="quiet nowrap">
          <Age of={block.timestamp} />
          {block.timestamp <= now && ' ago'}
        </span>
      </FactOf>
    </>
  );
}

/** Block and age are the same in each row. */
const BLOCK_HEADS: ReadonlySet<string> = new Set([
  'Index',
  ...[...USUALLY_SHOWN].filter((head) => head !== 'Block' && head !== 'Age'),
]);

function BlockTabs({ block, id, tab, revision }: Tab & { readonly block: Block }) {
  const number = block.block_number;
  const filter = useMemo(() => ({ block_number: number }), [number]);
  return (
    <>
      <Tabs
        current={tab}
        tabs={[
          { id: 'transactions', name: 'Transactions', count: block.transactions.length },
          { id: 'state', name: 'State' },
          { id: 'events', name: 'Events' },
          { id: 'raw', name: 'Raw' },
        ]}
      />
      {tab === 'transactions' && (
        <TransactionList
          filter={filter}
          heads={BLOCK_HEADS}
          empty={
            <Empty icon="transactions" title="This block has no transactions.">
              Blocks by <code>devnet_createBlock</code> and by interval can be empty.
            </Empty>
          }
        />
      )}
      {tab === 'state' && id !== undefined && (
        <BlockState id={id} revision={revision} number={block.block_number} />
      )}
      {tab === 'events' && id !== undefined && <BlockEvents id={id} revision={revision} />}
      {tab === 'raw' && <Json of={writeJson(block, 2)} />}
    </>
  );
}

/** The pre-confirmed block is read again with each change of the chain. */
const stateQuery = (id: BlockId, revision: number) => ({
  queryKey: ['state-update', id, revision],
  queryFn: () => call('starknet_getStateUpdate', { block_id: id }),
});

interface PartProps {
  readonly id: BlockId;
  readonly revision: number;
}

function BlockState({ id, revision, number }: PartProps & { readonly number: number }) {
  const query = useQuery({ ...stateQuery(id, revision), placeholderData: keepPreviousData });
  const { data, error } = query;
  if (error || !data) return <Unread query={query} what="the changes" />;
  return <StateChanges diff={data.state_diff} before={number - 1} />;
}

const MAX_EVENTS = 1_000;

const eventsQuery = (id: BlockId, revision: number) => ({
  queryKey: ['block-events', id, revision],
  queryFn: async () => {
    const { events, continuation_token } = await call('starknet_getEvents', {
      filter: { from_block: id, to_block: id, chunk_size: MAX_EVENTS },
    });
    const sources = [...new Set(events.map(({ from_address }) => from_address))];
    const hashes = await Promise.all(
      sources.map((contract_address) =>
        call('starknet_getClassHashAt', { block_id: id, contract_address }).catch(() => undefined),
      ),
    );
    return {
      events,
      hasMore: continuation_token !== undefined,
      classOf: new Map(sources.map((source, at) => [source, hashes[at]])),
    };
  },
});

function BlockEvents({ id, revision }: PartProps) {
  const query = useQuery({ ...eventsQuery(id, revision), placeholderData: keepPreviousData });
  const { data, error } = query;
  const classes = useClasses(
    useMemo(
      () => [...new Set(data?.classOf.values())].filter((hash) => hash !== undefined),
      [data],
    ),
  );
  if (error || !data) return <Unread query={query} what="the events" />;
  if (data.events.length === 0)
    return (
      <Empty icon="events" title="This block has no events.">
        A contract emits an event with <code>self.emit</code>.
      </Empty>
    );
  return (
    <>
      <EventTable events={data.events} classOf={data.classOf} classes={classes} />
      {data.hasMore && <p className="quiet">The first {grouped(MAX_EVENTS)} events.</p>}
    </>
  );
}
