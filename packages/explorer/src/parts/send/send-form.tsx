// Form that simulates and sends calls: sender, bounds, result.
import type { Bounds, UserCall } from '@starkbox/abi';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { escapeText } from '../../format/untrusted-text.js';
import { isRun, shortcutText } from '../../navigation/key-events.js';
import { canWrite, liveNow } from '../../rpc/live-state.js';
import { runTask } from '../../state/tasks.js';
import { Action, LastDone } from '../action.js';
import { Button } from '../button.js';
import { focusFault } from '../forms/abi-form.js';
import { type BlockTag, BlockTagField } from '../inputs.js';
import { ErrorText } from '../page-states.js';
import { OutcomeSign, TxRef } from '../values.js';
import { RunOutcome } from './outcome.js';
import { BoundsFields } from './resource-bounds.js';
import { type BlockId, boundsOf, type Run, readRun, send, simulate } from './run.js';
import { type Sender, SenderField, useSender } from './sender.js';

type SendResult =
  | {
      readonly kind: 'run';
      readonly run: Run;
      readonly isDoubtful: boolean;
      /** Inputs of the run. */
      readonly inputs: string;
    }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'refused' };

export interface SendFormProps {
  /** Accessible name of the form. */
  readonly label: string;
  /** Name in the log of actions, for example `Send transfer`. */
  readonly what: string;
  readonly as: string;
  readonly setAs: (text: string) => void;
  /** The calls, or undefined if an input is invalid, which the form then shows. */
  readonly prepare: () => readonly UserCall[] | undefined;
  /** Whether another form on the page has the primary button. */
  readonly isSecond?: boolean;
  /** Verb of the send button. */
  readonly verb?: string;
  /** Changes with every input. */
  readonly inputs?: string | undefined;
  readonly children?: ReactNode;
  readonly extra?: ReactNode;
  readonly onDone?: (run: Run) => void;
  /** Shown below the result. */
  readonly after?: (run: Run) => ReactNode;
}

export function SendForm(props: SendFormProps) {
  const { label, as, setAs, verb = 'Send', isSecond = false, children, extra, after } = props;
  const inputs = `${as} ${props.inputs ?? ''}`;
  const form = useRef<HTMLFormElement>(null);
  const sender = useSender(as);
  const [at, setAt] = useState<BlockTag>('pre_confirmed');
  const [bounds, setBounds] = useState<Bounds | undefined>();
  const {
    isBusy,
    shown: outcome,
    estimated,
    doSimulate,
    doSend,
  } = useSending(props, {
    inputs,
    sender,
    bounds,
    focusWrong: () => focusFault(form.current),
  });
  const press = (event: KeyboardEvent): void => {
    if (!isRun(event)) return;
    event.preventDefault();
    runTask(event.shiftKey ? doSend() : doSimulate(at));
  };
  const shownName = escapeText(sender.name, 40).text;
  const by =
    sender.address === undefined ? '' : ` as ${sender.isOurs ? '' : 'impersonated '}${shownName}`;
  return (
    <form
      ref={form}
      className="stack"
      aria-label={label}
      onKeyDown={press}
      onSubmit={(event) => event.preventDefault()}
    >
      {children}
      <div className="line-of">
        <SenderField text={as} sender={sender} change={setAs} />
        <BlockTagField at={at} change={setAt} />
      </div>
      <div className="line-of">
        <Button aria-disabled={isBusy} onClick={() => doSimulate(at)}>
          Simulate <kbd>{shortcutText('Mod+Enter')}</kbd>
        </Button>
        <Action {...(isSecond ? {} : { kind: 'primary' as const })} run={() => doSend()}>
          {verb}
          {by} <kbd>{shortcutText('Shift+Mod+Enter')}</kbd>
        </Action>
        {extra}
      </div>
      {(bounds ?? estimated) && (
        <BoundsFields of={bounds ?? estimated} isEdited={bounds !== undefined} change={setBounds} />
      )}
      <div>
        {outcome && (
          <Shown of={outcome} inputs={inputs} sendAnyway={() => doSend(true)} after={after} />
        )}
      </div>
    </form>
  );
}

interface Sending {
  readonly inputs: string;
  readonly sender: Sender;
  /** Bounds that were edited. */
  readonly bounds: Bounds | undefined;
  readonly focusWrong: () => void;
}

function useSending({ prepare, what, onDone }: SendFormProps, sending: Sending) {
  const { inputs, sender, bounds, focusWrong } = sending;
  const [outcome, setShown] = useState<SendResult | undefined>();
  const { isBusy, busy } = useBusy((error) => setShown({ kind: 'error', error }));
  const [estimated, setEstimated] = useState<Bounds | undefined>();

  const ready = (): { address: string; calls: readonly UserCall[] } | undefined => {
    const calls = prepare();
    if (!calls || sender.address === undefined) {
      focusWrong();
      return undefined;
    }
    return { address: sender.address, calls };
  };
  const tryOut = async (block: BlockId): Promise<Run | undefined> => {
    const prepared = ready();
    if (!prepared) return undefined;
    const [run] = await simulate([{ sender: prepared.address, calls: prepared.calls }], block);
    setEstimated(run && boundsOf(run));
    return run;
  };
  const doSimulate = (block: BlockId): Promise<void> =>
    busy(async () => {
      const run = await tryOut(block);
      if (run) setShown({ kind: 'run', run, isDoubtful: false, inputs });
    });
  const doSend = (isSure = false): Promise<void> =>
    busy(async () => {
      if (!canWrite(liveNow().connection)) return;
      let allowed = bounds;
      if (!allowed) {
        const run = await tryOut('pre_confirmed');
        if (!run) return;
        if (run.verdict.execution_status === 'REVERTED' && !isSure) {
          setShown({ kind: 'run', run, isDoubtful: true, inputs });
          return;
        }
        allowed = boundsOf(run);
      }
      const prepared = ready();
      if (!prepared || !allowed) return;
      const hash = await send({
        sender: prepared.address,
        calls: prepared.calls,
        bounds: allowed,
        isOurs: sender.isOurs,
        what,
        tell: (transaction) => (
          <>
            transaction <TxRef of={transaction} />
          </>
        ),
      });
      if (hash === undefined) {
        setShown({ kind: 'refused' });
        return;
      }
      const run = await readRun(hash);
      setShown({ kind: 'run', run, isDoubtful: false, inputs });
      onDone?.(run);
    });
  return { isBusy, shown: outcome, estimated, doSimulate, doSend };
}

/** Runs one thing at a time. */
function useBusy(onError: (error: unknown) => void) {
  const [isBusy, setBusy] = useState(false);
  const latest = useRef({ isMounted: true });
  useEffect(() => {
    const mark = latest.current;
    mark.isMounted = true;
    return () => {
      mark.isMounted = false;
    };
  }, []);

  const busy = async (work: () => Promise<void>): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    try {
      await work();
    } catch (error) {
      onError(error);
    } finally {
      if (latest.current.isMounted) setBusy(false);
    }
  };
  return { isBusy, busy };
}

interface ShownProps {
  readonly of: SendResult;
  readonly inputs: string;
  readonly sendAnyway: () => Promise<void>;
  readonly after: SendFormProps['after'];
}

function Shown({ of: outcome, inputs, sendAnyway, after }: ShownProps) {
  if (outcome.kind === 'refused') return <LastDone />;
  if (outcome.kind === 'error') {
    return (
      <p className="fail" role="alert">
        <OutcomeSign isOk={false} word="Failed" /> <ErrorText of={outcome.error} />
      </p>
    );
  }
  return (
    <>
      {outcome.isDoubtful && (
        <div className="notice">
          <span>Not sent, because it would be reverted.</span>
          <Action run={sendAnyway}>Send it anyway</Action>
        </div>
      )}
      {outcome.run.hash === undefined && outcome.inputs !== inputs && (
        <p className="warn">This result is for other inputs.</p>
      )}
      <RunOutcome run={outcome.run} />
      {after?.(outcome.run)}
    </>
  );
}
