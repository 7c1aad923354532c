// Form that mints tokens to an address.
import { useState } from 'react';
import { amountText, grouped, readAmount, unitOf } from '../format/amount.js';
import { to } from '../navigation/route.js';
import { Action, act } from './action.js';
import { Select, TextInput } from './inputs.js';
import { Amount } from './number.js';
import { Link } from './values.js';

export function Mint({ address, name }: { readonly address: string; readonly name: string }) {
  const [text, setText] = useState('100');
  const [unitName, setUnitName] = useState<'FRI' | 'WEI'>('FRI');
  const unit = unitOf(unitName);
  const amount = readAmount(text, unit);
  return (
    <section className="panel detail" aria-label={`Mint to ${name}`}>
      <div className="line-of">
        <TextInput
          label="amount"
          value={text}
          change={setText}
          aria-invalid={amount === undefined}
          aria-describedby="mint-amount"
        />
        <Select
          label="token"
          value={unitName}
          change={(text) => setUnitName(text === 'WEI' ? 'WEI' : 'FRI')}
        >
          <option value="FRI">STRK</option>
          <option value="WEI">ETH</option>
        </Select>
        <Action
          kind="primary"
          refused={amount === undefined ? 'Enter an amount.' : undefined}
          run={() =>
            act(
              `Mint ${amountText(amount ?? 0n, unit)} to ${name}`,
              'devnet_mint',
              { address, amount: amount ?? 0n, unit: unitName },
              ({ new_balance, tx_hash }) => (
                <>
                  new balance <Amount of={BigInt(new_balance)} unit={unit} />,{' '}
                  <Link href={to('tx', tx_hash)}>transaction</Link>
                </>
              ),
            )
          }
        >
          Mint {amount === undefined ? '' : amountText(amount, unit)} to {name}
        </Action>
        <span id="mint-amount" className="quiet">
          {amount === undefined ? 'Enter 1.5, 1e3 or 25 fri.' : `= ${grouped(amount)} ${unit.base}`}
        </span>
      </div>
    </section>
  );
}
