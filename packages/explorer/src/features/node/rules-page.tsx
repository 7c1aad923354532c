// Page of the network rules: which transactions of the chain a public network would have rejected.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { counted, grouped } from '../../format/amount.js';
import { setQuery, to, useRoute } from '../../navigation/route.js';
import { Button, PlainButton } from '../../parts/button.js';
import { Select } from '../../parts/inputs.js';
import { Empty, Heading, Loading, Problem } from '../../parts/page-states.js';
import { type Column, ShortTable, VirtualTable } from '../../parts/table/table.js';
import { Address, BlockRef, Link, TxRef, UntrustedText } from '../../parts/values.js';
import { call, isMissing } from '../../rpc/client.js';
import { useConfig } from '../../rpc/queries.js';
import { runTask } from '../../state/tasks.js';
import { type Finding, type FindingGroup, groupFindings } from './finding-groups.js';

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
            This node accepts more than a public network does. With <code>--rules {network}</code>,
            it rejects the transactions that the gateway of {network} rejects. This page lists the
            transactions of this chain that {network} would have rejected.
          </>
        ) : (
          <>
            This node applies the rules of {configured} (<code>--rules {configured}</code>): it
            rejects transactions that break a rule. See{' '}
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
        This node does not serve <code>devnet_listRuleFindings</code>, which checks the transactions
        of the chain. Start it with another <code>--restrictive-mode</code>.
      </p>
    );
  }
  if (error) return <Problem error={error} what="the findings" retry={refetch} />;
  const byRule = groupFindings(data.pages.flatMap(({ findings }) => findings));
  return (
    <div className="stack">
      {byRule.size === 0 && (
        <Empty
          icon="rules"
          title={`No transaction of ${hasNextPage ? 'the newest blocks' : 'this chain'} breaks a checked rule of ${network}.`}
        />
      )}
      {[...byRule].map(([rule, groups]) => (
        <Rule key={rule} rule={rule} groups={groups} isWhole={!hasNextPage} />
      ))}
      <div className="line-of">
        {hasNextPage && (
          <Button onClick={() => runTask(fetchNextPage())}>Search older blocks</Button>
        )}
        <Button onClick={() => runTask(refetch())}>Read again</Button>
        <span className="quiet">This page does not check the rules about nonces.</span>
      </div>
    </div>
  );
}

const COLUMNS: readonly Column<Finding>[] = [
  {
    head: 'Transaction',
    phone: 'main',
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
    rank: 0,
    cell: ({ sender_address }) =>
      sender_address !== undefined && <Address of={sender_address} mark />,
  },
];

/** Linked transactions of a reason. */
const NEWEST = 3;
const MAX_SENDERS = 2;

interface GroupColumns {
  /** Whether the node has listed all transactions. */
  readonly isWhole: boolean;
  /** The reason whose transactions are listed. */
  readonly open: string | undefined;
  readonly setOpen: (reason: string | undefined) => void;
}

function groupColumns(of: GroupColumns): readonly Column<FindingGroup>[] {
  const { isWhole, open, setOpen } = of;
  return [
    {
      head: 'Reason',
      phone: 'main',
      least: 16,
      cellClass: 'reason',
      cell: ({ reason }) => <UntrustedText text={reason.replace(/^the /, 'The ')} limit={300} />,
    },
    {
      head: 'Times',
      width: 'w-small',
      number: true,
      rank: 0,
      phoneHead: 'times',
      cell: ({ findings }) => `${grouped(findings.length)}${isWhole ? '' : '+'}`,
    },
    {
      head: 'Senders',
      width: 'w-actions',
      phoneHead: 'by',
      rank: 2,
      cellClass: 'spaced-links',
      cell: (group) => <Senders of={group} />,
    },
    {
      head: 'Newest transactions',
      width: 'w-links',
      rank: 1,
      cellClass: 'spaced-links',
      cell: ({ findings }) =>
        findings
          .slice(0, NEWEST)
          .map(({ transaction_hash }) => <TxRef key={transaction_hash} of={transaction_hash} />),
    },
    {
      head: 'All transactions',
      isHeadUnseen: true,
      width: 'w-kind',
      rank: 0,
      cellClass: 'actions-cell',
      cell: ({ reason, findings }) =>
        findings.length > 1 && (
          <PlainButton
            aria-expanded={open === reason}
            onClick={() => setOpen(open === reason ? undefined : reason)}
          >
            {open === reason ? 'Hide all' : `Show all ${grouped(findings.length)}`}
          </PlainButton>
        ),
    },
  ];
}

function Senders({ of: { senders } }: { readonly of: FindingGroup }) {
  const [first] = senders;
  if (first === undefined) return null;
  if (senders.length > MAX_SENDERS) return counted(senders.length, 'sender');
  return senders.map((sender) => <Address key={sender} of={sender} mark />);
}

interface RuleProps {
  readonly rule: string;
  readonly groups: readonly FindingGroup[];
  readonly isWhole: boolean;
}

const WORDS: Readonly<Record<string, string>> = { max: 'maximum', min: 'minimum', l2: 'L2' };

/** `min_gas_price` → `Minimum gas price` */
function ruleTitle(rule: string): string {
  const title = rule
    .split('_')
    .map((word) => WORDS[word] ?? word)
    .join(' ');
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
}

function Rule({ rule, groups, isWhole }: RuleProps) {
  const [open, setOpen] = useState<string | undefined>();
  const opened = groups.find(({ reason }) => reason === open);
  const count = groups.reduce((sum, { findings }) => sum + findings.length, 0);
  return (
    <section aria-label={rule}>
      <h2>
        {ruleTitle(rule)} <code className="quiet">{rule}</code>{' '}
        <span className="quiet">
          {counted(count, 'transaction')}
          {!isWhole && ' of the newest blocks'}
        </span>
      </h2>
      <ShortTable
        className="tall"
        label={`Reasons of ${rule}`}
        rows={groups}
        columns={groupColumns({ isWhole, open, setOpen })}
        idOf={({ reason }) => reason}
      />
      {opened && (
        <VirtualTable
          label={`Transactions that break ${rule}`}
          rows={opened.findings}
          columns={COLUMNS}
          idOf={({ transaction_hash }) => transaction_hash}
        />
      )}
    </section>
  );
}
