// Storage as of the step: every slot that the execution has read or written so far.
import type { Decoded } from '@starkbox/abi';
import type { StorageEntry } from '@starkbox/debugger';
import { useMemo, useState } from 'react';
import { amountText, grouped } from '../../format/amount.js';
import { useStore } from '../../state/store.js';
import { PlainButton } from '../button.js';
import { Checkbox } from '../inputs.js';
import { tokenOf } from '../transaction/decoded-value.js';
import { SlotName, SlotValue, slotValue } from '../transaction/slot-name.js';
import {
  type NamedSlot,
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
    () => joinHalves(entries ?? [], names).filter(({ at }) => !isWrittenOnly || at !== undefined),
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

/** A slot, or both slots of a u256. */
interface SlotRow {
  readonly id: string;
  readonly ids: readonly string[];
  readonly contract: string;
  readonly key: string;
  readonly name: NamedSlot | undefined;
  /** The name of the debugger, where the explorer has none. */
  readonly text: string | undefined;
  readonly isJoined: boolean;
  readonly was: Decoded | undefined;
  readonly is: Decoded;
  /** The position of the last write. */
  readonly at: number | undefined;
}

function joinHalves(entries: readonly StorageEntry[], names: SlotNames): readonly SlotRow[] {
  const byKey = new Map(entries.map((entry) => [slotKey(entry), entry]));
  const beside = ({ contractAddress, key }: StorageEntry, by: bigint): StorageEntry | undefined =>
    byKey.get(slotKey({ contractAddress, key: `0x${(BigInt(key) + by).toString(16)}` }));
  return entries.flatMap((entry): readonly SlotRow[] => {
    const { contractAddress: contract, key, value, initial, writtenAt } = entry;
    const name = names.get(slotId({ contract, key }));
    // The lower half has the row of both.
    if (name?.part === 'high' && beside(entry, -1n)) return [];
    const high = name?.part === 'low' ? beside(entry, 1n) : undefined;
    const writes = [writtenAt, high?.writtenAt].filter((at) => at !== undefined);
    const isSame = value === initial && high?.value === high?.initial;
    return [
      {
        id: slotKey(entry),
        ids: high ? [slotKey(entry), slotKey(high)] : [slotKey(entry)],
        contract,
        key,
        name,
        text: entry.name,
        isJoined: high !== undefined,
        was: isSame ? undefined : slotValue(name, initial, high?.initial),
        is: slotValue(name, value, high?.value),
        at: writes.length === 0 ? undefined : Math.max(...writes),
      },
    ];
  });
}

function isTextEqual(was: Decoded | undefined, is: Decoded, contract: string): boolean {
  const unit = tokenOf(contract);
  if (was?.kind !== 'number' || is.kind !== 'number' || !unit) return false;
  return amountText(was.value, unit) === amountText(is.value, unit);
}

interface SlotLineProps {
  readonly row: SlotRow;
  /** Whether it is the first one of its contract. */
  readonly isFirst: boolean;
  readonly isChanged: boolean;
  readonly session: Session;
}

function SlotLine({ row, isFirst, isChanged, session }: SlotLineProps) {
  const { contract, key, name, text, isJoined, was, is, at } = row;
  // A change below the digits of an amount is shown in the smallest unit.
  const typed = isTextEqual(was, is, contract) ? undefined : name;
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
            <SlotName slot={key} name={name} joined={isJoined} />
          )}
        </span>
        <span className="slot-end">
          <span className="slot-values">
            {was && (
              <>
                <span className="soft">
                  <SlotValue contract={contract} name={typed} of={was} />
                </span>
                <span aria-hidden="true"> → </span>
                <span className="unseen"> became </span>
              </>
            )}
            <SlotValue contract={contract} name={typed} of={is} />
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
