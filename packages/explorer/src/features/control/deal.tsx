// Form that sets the balance of an address in a token contract.
import { canonicalFelt, shortHash } from '@starkbox/abi/basics';
import { useState } from 'react';
import { Action, act } from '../../parts/action.js';
import { Group } from '../../parts/confirm.js';
import { TextInput } from '../../parts/inputs.js';

const FIELDS = [
  ['token', 'Token contract', '0x…'],
  ['address', 'Holder', '0x…'],
  ['amount', 'Balance in the smallest unit', '1000000'],
] as const;

type Field = (typeof FIELDS)[number][0];

export function TokenBalance() {
  const [drafts, setDrafts] = useState<Readonly<Record<Field, string>>>({
    token: '',
    address: '',
    amount: '',
  });
  const token = canonicalFelt(drafts.token);
  const address = canonicalFelt(drafts.address);
  const amount = /^(0|[1-9]\d{0,77})$/.test(drafts.amount.trim())
    ? drafts.amount.trim()
    : undefined;
  const isWrong = token === undefined || address === undefined || amount === undefined;
  return (
    <Group name="Token balance">
      <div className="fields">
        {FIELDS.map(([field, label, hint]) => (
          <TextInput
            key={field}
            label={label}
            className="mono"
            value={drafts[field]}
            placeholder={hint}
            change={(text) => setDrafts({ ...drafts, [field]: text })}
          />
        ))}
        <Action
          refused={isWrong ? 'Enter two addresses and a whole number.' : undefined}
          run={() =>
            act(
              'Set a balance',
              'devnet_deal',
              { token: token ?? '', address: address ?? '', amount: amount ?? '' },
              ({ new_balance }) => `${shortHash(address ?? '')} holds ${new_balance}`,
            )
          }
        >
          Set balance
        </Action>
      </div>
    </Group>
  );
}
