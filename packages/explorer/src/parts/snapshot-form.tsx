// Form that takes a snapshot, with an optional name.
import { useState } from 'react';
import { Action, act } from './action.js';
import { TextInput } from './inputs.js';

export function TakeSnapshot() {
  const [name, setName] = useState('');
  return (
    <>
      <TextInput label="name" value={name} maxLength={100} change={setName} />
      <Action
        run={async () => {
          const id = await act(
            'Take a snapshot',
            'devnet_snapshot',
            name.trim() === '' ? {} : { name: name.trim() },
            (id) => `${id}`,
          );
          if (id !== undefined) setName('');
        }}
      >
        Take a snapshot
      </Action>
    </>
  );
}
