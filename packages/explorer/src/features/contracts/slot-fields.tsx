// Fields for the values of storage slots, and how slots and values are read from text.
import { canonicalFelt, feltOf, InvalidInput, selectorOf, shortHash } from '@starkbox/abi';
import { useId, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { Button } from '../../parts/button.js';
import { Form, TextInput } from '../../parts/inputs.js';
import { SlotValue, slotValue } from '../../parts/transaction/slot-name.js';
import type { NamedSlot } from '../../parts/transaction/slot-names.js';
import { Felt } from '../../parts/values.js';
import { call } from '../../rpc/client.js';
import { runTask } from '../../state/tasks.js';

export interface Row {
  readonly key: string;
  /** Undefined if none was found. */
  readonly name: NamedSlot | undefined;
  readonly value: string;
  /** The upper half of a u256 whose lower half this is. */
  readonly high: string | undefined;
  /** Undefined for a slot that was zero. */
  readonly block: number | undefined;
  readonly staged: string | undefined;
}

function readFelt(text: string): string | undefined {
  try {
    return feltOf(text.trim());
  } catch (error) {
    if (error instanceof InvalidInput) return undefined;
    throw error;
  }
}

/** A slot by key, or by the name of a plain storage variable. */
function readSlot(text: string): string | undefined {
  const slot = text.trim();
  return canonicalFelt(slot) ?? (/^[A-Za-z_]\w{0,200}$/.test(slot) ? selectorOf(slot) : undefined);
}

/** Focuses itself when it appears. */
const take = (element: HTMLInputElement | null): void => element?.focus();

interface ValueCellProps {
  readonly address: string;
  readonly row: Row;
  readonly isEditing: boolean;
  readonly close: () => void;
  readonly stage: (after: string) => void;
}

export function ValueCell({ address, row, isEditing, close, stage }: ValueCellProps) {
  const [text, setText] = useState<string | undefined>();
  if (!isEditing) {
    return row.staged === undefined ? (
      row.name ? (
        <SlotValue
          contract={address}
          name={row.name}
          of={slotValue(row.name, row.value, row.high)}
        />
      ) : (
        <StoredValue of={row.value} />
      )
    ) : (
      <span className="warn">
        <StoredValue of={row.value} /> → <StoredValue of={row.staged} />
      </span>
    );
  }
  const draft = text ?? row.staged ?? row.value;
  const felt = readFelt(draft);
  const keep = (): void => {
    if (felt !== undefined) stage(felt);
    setText(undefined);
    close();
  };
  return (
    <input
      ref={take}
      className="mono cell-input"
      value={draft}
      aria-label={`New value of slot ${shortHash(row.key)}`}
      aria-invalid={felt === undefined}
      title={felt === undefined ? "Write a number or a 'short string'." : felt}
      onChange={(event) => setText(event.target.value)}
      onBlur={keep}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter') keep();
        if (event.key === 'Escape') {
          setText(undefined);
          close();
        }
      }}
    />
  );
}

interface OtherSlotProps {
  readonly address: string;
  readonly stage: (key: string, before: string, after: string) => void;
}

/** Adds a slot that is not listed because it is zero. */
export function OtherSlot({ address, stage }: OtherSlotProps) {
  const id = useId();
  const [slot, setSlot] = useState('');
  const [value, setValue] = useState('');
  const [isJudged, setJudged] = useState(false);
  const key = readSlot(slot);
  const felt = readFelt(value);
  const add = async (): Promise<void> => {
    setJudged(true);
    if (key === undefined || felt === undefined) return;
    const stored = await call('starknet_getStorageAt', {
      block_id: 'pre_confirmed',
      contract_address: address,
      key,
    });
    stage(key, typeof stored === 'string' ? stored : stored.value, felt);
    setSlot('');
    setValue('');
    setJudged(false);
  };
  return (
    <Form className="line-of" aria-label="Change a slot" submit={() => runTask(add())}>
      <TextInput
        label="slot or variable"
        className="mono slot-input"
        value={slot}
        aria-invalid={isJudged && key === undefined}
        aria-describedby={id}
        change={setSlot}
      />
      <TextInput
        label="new value"
        className="mono slot-input"
        value={value}
        aria-invalid={isJudged && felt === undefined}
        aria-describedby={id}
        change={setValue}
      />
      <Button type="submit">Stage</Button>
      <span id={id} className={isJudged ? 'fail' : 'quiet'}>
        {isJudged && (key === undefined || felt === undefined)
          ? 'Write a key (0x…) or a name, and a number.'
          : key !== undefined && canonicalFelt(slot) === undefined
            ? shortHash(key)
            : ''}
      </span>
    </Form>
  );
}

export function StoredValue({ of }: { readonly of: string }) {
  return of.length <= 18 ? <span title={of}>{grouped(BigInt(of))}</span> : <Felt of={of} />;
}
