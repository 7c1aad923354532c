// Facts of the chain on the overview: mode, clock, origin, L1, rules, instance.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { counted, grouped, percentText } from '../../format/amount.js';
import { chainUrl, hasUrl, instanceId } from '../../format/chain-path.js';
import { generationText, offsetText } from '../../format/time.js';
import { to } from '../../navigation/route.js';
import { Copy, Fact, Link, UntrustedText } from '../../parts/values.js';
import { call } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import { useConfig } from '../../rpc/queries.js';
import type { ChainSummary, Network } from './chain-summary.js';

/** The connection to L1 changes rarely, so it is read when the page is opened. */
function useL1() {
  return useQuery({
    queryKey: ['overview-l1'],
    staleTime: 0,
    queryFn: () => call('devnet_listMessages', { direction: 'TO_L1', limit: 1 }),
  });
}

export function ChainFacts({ summary }: { readonly summary: ChainSummary | undefined }) {
  const config = useConfig();
  const l1 = useL1();
  const facts: (readonly [name: string, value: ReactNode])[] = [
    ['blocks', <Mode key="mode" summary={summary} />],
    ['clock', <Clock key="clock" />],
    ['origin', <Origin key="origin" />],
  ];
  if (l1.data) facts.push(['L1', <L1 key="l1" of={l1.data} />]);
  if (config.data) facts.push(['network rules', config.data.rules ?? 'off']);
  facts.push(['instance', <Instance key="instance" />]);
  const status = summary?.status;
  if (summary?.network) facts.push(['network', <Conditions key="network" of={summary.network} />]);
  if (status?.auto_impersonate) facts.push(['impersonated', 'any account']);
  else if (status && status.impersonated_accounts.length > 0) {
    facts.push(['impersonated', grouped(status.impersonated_accounts.length)]);
  }
  if (status) {
    facts.push(['chain id', <code key="id">{status.chain_id}</code>]);
    if (status.devnet_version !== undefined) facts.push(['version', status.devnet_version]);
  }
  const url = chainUrl('/rpc');
  if (hasUrl()) {
    facts.push([
      'RPC',
      <span key="rpc" className="with-copy">
        <code>{url}</code> <Copy value={url} what="RPC URL" />
      </span>,
    ]);
  }
  return (
    <section className="panel" aria-label="Chain">
      <div className="panel-head">
        <h2>Chain</h2>
        <Link href={to('node')}>all settings</Link>
      </div>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </dl>
      {(config.error || l1.error || (summary && !summary.status)) && (
        <p className="quiet">This node does not return its other settings (restricted methods).</p>
      )}
    </section>
  );
}

function Mode({ summary }: { readonly summary: ChainSummary | undefined }) {
  const mode = generationText(summary?.settings?.block_generation_on);
  const waiting = summary?.status?.mempool_tx_count;
  return (
    <Link href={to('control')}>
      {mode ?? 'as set on Control'}
      {waiting !== undefined && `, ${grouped(waiting)} in the mempool`}
    </Link>
  );
}

function Clock() {
  const offset = useLive((live) => live.offset);
  const text = offsetText(offset);
  return (
    <Link href={to('control')}>
      {text === undefined ? 'same as the system clock' : `${text} from the system clock`}
    </Link>
  );
}

function Origin() {
  const fork = useLive((live) => live.fork);
  if (!fork) return 'none: a new chain';
  return (
    <Link href={to('node')}>
      fork of {fork.chain} at block {grouped(fork.block)}
    </Link>
  );
}

function L1({
  of: { l1, waiting },
}: {
  readonly of: { readonly l1?: { readonly url: string }; readonly waiting: number };
}) {
  return (
    <>
      <Link href={to('messages')}>
        {l1 ? <UntrustedText text={l1.url} limit={60} /> : 'not connected'}
      </Link>
      {waiting > 0 && `, ${counted(waiting, 'message waits', 'messages wait')}`}
    </>
  );
}

function Conditions({ of: { preset, conditions } }: { readonly of: Network }) {
  const demand = conditions?.congestion?.demand;
  return (
    <Link href={to('control')}>
      {preset ?? 'custom conditions'}
      {demand !== undefined && `, other users request ${percentText(demand)} of a block`}
    </Link>
  );
}

function Instance() {
  const count = useLive((live) => live.instances);
  const id = instanceId();
  return (
    <>
      {id === undefined ? 'main chain' : <code>{id}</code>}
      {count > 0 && `, of ${grouped(count + 1)} chains`}
    </>
  );
}
