// Controls of the chain's clock; setting it back asks for confirmation.
import { useState } from 'react';
import { isoText, momentText, offsetText, readMoment, spanText } from '../../format/time.js';
import { Action, act } from '../../parts/action.js';
import { type AskProps, Group, Sealed } from '../../parts/confirm.js';
import { Checkbox, TextInput } from '../../parts/inputs.js';
import { Fact, useChainNow } from '../../parts/values.js';
import { useLive } from '../../rpc/live-state.js';

const STEPS = [
  [3_600, '+1 h'],
  [86_400, '+1 d'],
  [604_800, '+7 d'],
] as const;

export function Clock({ ask }: AskProps) {
  const now = useChainNow();
  const offset = useLive((live) => live.offset);
  const [seal, setSeal] = useState(true);
  const set = (time: number) =>
    act(
      `Set clock to ${momentText(time)}`,
      'devnet_setTime',
      { time, generate_block: seal },
      ({ block_hash }) =>
        block_hash === null ? 'from the next block on' : <Sealed hash={block_hash} />,
    );
  const request = async (time: number): Promise<void> => {
    if (time >= now) {
      await set(time);
      return;
    }
    ask({
      title: 'Set the clock backwards?',
      loss: `The clock goes back by ${spanText(now - time)}. New blocks have earlier timestamps than existing blocks.`,
      verb: `Set clock to ${momentText(time)}`,
      run: () => set(time),
      canKeep: false,
    });
  };
  return (
    <Group name="Clock">
      <dl className="facts">
        <Fact name="Chain">{momentText(now)} UTC</Fact>
        <Fact name="System">{momentText(now - offset)} UTC</Fact>
        <Fact name="Offset">{offsetText(offset) ?? 'none'}</Fact>
      </dl>
      <div className="line-of">
        {STEPS.map(([seconds, name]) => (
          <Action key={name} run={() => (seal ? moveBy(seconds, name) : set(now + seconds))}>
            {name}
          </Action>
        ))}
      </div>
      <Checkbox className="check" checked={seal} change={setSeal}>
        Create a block at the new time
      </Checkbox>
      <NewTime now={now} request={request} />
    </Group>
  );
}

const moveBy = (seconds: number, name: string) =>
  act(`Move the clock by ${name}`, 'devnet_increaseTime', { time: seconds }, ({ block_hash }) => (
    <Sealed hash={block_hash} />
  ));

interface NewTimeProps {
  readonly now: number;
  readonly request: (time: number) => Promise<void>;
}

function NewTime({ now, request }: NewTimeProps) {
  const [draft, setDraft] = useState('');
  const chosen = readMoment(draft);
  return (
    <div className="fields">
      <TextInput
        label="New time"
        value={draft}
        placeholder={isoText(now)}
        aria-invalid={draft !== '' && chosen === undefined}
        aria-describedby="clock-hint"
        change={setDraft}
      />
      <Action
        run={() => request(chosen ?? now)}
        refused={
          chosen === undefined
            ? 'Enter a date such as 2026-11-16T01:00:00Z, or seconds since 1970.'
            : undefined
        }
      >
        {chosen === undefined ? 'Set clock' : `Set clock to ${momentText(chosen)}`}
      </Action>
      <span id="clock-hint" className="quiet">
        UTC date or seconds since 1970
      </span>
    </div>
  );
}
