// Controls of the chain's clock; setting it back asks for confirmation.
import { useState } from 'react';
import { isoText, momentText, offsetText, readMoment, spanText } from '../../format/time.js';
import { Action, act } from '../../parts/action.js';
import { type AskProps, Group, Sealed } from '../../parts/confirm.js';
import { Checkbox, TextInput } from '../../parts/inputs.js';
import { useChainNow } from '../../parts/values.js';
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
      loss: `The chain’s time goes back by ${spanText(now - time)}: new blocks will have earlier timestamps than existing ones.`,
      verb: `Set clock to ${momentText(time)}`,
      run: () => set(time),
      canKeep: false,
    });
  };
  return (
    <Group name="Clock">
      <div className="meta">
        <span>chain {momentText(now)} UTC</span>
        <span>system {momentText(now - offset)} UTC</span>
        <span>offset {offsetText(offset) ?? 'none'}</span>
      </div>
      <div className="line-of">
        {STEPS.map(([seconds, name]) => (
          <Action key={name} run={() => (seal ? moveBy(seconds, name) : set(now + seconds))}>
            {name}
          </Action>
        ))}
        <Checkbox checked={seal} change={setSeal}>
          seal a block
        </Checkbox>
      </div>
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
    <div className="line-of">
      <TextInput
        label="new time"
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
            ? 'Write a date such as 2026-11-16T01:00:00Z, or seconds since 1970.'
            : undefined
        }
      >
        {chosen === undefined ? 'Set clock' : `Set clock to ${momentText(chosen)}`}
      </Action>
      <span id="clock-hint" className="quiet">
        a date, or seconds since 1970
      </span>
    </div>
  );
}
