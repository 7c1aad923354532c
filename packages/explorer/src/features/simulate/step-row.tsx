// Row of one step in the list of steps, with buttons to move it.
import { canonicalFelt } from '@starkbox/abi/basics';
import { useState } from 'react';
import { Button, PlainButton } from '../../parts/button.js';
import { Icon } from '../../parts/icons.js';
import { Form, TextInput } from '../../parts/inputs.js';
import { Differs, differences } from '../../parts/send/outcome.js';
import type { Run } from '../../parts/send/run.js';
import { FunctionName, OutcomeSign } from '../../parts/values.js';
import type { StepDraft } from './steps.js';

/** Loads the calls of a past transaction. */
export function FromTransaction({ take }: { readonly take: (hash: string) => void }) {
  const [text, setText] = useState('');
  return (
    <Form
      className="fields"
      aria-label="Start from a transaction"
      submit={() => {
        if (canonicalFelt(text) !== undefined) take(text);
      }}
    >
      <TextInput
        label="Copy the calls of a transaction"
        className="mono"
        value={text}
        placeholder="0x…"
        aria-invalid={text !== '' && canonicalFelt(text) === undefined}
        change={setText}
      />
      <Button type="submit">Copy</Button>
    </Form>
  );
}

interface StepRowProps {
  readonly step: StepDraft;
  readonly at: number;
  readonly count: number;
  readonly isFocused: boolean;
  readonly run: Run | undefined;
  readonly before: Run | undefined;
  readonly note: string | undefined;
  readonly focus: () => void;
  readonly move: (by: 1 | -1) => void;
  readonly remove: () => void;
}

export function StepRow(props: StepRowProps) {
  const { step, at, count, isFocused, run, before, note, focus, move, remove } = props;
  const changed = run && before && differences(run, before);
  const differs = changed && (changed.outcome || changed.events || changed.gas !== 0n);
  const isOk = run?.verdict.execution_status === 'SUCCEEDED';
  const [first] = step.calls;
  return (
    <li
      onKeyDown={(event) => {
        if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
        event.preventDefault();
        move(event.key === 'ArrowUp' ? -1 : 1);
      }}
    >
      <button type="button" aria-pressed={isFocused} onClick={focus}>
        {at + 1} {run && <OutcomeSign isOk={isOk} word={isOk ? 'succeeds' : 'reverts'} />}{' '}
        {first === undefined || first.selector === '' ? (
          <span className="quiet">new step</span>
        ) : (
          <FunctionName selector={first.selector} />
        )}
        {step.calls.length > 1 && ` and ${step.calls.length - 1} more`} {differs && <Differs />}
        {note !== undefined && <span className="quiet"> {note}</span>}
      </button>
      <PlaceButtons at={at} count={count} move={move} remove={remove} />
    </li>
  );
}

function PlaceButtons(props: Pick<StepRowProps, 'at' | 'count' | 'move' | 'remove'>) {
  const { at, count, move, remove } = props;
  return (
    <span className="nowrap">
      <PlainButton
        aria-label={`Move step ${at + 1} up`}
        aria-disabled={at === 0}
        onClick={() => move(-1)}
      >
        <Icon name="up" />
      </PlainButton>
      <PlainButton
        aria-label={`Move step ${at + 1} down`}
        aria-disabled={at === count - 1}
        onClick={() => move(1)}
      >
        <Icon name="down" />
      </PlainButton>
      <PlainButton aria-label={`Remove step ${at + 1}`} onClick={remove}>
        <Icon name="close" />
      </PlainButton>
    </span>
  );
}
