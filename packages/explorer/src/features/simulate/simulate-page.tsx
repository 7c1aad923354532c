// Page that simulates transactions in order, each on the state after the previous one; the result stands beside the form.
import { type KeyboardEvent, type Ref, useRef, useState } from 'react';
import { counted } from '../../format/amount.js';
import { isRun, shortcutText } from '../../navigation/key-events.js';
import { setQuery } from '../../navigation/route.js';
import { Action, LastDone } from '../../parts/action.js';
import { Button } from '../../parts/button.js';
import { Confirm } from '../../parts/confirm.js';
import { focusFault } from '../../parts/forms/abi-form.js';
import { AddressBook, useBook } from '../../parts/forms/address-book.js';
import { Icon } from '../../parts/icons.js';
import { TextInput } from '../../parts/inputs.js';
import { ErrorText, Heading } from '../../parts/page-states.js';
import { differences, RunOutcome } from '../../parts/send/outcome.js';
import { UntrustedText } from '../../parts/values.js';
import { RpcFailure } from '../../rpc/client.js';
import { runTask } from '../../state/tasks.js';
import { StepEditor } from './step-editor.js';
import { type StepList, useSteps } from './step-list.js';
import { FromTransaction, StepRow } from './step-row.js';
import { readBlock, type StepRuns, useStepRuns } from './step-runs.js';
import { AppliedOverrides, WhatIf } from './what-if-rows.js';
import '../../styles/simulate.css';

interface BuilderProps {
  readonly list: StepList;
  readonly runs: StepRuns;
}

/** Below this width the result follows the form, as in simulate.css. */
const STACKED = '(max-width: 1199px)';

export function SimulatePage() {
  return (
    <AddressBook id="simulate-book">
      <Builder />
    </AddressBook>
  );
}

function Builder() {
  const { resolve } = useBook();
  const root = useRef<HTMLDivElement>(null);
  const result = useRef<HTMLElement>(null);
  const list = useSteps();
  const showResult = (): void => {
    if (!matchMedia(STACKED).matches) return;
    result.current?.focus({ preventScroll: true });
    result.current?.scrollIntoView({ block: 'start' });
  };
  const runs = useStepRuns(list, {
    resolve,
    focusWrong: () => focusFault(root.current),
    onResult: showResult,
  });
  const [isAsked, setAsked] = useState(false);
  const { steps } = list;
  const press = (event: KeyboardEvent): void => {
    if (!isRun(event)) return;
    event.preventDefault();
    if (!event.shiftKey) runTask(runs.doSimulate());
    else if (steps.length > 0) setAsked(true);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the fields, in one place
    <div ref={root} onKeyDown={press}>
      <Heading
        title="Simulate"
        count={steps.length > 0 ? counted(steps.length, 'step') : undefined}
      />
      <div className="simulate">
        <div className="simulate-form">
          <StartFields list={list} runs={runs} />
          <Steps list={list} runs={runs} />
          <WhatIf drafts={list.whatIf} change={list.setWhatIf} />
          <RunBar list={list} runs={runs} send={() => setAsked(true)} />
        </div>
        <Result ref={result} list={list} runs={runs} />
      </div>
      {isAsked && (
        <Confirm
          question={{
            title: `Send ${counted(steps.length, 'transaction')}?`,
            loss: 'The node executes the steps on the head of the chain, without the overrides.',
            verb: 'Send for real',
            canKeep: false,
            run: runs.sendForReal,
          }}
          close={() => setAsked(false)}
        />
      )}
    </div>
  );
}

/** The block that the steps start from, and the transaction to copy calls from. */
function StartFields({ list, runs }: BuilderProps) {
  const { block, setBlock } = list;
  return (
    <div className="fields">
      <TextInput
        label="State after block"
        className="short"
        value={block}
        list="simulate-blocks"
        aria-invalid={readBlock(block) === undefined}
        change={setBlock}
      />
      <datalist id="simulate-blocks">
        <option value="pre-confirmed" />
        <option value="latest" />
      </datalist>
      <FromTransaction
        take={(hash) => {
          setQuery({ tx: undefined, from: undefined });
          runTask(runs.take(hash));
        }}
      />
    </div>
  );
}

function RunBar({ list: { steps }, runs, send }: BuilderProps & { readonly send: () => void }) {
  return (
    <div className="simulate-actions">
      <Button
        className="button primary"
        aria-disabled={runs.isBusy || steps.length === 0}
        onClick={runs.doSimulate}
      >
        {runs.isBusy
          ? 'Simulating…'
          : `Simulate ${steps.length === 0 ? '' : counted(steps.length, 'step')}`}{' '}
        <kbd>{shortcutText('Mod+Enter')}</kbd>
      </Button>
      <Action
        run={async () => send()}
        refused={steps.length === 0 ? 'Add a step first.' : undefined}
      >
        Send for real… <kbd>{shortcutText('Shift+Mod+Enter')}</kbd>
      </Action>
    </div>
  );
}

/** The steps, and the editor of the chosen one. */
function Steps({ list, runs: { runs, before, failed } }: BuilderProps) {
  const { steps, current } = list;
  return (
    <section className="panel card" aria-label="Transactions">
      <h2>Steps</h2>
      {steps.length === 0 && (
        <p className="quiet">
          Each step is a transaction, each on the state after the previous one. The chain does not
          change.
        </p>
      )}
      <ol className="functions steps" aria-label="Steps">
        {steps.map((step, at) => (
          <StepRow
            key={step.id}
            step={step}
            at={at}
            count={steps.length}
            isFocused={step === current}
            run={runs.get(step.id)}
            before={before.get(step.id)}
            note={
              failed?.step === undefined
                ? undefined
                : failed.step === step.id
                  ? 'rejected'
                  : 'not run'
            }
            focus={() => list.setFocused(step.id)}
            move={(by) => list.move(step.id, by)}
            remove={() => list.remove(step.id)}
          />
        ))}
      </ol>
      {current && (
        <StepEditor key={current.id} of={current} isJudged={list.isJudged} change={list.change} />
      )}
      <Button onClick={list.add}>
        <Icon name="plus" /> Add a step
      </Button>
    </section>
  );
}

/** Beside the form, or below it on a narrow screen. */
function Result({ list, runs, ref }: BuilderProps & { readonly ref: Ref<HTMLElement> }) {
  const { failed, isBusy } = runs;
  const step = list.current;
  const run = step && runs.runs.get(step.id);
  const old = step && runs.before.get(step.id);
  const failure = failed && (failed.step === undefined || failed.step === step?.id);
  return (
    <section ref={ref} className="simulate-result" aria-label="Result" tabIndex={-1}>
      <h2>Result{step && list.steps.length > 1 && ` of step ${list.steps.indexOf(step) + 1}`}</h2>
      <p className="progress" role="status">
        {isBusy ? 'Simulating…' : ''}
      </p>
      <LastDone />
      {failure && (
        <p className="fail" role="alert">
          <ErrorText of={failed.error} />{' '}
          {failed.error instanceof RpcFailure && <Detail of={failed.error.data} />}
        </p>
      )}
      {!run && !failed && !isBusy && (
        <p className="quiet">
          The outcome, events, state changes and fees appear here after you simulate.
        </p>
      )}
      {run && run.hash === undefined && runs.isStale && (
        <p className="warn">The form has changed since this result.</p>
      )}
      {run && <AppliedOverrides words={runs.applied} />}
      {run && <RunOutcome run={run} changed={old && differences(run, old)} />}
    </section>
  );
}

function Detail({ of }: { readonly of: unknown }) {
  if (typeof of !== 'object' || of === null || !('execution_error' in of)) return null;
  const { execution_error } = of;
  return <UntrustedText text={typeof execution_error === 'string' ? execution_error : ''} />;
}
