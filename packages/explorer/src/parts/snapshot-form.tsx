// Form that takes a snapshot, with an optional name.
import { useState } from 'react';
import { Action, act } from './action.js';

export function TakeSnapshot() {
  const [name, setName] = useState('');
  return (
    <>
      <label>
        name
        <input value={name} maxLength={100} onChange={({ target }) => setName(target.value)} />
      </label>
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
