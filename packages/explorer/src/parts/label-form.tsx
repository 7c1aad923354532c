// Form for the label of an address or hash.
import { useState } from 'react';
import { Action, act } from './action.js';
import { Button } from './button.js';
import { TextInput } from './inputs.js';

interface LabelProps {
  readonly value: string;
  readonly label: string | undefined;
}

export function Label({ value, label }: LabelProps) {
  const [draft, setDraft] = useState<string | undefined>();
  if (draft === undefined) {
    return <Button onClick={() => setDraft(label ?? '')}>Label…</Button>;
  }
  const text = draft.trim();
  return (
    <span className="line-of">
      <TextInput label="label" value={draft} maxLength={100} change={setDraft} />
      <Action
        run={async () => {
          await act(
            'Set the label',
            'devnet_setLabel',
            { value, label: text === '' ? null : text },
            () => (text === '' ? 'removed' : text),
          );
          setDraft(undefined);
        }}
      >
        {text === '' ? 'Remove the label' : 'Set the label'}
      </Action>
      <Button onClick={() => setDraft(undefined)}>Cancel</Button>
    </span>
  );
}
