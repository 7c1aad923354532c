// Edited values that are not applied yet: adding one by its slot or variable, and the dialog that applies all.
import { selectorOf } from '@starkbox/abi';
import { canonicalFelt, shortHash } from '@starkbox/abi/basics';
import {
  decodeStored,
  encodeStored,
  type ReadSlot,
  type SlotWrite,
  type StoredValue,
  valueOfSlot,
} from '@starkbox/abi/internal';
import { useId, useState } from 'react';
import { counted } from '../../format/amount.js';
import { Action, act, LastDone } from '../../parts/action.js';
import { Button } from '../../parts/button.js';
import { Sheet } from '../../parts/dialog.js';
import { useResolve } from '../../parts/forms/address-book.js';
import { Form, TextInput } from '../../parts/inputs.js';
import { TableHead } from '../../parts/table/table.js';
import { SlotName, SlotValue } from '../../parts/transaction/slot-name.js';
import { runTask } from '../../state/tasks.js';
import { nameSlots, readOthers, readSlot } from './storage-listing.js';
import { type ValueRow, withWrites } from './storage-rows.js';
import { EditorSheet, hasOneField } from './value-editor.js';

/** An edited value that is not applied yet. */
export interface StagedValue extends Pick<ValueRow, 'value' | 'name' | 'title'> {
  readonly writes: readonly SlotWrite[];
  /** The stored felts. */
  readonly read: ReadSlot;
}

/** By the first slot of the value. */
export type StagedChanges = ReadonlyMap<string, StagedValue>;

/** A slot by key, or by the name of a plain storage variable. */
function readSlotText(text: string): string | undefined {
  const slot = text.trim();
  return canonicalFelt(slot) ?? (/^[A-Za-z_]\w{0,200}$/.test(slot) ? selectorOf(slot) : undefined);
}

/** The value at a slot, with its felts, also where they are zero. */
async function valueAtSlot(address: string, key: string): Promise<Omit<StagedValue, 'writes'>> {
  const { names, values } = await nameSlots(address, [key]);
  const name = names.find((slot) => slot.key === key);
  const whole = values.find((value) => value.key === name?.value_key);
  const value: StoredValue = whole ?? valueOfSlot(key, name);
  const felts = whole
    ? await readOthers(address, [whole], () => undefined)
    : new Map([[key, await readSlot(address, key)]]);
  // Words behind the end of a text are zero.
  const read: ReadSlot = (slot) => felts.get(slot) ?? '0x0';
  return { value, name: whole ?? name, title: whole?.name ?? name?.name ?? shortHash(key), read };
}

interface OtherSlotProps {
  readonly address: string;
  readonly stage: (change: StagedValue) => void;
}

/** Adds a value that is not listed because it is zero, or not loaded. */
export function OtherSlot({ address, stage }: OtherSlotProps) {
  const id = useId();
  const resolve = useResolve();
  const [slot, setSlot] = useState('');
  const [text, setText] = useState('');
  const [error, setError] = useState<string | undefined>();
  const [edited, setEdited] = useState<Omit<StagedValue, 'writes'> | undefined>();
  const key = readSlotText(slot);
  const clear = (): void => {
    setSlot('');
    setText('');
    setError(undefined);
    setEdited(undefined);
  };
  const add = async (): Promise<void> => {
    if (key === undefined) {
      setError('Enter a key (0x…) or the name of a variable.');
      return;
    }
    const target = await valueAtSlot(address, key);
    if (!hasOneField(target.value, target.read)) {
      setEdited(target);
      return;
    }
    const { writes, errors } = encodeStored(target.value, new Map([['', text]]), target.read, {
      resolve,
    });
    if (errors[0]) setError(errors[0].message);
    else {
      stage({ ...target, writes });
      clear();
    }
  };
  return (
    <>
      <Form className="line-of other-slot" aria-label="Change a slot" submit={() => runTask(add())}>
        <TextInput
          label="slot or variable"
          className="mono slot-input"
          value={slot}
          aria-invalid={error !== undefined && key === undefined}
          aria-describedby={id}
          change={setSlot}
        />
        <TextInput
          label="new value"
          className="mono slot-input"
          value={text}
          aria-invalid={error !== undefined && key !== undefined}
          aria-describedby={id}
          change={setText}
        />
        <Button type="submit">Stage</Button>
        <span id={id} className={error === undefined ? 'quiet' : 'fail'}>
          {error ?? (key !== undefined && canonicalFelt(slot) === undefined ? shortHash(key) : '')}
        </span>
      </Form>
      {edited && (
        <EditorSheet
          address={address}
          value={edited.value}
          title={edited.title}
          read={edited.read}
          stage={(writes) => stage({ ...edited, writes })}
          close={clear}
        />
      )}
    </>
  );
}

interface ApplySheetProps {
  readonly address: string;
  readonly staged: StagedChanges;
  readonly close: () => void;
  readonly onApplied: () => void;
}

export function ApplySheet({ address, staged, close, onApplied }: ApplySheetProps) {
  const changes = counted(staged.size, 'change');
  const apply = async (): Promise<void> => {
    const storage_entries = [...staged.values()].flatMap(({ writes }) => writes);
    const applied = await act(
      'Change the storage',
      'devnet_applyStateDiff',
      { state_diff: { storage_diffs: [{ address, storage_entries }] } },
      () => `${changes} applied`,
    );
    if (applied !== undefined) onApplied();
  };
  return (
    <Sheet label={`Apply ${changes}`} close={close} className="sheet wide">
      <div>
        <h2>Apply {changes} to the storage</h2>
        <table className="plain-table" aria-label="Changes">
          <TableHead columns={[{ head: 'Variable' }, { head: 'Before' }, { head: 'After' }]} />
          <tbody>
            {[...staged.values()].map((change) => (
              <ChangeRow key={change.value.key} address={address} of={change} />
            ))}
          </tbody>
        </table>
        <p className="quiet">
          <code>devnet_applyStateDiff</code> writes them together into the pre-confirmed block.
        </p>
        <div className="line-of">
          <Action kind="primary" run={apply}>
            Apply {changes}
          </Action>
          <Button onClick={close}>Cancel</Button>
        </div>
        <LastDone />
      </div>
    </Sheet>
  );
}

function ChangeRow({ address, of }: { readonly address: string; readonly of: StagedValue }) {
  const { value, name, read, writes } = of;
  const before = decodeStored(value, read);
  const after = decodeStored(value, withWrites(read, writes));
  return (
    <tr>
      <td>
        <SlotName slot={value.key} name={name} />
      </td>
      <td>{before && <SlotValue contract={address} name={name} of={before} fold />}</td>
      <td>{after && <SlotValue contract={address} name={name} of={after} fold />}</td>
    </tr>
  );
}
