// Page that simulates transactions in order, each on the state after the previous one.
import { type KeyboardEvent, useRef } from 'react';
import { counted } from '../../format/amount.js';
import { isRun } from '../../navigation/key-events.js';
import { setQuery } from '../../navigation/route.js';
import { Action, LastDone } from '../../parts/action.js';
import { Button } from '../../parts/button.js';
import { focusFault } from '../../parts/forms/abi-form.js';
import { AddressBook, useBook } from '../../parts/forms/address-book.js';
import { TextInput } from '../../parts/inputs.js';
import { ErrorText, Heading } from '../../parts/page-states.js';
import { differences, RunOutcome } from '../../parts/send/outcome.js';
import { COMMAND } from '../../parts/send/send-form.js';
import { UntrustedText } from '../../parts/values.js';
import { RpcFailure } from '../../rpc/client.js';
import { runTask } from '../../state/tasks.js';
import { StepEditor } from './step-editor.js';
import { type StepList, useSteps } from './step-list.js';
import { FromTransaction, StepRow } from './step-row.js';
import { readBlock, type StepRuns, useStepRuns } from './step-runs.js';
import type { StepDraft } from './steps.js';
import { AppliedOverrides, WhatIf } from './what-if-rows.js';

interface BuilderProps {
  readonly list: StepList;
  readonly runs: StepRuns;
}

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
  const list = useSteps();
  const runs = useStepRuns(list, resolve, () => focusFault(root.current));
  const { steps, current } = list;
  const { failed } = runs;
  const press = (event: KeyboardEvent): void => {
    if (!isRun(event)) return;
    event.preventDefault();
    runTask(event.shiftKey ? runs.keep() : runs.doSimulate());
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the fields, in one place
    <div ref={root} onKeyDown={press}>
      <Heading
        title="Simulate"
        count={steps.length > 0 ? counted(steps.length, 'step') : undefined}
      />
      <RunBar list={list} runs={runs} />
      <WhatIf drafts={list.whatIf} change={list.setWhatIf} />
      <LastDone />
      {failed && failed.step === undefined && (
        <p className="fail" role="alert">
          ✕ <ErrorText of={failed.error} />
        </p>
      )}
      {steps.length === 0 ? (
        <NoSteps add={list.add} />
      ) : (
        <div className="columns">
          <StepRows list={list} runs={runs} />
          {current && <CurrentStep step={current} list={list} runs={runs} />}
        </div>
      )}
    </div>
  );
}

/** The block that the steps start from, and what can be done with them. */
function RunBar({ list, runs }: BuilderProps) {
  const { steps, block, setBlock } = list;
  return (
    <div className="line-of session">
      <TextInput
        label="on the state after block"
        className="block-input"
        value={block}
        list="simulate-blocks"
        aria-invalid={readBlock(block) === undefined}
        change={setBlock}
      />
      <datalist id="simulate-blocks">
        <option value="pre-confirmed" />
        <option value="latest" />
      </datalist>
      <Button
        className="button primary"
        aria-disabled={runs.isBusy || steps.length === 0}
        onClick={runs.doSimulate}
      >
        Simulate {steps.length === 0 ? '' : counted(steps.length, 'step')} <kbd>{COMMAND}↵</kbd>
      </Button>
      <Action
        run={runs.keep}
        refused={steps.length === 0 ? 'There is nothing to send yet.' : undefined}
      >
        Keep: send {steps.length === 1 ? 'it' : 'them'} for real <kbd>⇧{COMMAND}↵</kbd>
      </Action>
      <FromTransaction
        take={(hash) => {
          setQuery({ tx: undefined, from: undefined });
          runTask(runs.take(hash));
        }}
      />
    </div>
  );
}

function NoSteps({ add }: { readonly add: () => void }) {
  return (
    <div className="empty">
      <p>
        Simulates transactions in order, each on the state after the previous one. The chain does
        not change.
      </p>
      <p>
        <Button onClick={add}>Add a step</Button>
      </p>
    </div>
  );
}

function StepRows({ list, runs: { runs, before, failed } }: BuilderProps) {
  const { steps, current } = list;
  return (
    <div>
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
                  ? 'refused'
                  : 'not run'
            }
            focus={() => list.setFocused(step.id)}
            move={(by) => list.move(step.id, by)}
            remove={() => list.remove(step.id)}
          />
        ))}
      </ol>
      <Button onClick={list.add}>Add a step</Button>
    </div>
  );
}

function CurrentStep({ step, list, runs }: BuilderProps & { readonly step: StepDraft }) {
  const { failed } = runs;
  const run = runs.runs.get(step.id);
  const old = runs.before.get(step.id);
  return (
    <div className="stack step">
      <StepEditor key={step.id} of={step} isJudged={list.isJudged} change={list.change} />
      <div>
        {failed?.step === step.id && (
          <p className="fail" role="alert">
            ✕ <ErrorText of={failed.error} />{' '}
            {failed.error instanceof RpcFailure && <Detail of={failed.error.data} />}
          </p>
        )}
        {run && run.hash === undefined && runs.isStale && (
          <p className="warn">The steps have changed since.</p>
        )}
        {run && <AppliedOverrides words={runs.applied} />}
        {run && <RunOutcome run={run} changed={old && differences(run, old)} />}
      </div>
    </div>
  );
}

function Detail({ of }: { readonly of: unknown }) {
  if (typeof of !== 'object' || of === null || !('execution_error' in of)) return null;
  const { execution_error } = of;
  return <UntrustedText text={typeof execution_error === 'string' ? execution_error : ''} />;
}
