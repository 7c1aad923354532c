// Events tab of a contract: all of its events, or those of one kind with a column for each member.
import type { Abi } from '@starkbox/abi';
import { useMemo, useState } from 'react';
import { counted } from '../../format/amount.js';
import { eventKindsOf } from '../../format/event-kinds.js';
import { escapeText } from '../../format/untrusted-text.js';
import { setQuery, to, useRoute } from '../../navigation/route.js';
import { PlainButton } from '../../parts/button.js';
import { ChipChoice } from '../../parts/chips.js';
import { EventList } from '../../parts/transaction/event-list.js';
import { Link } from '../../parts/values.js';
import type { EventFilter } from '../../rpc/event-filter.js';

const ALL = '';
const MAX_CHIPS = 30;
/** Chips of one line; the others come on demand. */
const FIRST_CHIPS = 7;

interface ContractEventsProps {
  readonly address: string;
  readonly abi: Abi | undefined;
}

export function ContractEvents({ address, abi }: ContractEventsProps) {
  const chosen = useRoute().query.get('kind') ?? ALL;
  const kinds = useMemo(() => (abi ? eventKindsOf(abi) : []), [abi]);
  const kind = kinds.find(({ name }) => name === chosen);
  const [isWhole, setWhole] = useState(false);
  const offered = kinds
    .slice(0, MAX_CHIPS)
    .filter((option, at) => isWhole || at < FIRST_CHIPS || option === kind);
  const hidden = Math.min(kinds.length, MAX_CHIPS) - offered.length;
  const filter = useMemo(
    (): EventFilter => ({
      address,
      name: undefined,
      keys: kind?.keys.map((key) => [key]) ?? [],
      from: undefined,
      to: undefined,
    }),
    [address, kind],
  );
  return (
    <>
      <div className="tab-bar">
        {kinds.length > 0 && (
          <ChipChoice
            label="Kind of event"
            options={[
              [ALL, 'All kinds'],
              ...offered.map(({ name }) => [name, escapeText(name, 40).text] as const),
            ]}
            value={kind?.name ?? ALL}
            change={(name) => setQuery({ kind: name === ALL ? undefined : name })}
          />
        )}
        {hidden > 0 && (
          <PlainButton onClick={() => setWhole(true)}>{counted(hidden, 'other kind')}</PlainButton>
        )}
        <Link className="aside" href={to('events', undefined, { address })}>
          More filters
        </Link>
      </div>
      <EventList
        filter={filter}
        kind={kind}
        empty={(hasMore) =>
          `${kind ? 'No event of this kind was emitted' : 'This contract has emitted no event'}${hasMore ? ' in the blocks searched so far' : ''}.`
        }
        hint={
          <>
            Call a function that emits one on the{' '}
            <Link href={to('contract', address, { tab: 'interact' })}>Interact tab</Link>.
          </>
        }
      />
    </>
  );
}
