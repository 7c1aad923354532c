// Page of the network rules: which transactions of the chain a public network would have refused.
import { useInfiniteQuery } from '@tanstack/react-query';
import { grouped } from '../../format/amount.js';
import { setQuery, to, useRoute } from '../../navigation/route.js';
import { Button } from '../../parts/button.js';
import { Select } from '../../parts/inputs.js';
import { Heading, Loading, Problem } from '../../parts/page-states.js';
import { type Column, ShortTable } from '../../parts/table/table.js';
import { Address, BlockRef, Link, TxRef, UntrustedText } from '../../parts/values.js';
import { call, isMissing } from '../../rpc/client.js';
import type { Result } from '../../rpc/methods.js';
import { useConfig } from '../../rpc/queries.js';
import { runTask } from '../../state/tasks.js';

type Finding = Result<'devnet_listRuleFindings'>['findings'][number];

const NETWORKS = ['mainnet', 'sepolia'] as const;
type Network = (typeof NETWORKS)[number];
const LIMIT = 100;

export function RulesPage() {
  const config = useConfig();
  const configured = config.data?.rules;
  const chosen = useRoute().query.get('network');
  const network = NETWORKS.find((name) => name === chosen) ?? configured ?? 'mainnet';
  return (
    <>
      <Heading title="Rules" />
      <p className="page-intro">
        {configured === undefined ? (
          <>
            This node accepts more than a public network does. Started with{' '}
            <code>--rules {network}</code>, it rejects the transactions that the gateway of{' '}
            {network} rejects, before it executes them. This page lists the transactions of this
            chain that {network} would have rejected.
          </>
        ) : (
          <>
            This node holds transactions to the rules of {configured} (
            <code>--rules {configured}</code>): it rejects transactions that break a rule. See{' '}
            <Link href={to('requests')}>recorded requests</Link> for rejections.
          </>
        )}
      </p>
      <div className="filters">
        <Select label="network:" value={network} change={(text) => setQuery({ network: text })}>
          {NETWORKS.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      </div>
      <Findings key={network} network={network} />
    </>
  );
}

function Findings({ network }: { readonly network: Network }) {
  const list = useInfiniteQuery({
    queryKey: ['rules', network],
    initialPageParam: undefined as string | undefined,
    refetchOnMount: 'always',
    queryFn: ({ pageParam: cursor }) =>
      call('devnet_listRuleFindings', {
        network,
        limit: LIMIT,
        ...(cursor === undefined ? {} : { cursor }),
      }),
    getNextPageParam: (page) => page.next,
  });
  const { data, error, isPending, hasNextPage, fetchNextPage, refetch } = list;
  if (isPending) return <Loading what="the transactions" />;
  if (error && isMissing(error)) {
    return (
      <p className="empty">
        This node does not serve <code>devnet_listRuleFindings</code>, which looks through the
        transactions of the chain. <code>--restrictive-mode</code> decides what it serves.
      </p>
    );
  }
  if (error) return <Problem error={error} what="the findings" retry={refetch} />;
  const byRule = new Map<string, Finding[]>();
  for (const finding of data.pages.flatMap(({ findings }) => findings)) {
    const same = byRule.get(finding.rule) ?? [];
    byRule.set(finding.rule, same);
    same.push(finding);
  }
  return (
    <div className="stack">
      {byRule.size === 0 && (
        <p className="empty">
          {network} would have taken every transaction
          {hasNextPage ? ' that was looked at so far' : ' of this chain'}.
        </p>
      )}
      {[...byRule].map(([rule, findings]) => (
        <Rule key={rule} rule={rule} findings={findings} />
      ))}
      <div className="line-of">
        {hasNextPage && (
          <Button onClick={() => runTask(fetchNextPage())}>Search older blocks</Button>
        )}
        <Button onClick={() => runTask(refetch())}>Read again</Button>
        <span className="quiet">
          Rules about nonces hold for what was executed, and are not looked at.
        </span>
      </div>
    </div>
  );
}

const COLUMNS: readonly Column<Finding>[] = [
  {
    head: 'Transaction',
    width: 'w-hash',
    cell: ({ transaction_hash }) => <TxRef of={transaction_hash} />,
  },
  {
    head: 'Block',
    width: 'w-block',
    phoneHead: '#',
    cell: ({ block_number }) => <BlockRef of={block_number} />,
  },
  {
    head: 'Sender',
    width: 'w-name',
    cell: ({ sender_address }) =>
      sender_address !== undefined && <Address of={sender_address} mark />,
  },
  {
    head: 'Reason',
    phone: 'main',
    cellClass: 'reason',
    cell: ({ reason }) => <UntrustedText text={reason} limit={300} />,
  },
];

/** Rows of a rule that are shown at first. */
const SHOWN = 20;

interface RuleProps {
  readonly rule: string;
  readonly findings: readonly Finding[];
}

function Rule({ rule, findings }: RuleProps) {
  return (
    <section aria-label={rule}>
      <h2>
        <code>{rule}</code> <span className="quiet">{grouped(findings.length)}</span>
      </h2>
      <ShortTable
        className="tall"
        label={`Transactions that break ${rule}`}
        rows={findings.slice(0, SHOWN)}
        columns={COLUMNS}
        idOf={({ transaction_hash }) => transaction_hash}
      />
      {findings.length > SHOWN && (
        <p className="quiet">and {grouped(findings.length - SHOWN)} more of this rule</p>
      )}
    </section>
  );
}
