// Editor of one simulation step: sender, and contract, function and inputs of each call.
import { PlainButton } from '../../parts/button.js';
import { Icon } from '../../parts/icons.js';
import { SenderField, useSender } from '../../parts/send/sender.js';
import { CallEditor } from './call-editor.js';
import { MAX_CALLS, newCall, type StepDraft } from './steps.js';

interface StepEditorProps {
  readonly of: StepDraft;
  readonly change: (step: StepDraft) => void;
  readonly isJudged: boolean;
}

export function StepEditor({ of, change, isJudged }: StepEditorProps) {
  const sender = useSender(of.as);
  return (
    <div className="stack step">
      <SenderField text={of.as} sender={sender} change={(as) => change({ ...of, as })} />
      {of.calls.map((call, at) => (
        <fieldset key={call.id} className="step-call">
          <legend className="unseen">Call {at + 1}</legend>
          <CallEditor
            of={call}
            isJudged={isJudged}
            change={(next) =>
              change({ ...of, calls: of.calls.map((old) => (old.id === call.id ? next : old)) })
            }
          />
          {of.calls.length > 1 && (
            <PlainButton
              aria-label={`Remove call ${at + 1}`}
              onClick={() => change({ ...of, calls: of.calls.filter(({ id }) => id !== call.id) })}
            >
              <Icon name="close" /> Remove call {at + 1}
            </PlainButton>
          )}
        </fieldset>
      ))}
      <div>
        <PlainButton
          aria-disabled={of.calls.length >= MAX_CALLS}
          onClick={() => {
            if (of.calls.length < MAX_CALLS) change({ ...of, calls: [...of.calls, newCall()] });
          }}
        >
          <Icon name="plus" /> Add a call to this transaction
        </PlainButton>
      </div>
    </div>
  );
}
