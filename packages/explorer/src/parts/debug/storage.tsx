// Storage as of the step: every slot that the execution has read or written so far.
import type { StorageEntry } from '@starkbox/debugger';
import { useMemo, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { useStore } from '../../state/store.js';
import { PlainButton } from '../button.js';
import { Checkbox } from '../inputs.js';
import { type ChangedValue, changedValues, joinedValues } from '../transaction/changed-values.js';
import { SlotName, SlotValue } from '../transaction/slot-name.js';
import {
  type SlotLocation,
  type SlotNames,
  slotId,
  useSlotNames,
} from '../transaction/slot-names.js';
import { Address, UntrustedText } from '../values.js';
import { Rows } from './rows.js';
import { RunContract } from './run-contract.js';
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
    () => joinedRows(entries ?? [], names).filter(({ at }) => !isWrittenOnly || at !== undefined),
    [entries, names, isWrittenOnly],
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
            const row = rows[index];
            return (
              row && (
                <li key={row.id} ref={measure} data-index={index}>
                  <SlotLine
                    row={row}
                    isFirst={rows[index - 1]?.contract !== row.contract}
                    isChanged={row.ids.some((id) => changed?.has(id))}
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

/** A value, or a slot of one that the execution did not touch completely. */
interface SlotRow extends ChangedValue {
  readonly ids: readonly string[];
  /** The name of the debugger, where the explorer has none. */
  readonly text: string | undefined;
  /** The position of the last write. */
  readonly at: number | undefined;
}

function joinedRows(entries: readonly StorageEntry[], names: SlotNames): readonly SlotRow[] {
  const slots = entries.map(({ contractAddress: contract, key }) => ({ contract, key }));
  const idOf = ({ contractAddress: contract, key }: StorageEntry) => slotId({ contract, key });
  const byId = new Map(entries.map((entry) => [idOf(entry), entry]));
  const was = new Map(entries.map((entry) => [idOf(entry), entry.initial]));
  const is = new Map(entries.map((entry) => [idOf(entry), entry.value]));
  return joinedValues(slots, names).flatMap((joined) => {
    const rows = changedValues([joined], was, is);
    return rows.map((row): SlotRow => {
      const touchedSlots =
        rows.length > 1 ? [{ contract: row.contract, key: row.key }] : joined.slots;
      const touchedEntries = touchedSlots.flatMap((slot) => byId.get(slotId(slot)) ?? []);
      const writes = touchedEntries.flatMap(({ writtenAt }) => writtenAt ?? []);
      const isSame = touchedEntries.every(({ value, initial }) => value === initial);
      return {
        ...row,
        was: isSame ? undefined : row.was,
        ids: touchedEntries.map(slotKey),
        text: touchedEntries[0]?.name,
        at: writes.length === 0 ? undefined : Math.max(...writes),
      };
    });
  });
}

interface SlotLineProps {
  readonly row: SlotRow;
  /** Whether it is the first one of its contract. */
  readonly isFirst: boolean;
  readonly isChanged: boolean;
  readonly session: Session;
}

function SlotLine({ row, isFirst, isChanged, session }: SlotLineProps) {
  const { contract, key, name, text, was, is, at } = row;
  const { runs } = session.program.trace;
  const run = isFirst ? runs.find((other) => other.contract_address === contract) : undefined;
  return (
    <>
      {isFirst && (
        <p className="debug-call soft">
          {run ? <RunContract run={run} /> : <Address of={contract} mark />}
        </p>
      )}
      <div className="debug-slot" data-changed={isChanged ? '' : undefined}>
        <span className="slot">
          {name === undefined && text !== undefined ? (
            <UntrustedText text={text} limit={120} />
          ) : (
            <SlotName slot={key} name={name} />
          )}
        </span>
        <span className="slot-end">
          <span className="slot-values">
            {was && (
              <>
                <span className="soft">
                  <SlotValue contract={contract} name={name} of={was} />
                </span>
                <span aria-hidden="true"> → </span>
                <span className="unseen"> became </span>
              </>
            )}
            {is && <SlotValue contract={contract} name={name} of={is} />}
            {isChanged && <span className="unseen"> changed</span>}
          </span>
          {at === undefined ? (
            <span className="unwritten" />
          ) : (
            <PlainButton
              title="Go to the write"
              aria-label={`Go to the write at step ${grouped(at + 1)}`}
              onClick={() => session.goTo(at, 'jump')}
            >
              {grouped(at + 1)}
            </PlainButton>
          )}
        </span>
      </div>
    </>
  );
}
