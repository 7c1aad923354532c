// Tray with the calls collected for one transaction, and their order.
import { useState } from 'react';
import { counted } from '../../format/amount.js';
import { escapeText } from '../../format/untrusted-text.js';
import { remembered } from '../../navigation/form-in-address.js';
import { to } from '../../navigation/route.js';
import { PlainButton } from '../../parts/button.js';
import { Icon } from '../../parts/icons.js';
import { type Collected, drop, dropAll, move, useBatch } from '../../parts/send/batch.js';
import { SendForm } from '../../parts/send/send-form.js';
import { RawFelts } from '../../parts/transaction/decoded-value.js';
import { Address, FunctionName, Link } from '../../parts/values.js';

export function Tray() {
  const calls = useBatch();
  const [as, setAs] = useState(() => {
    const { as: sender } = remembered();
    return typeof sender === 'string' ? sender : 'account 0';
  });
  const [isSent, setSent] = useState(false);
  const [isFolded, setFolded] = useState(false);
  if (calls.length === 0 && !isSent) return null;
  return (
    <section className="panel tray" aria-label="Batch">
      <div className="function-head">
        <h2>Batch: {counted(calls.length, 'call')} in one transaction</h2>
        <PlainButton aria-expanded={!isFolded} onClick={() => setFolded(!isFolded)}>
          {isFolded ? 'Show' : 'Fold'}
        </PlainButton>
        <PlainButton
          onClick={() => {
            dropAll();
            setSent(false);
          }}
        >
          {calls.length === 0 ? 'Close' : 'Empty the batch'}
        </PlainButton>
        {calls.length > 0 && (
          <Link href={to('simulate', undefined, { from: 'batch' })}>Open in Simulate</Link>
        )}
      </div>
      <div hidden={isFolded}>
        <SendForm
          label="Batch of calls"
          what="Send the batch"
          verb="Send the batch"
          isSecond
          as={as}
          setAs={setAs}
          inputs={calls.map(({ id }) => id).join(' ')}
          prepare={() => (calls.length === 0 ? undefined : calls)}
          onDone={(run) => {
            setSent(true);
            if (run.verdict.execution_status === 'SUCCEEDED') dropAll();
          }}
        >
          <ol className="entries batch">
            {calls.map((call, at) => (
              <BatchRow key={call.id} call={call} at={at} count={calls.length} />
            ))}
          </ol>
        </SendForm>
      </div>
    </section>
  );
}

interface BatchRowProps {
  readonly call: Collected;
  readonly at: number;
  readonly count: number;
}

function BatchRow({ call, at, count }: BatchRowProps) {
  const name = escapeText(call.name ?? call.selector, 40).text;
  return (
    <li
      onKeyDown={(event) => {
        if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
        event.preventDefault();
        move(call.id, event.key === 'ArrowUp' ? -1 : 1);
      }}
    >
      <PlainButton
        aria-disabled={at === 0}
        aria-label={`Move ${name} up, from place ${at + 1}`}
        title="Alt+Up"
        onClick={() => move(call.id, -1)}
      >
        <Icon name="up" />
      </PlainButton>
      <PlainButton
        aria-disabled={at === count - 1}
        aria-label={`Move ${name} down, from place ${at + 1}`}
        title="Alt+Down"
        onClick={() => move(call.id, 1)}
      >
        <Icon name="down" />
      </PlainButton>
      <PlainButton aria-label={`Remove ${name} from the batch`} onClick={() => drop(call.id)}>
        <Icon name="cross" />
      </PlainButton>
      <span className="what">
        <Address of={call.contract} />.<FunctionName selector={call.selector} />(
        <RawFelts of={call.calldata} />)
      </span>
    </li>
  );
}
