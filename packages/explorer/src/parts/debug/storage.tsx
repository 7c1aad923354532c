// Storage as of the step: every slot that the execution has read or written so far.
import type { StorageEntry } from '@starkbox/debugger';
import { useMemo, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { useStore } from '../../state/store.js';
import { PlainButton } from '../button.js';
import { Checkbox } from '../inputs.js';
import { SlotName, SlotValue, slotValue } from '../transaction/slot-name.js';
import {
  type SlotLocation,
  type SlotNames,
  slotId,
  useSlotNames,
} from '../transaction/slot-names.js';
import { Address, UntrustedText } from '../values.js';
import { Rows } from './rows.js';
import { type Session, slotKey } from './session.js';

interface StorageProps {
  readonly session: Session;
  /** The transaction, whose felts lead to the keys of maps. */
  readonly hash: string | undefined;
}

/** Names of all slots that the execution touches, read once. */
export function useSlotsOf(session: Session, hash: string | undefined): SlotNames {
  const { actions } = session.program.trace;
  const slots = useMemo(() => {
    const byId = new Map<string, SlotLocation>();
    for (const { contract_address: contract, key } of actions) {
      if (contract === undefined || key === undefined) continue;
      byId.set(slotId({ contract, key }), { contract, key });
    }
    return [...byId.values()];
  }, [actions]);
  return useSlotNames(slots, { transaction: hash });
}

export function Storage({ session, hash }: StorageProps) {
  const entries = useStore(session.details, (details) => details?.storage);
  const changed = useStore(session.details, (details) => details?.changedSlots);
  const names = useSlotsOf(session, hash);
  const [isWrittenOnly, setWrittenOnly] = useState(false);
  const rows = useMemo(
    () =>
      (entries ?? []).filter(
        ({ writtenAt, value, initial }) =>
          !isWrittenOnly || writtenAt !== undefined || value !== initial,
      ),
    [entries, isWrittenOnly],
  );
  if (!entries) return null;
  return (
    <section className="debug-panel" aria-label="Storage">
      <div className="panel-head">
        <h2>Storage</h2>
        {entries.length > 0 && (
          <Checkbox className="soft" checked={isWrittenOnly} change={setWrittenOnly}>
            written only
          </Checkbox>
        )}
      </div>
      {rows.length === 0 ? (
        <p className="soft">
          {entries.length === 0
            ? 'No slot was read or written up to this step.'
            : `${grouped(entries.length)} slots were read, and none written.`}
        </p>
      ) : (
        <Rows
          count={rows.length}
          label="Slots"
          row={(index, measure) => {
            const entry = rows[index];
            return (
              entry && (
                <li key={slotKey(entry)} ref={measure} data-index={index}>
                  <SlotLine
                    entry={entry}
                    isFirst={rows[index - 1]?.contractAddress !== entry.contractAddress}
                    isChanged={changed?.has(slotKey(entry)) ?? false}
                    names={names}
                    session={session}
                  />
                </li>
              )
            );
          }}
        />
      )}
    </section>
  );
}

interface SlotLineProps {
  readonly entry: StorageEntry;
  /** Whether it is the first one of its contract. */
  readonly isFirst: boolean;
  readonly isChanged: boolean;
  readonly names: SlotNames;
  readonly session: Session;
}

function SlotLine({ entry, isFirst, isChanged, names, session }: SlotLineProps) {
  const { contractAddress: contract, key, name, value, initial, writtenAt } = entry;
  const slotName = names.get(slotId({ contract, key }));
  return (
    <>
      {isFirst && (
        <p className="debug-call soft">
          <Address of={contract} mark />
        </p>
      )}
      <div className="debug-slot" data-changed={isChanged ? '' : undefined}>
        <span className="slot">
          {slotName === undefined && name !== undefined ? (
            <UntrustedText text={name} limit={120} />
          ) : (
            <SlotName slot={key} name={slotName} />
          )}
        </span>
        <span className="slot-values">
          {value !== initial && (
            <>
              <span className="soft">
                <SlotValue
                  contract={contract}
                  name={slotName}
                  of={slotValue(slotName, initial, undefined)}
                />
              </span>
              <span aria-hidden="true"> → </span>
              <span className="unseen"> became </span>
            </>
          )}
          <SlotValue
            contract={contract}
            name={slotName}
            of={slotValue(slotName, value, undefined)}
          />
          {isChanged && <span className="unseen"> changed</span>}
        </span>
        {writtenAt === undefined ? (
          <span className="unwritten" />
        ) : (
          <PlainButton
            title="Go to the write"
            aria-label={`Go to the write at step ${grouped(writtenAt + 1)}`}
            onClick={() => session.goTo(writtenAt, 'jump')}
          >
            {grouped(writtenAt + 1)}
          </PlainButton>
        )}
      </div>
    </>
  );
}
