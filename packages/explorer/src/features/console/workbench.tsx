// One method of the console: its parameters as a form and as JSON, and what it answers.
import { useEffect, useMemo, useRef, useState } from 'react';
import { parseJson, writeJson } from '../../format/json.js';
import { takeDraft } from '../../navigation/console-draft.js';
import { useEscape } from '../../navigation/escape-key.js';
import { isRun, shortcutText } from '../../navigation/key-events.js';
import { Action, note } from '../../parts/action.js';
import { Button } from '../../parts/button.js';
import { Confirm, type Question } from '../../parts/confirm.js';
import { ErrorText, Loading } from '../../parts/page-states.js';
import { Copy } from '../../parts/values.js';
import { asCurl } from '../../rpc/client.js';
import type { RpcMethod } from '../../rpc/discovery.js';
import { refreshCurrent } from '../../rpc/queries.js';
import { runTask } from '../../state/tasks.js';
import { Answer, Stream } from './answer.js';
import { SchemaForm } from './form.js';
import { History } from './history-list.js';
import { Docs } from './method-docs.js';
import { type Running, useRunning } from './run.js';
import { emptyOf, type Schemas } from './shape.js';

/** Methods that destroy data, with a warning for each. */
const DESTROYS = new Map([
  ['devnet_restart', 'It deletes everything on the chain.'],
  ['devnet_load', 'The chain is replaced by another one.'],
  ['devnet_abortBlocks', 'It deletes the blocks from there on.'],
  ['devnet_revert', 'It deletes everything since the snapshot.'],
]);

interface WorkbenchProps {
  readonly method: RpcMethod;
  readonly schemas: Schemas;
  readonly isRestricted: boolean;
}

export function Workbench({ method, schemas, isRestricted }: WorkbenchProps) {
  const { value, text, wrong, change, changeText } = useParams(method, schemas);
  const [question, setQuestion] = useState<Question | undefined>();
  const running = useRunning();
  const perform = (): Promise<void> => callMethod(method, value, running);
  const run = async (): Promise<void> => {
    if (wrong !== undefined || isRestricted) return;
    const loss = DESTROYS.get(method.name);
    if (loss === undefined) return perform();
    setQuestion({
      title: `Call ${method.name}?`,
      loss,
      verb: `Call ${method.name}`,
      run: perform,
      canKeep: true,
    });
  };
  useRunKeys(run, running);
  return (
    <>
      <section className="work" aria-label="Call">
        <h2 className="mono">
          {method.name} <Copy value={method.name} what="method name" />
        </h2>
        <div className="two-views">
          <div>
            {method.params.length === 0 ? (
              <p className="quiet">This method takes no parameters.</p>
            ) : (
              <SchemaForm
                members={method.params}
                schemas={schemas}
                value={Array.isArray(value) ? byName(method, value) : value}
                change={change}
              />
            )}
          </div>
          <JsonField text={text} wrong={wrong} change={changeText} />
        </div>
        <p className="line-of">
          <Action kind="primary" run={run} refused={refusal(isRestricted, wrong)}>
            {verbOf(method)} {method.name}
          </Action>
          <kbd className="quiet">{shortcutText('Mod+Enter')}</kbd>
          {running.state !== 'idle' && <Button onClick={running.stop}>Stop</Button>}
          <span className="nowrap">
            curl <Copy value={asCurl(method.name, value)} what="as curl" />
          </span>
        </p>
        {running.state === 'waiting' && <Loading what="the response" />}
        {running.answer && <Answer of={running.answer} />}
        {(running.state === 'streaming' || running.received > 0) && <Stream of={running} />}
        <History method={method.name} restore={(params) => change(parseJson(params))} />
        {question && <Confirm question={question} close={() => setQuestion(undefined)} />}
      </section>
      <Docs of={method} />
    </>
  );
}

/** The parameters, as a value and as the text that is edited. */
function useParams(method: RpcMethod, schemas: Schemas) {
  const [value, setValue] = useState<unknown>(() => firstValue(method, schemas));
  const [text, setText] = useState<string>(() => writeJson(value, 2));
  const wrong = useMemo(() => faultIn(text), [text]);
  const change = (next: unknown): void => {
    setValue(next);
    setText(writeJson(next, 2));
  };
  const changeText = (next: string): void => {
    setText(next);
    if (faultIn(next) === undefined) setValue(parseJson(next));
  };
  return { value, text, wrong, change, changeText };
}

/** Calls it; what it changes is noted as done. */
async function callMethod(method: RpcMethod, value: unknown, running: Running): Promise<void> {
  const answer = await running.run(method.name, value, method.isSubscription);
  if (!method.writes || answer === undefined) return;
  const isFailure = answer instanceof Error || answer.isError;
  note({
    what: `Console: ${method.name}`,
    curl: asCurl(method.name, value),
    outcome: answer instanceof Error ? <ErrorText of={answer} /> : isFailure ? 'failed' : 'done',
    isFailure,
  });
  runTask(refreshCurrent());
}

function refusal(isRestricted: boolean, wrong: string | undefined): string | undefined {
  if (isRestricted) return 'This node does not serve this method (restricted).';
  return wrong === undefined ? undefined : 'The parameters are not valid JSON.';
}

function verbOf({ isSubscription, writes }: RpcMethod): string {
  if (isSubscription) return 'Subscribe';
  return writes ? 'Send' : 'Call';
}

interface JsonFieldProps {
  readonly text: string;
  /** Why the text cannot be parameters. */
  readonly wrong: string | undefined;
  readonly change: (text: string) => void;
}

function JsonField({ text, wrong, change }: JsonFieldProps) {
  return (
    <div className="schema-line">
      <label htmlFor="console-json">Parameters as JSON</label>
      <textarea
        id="console-json"
        className="mono"
        spellCheck={false}
        rows={Math.min(20, Math.max(5, text.split('\n').length + 1))}
        value={text}
        aria-invalid={wrong !== undefined}
        aria-describedby={wrong === undefined ? undefined : 'console-fault'}
        onChange={(event) => change(event.target.value)}
      />
      {wrong !== undefined && (
        <p id="console-fault" className="fail">
          {wrong}
        </p>
      )}
    </div>
  );
}

/** Parameters handed over by another page, or blank required ones. */
function firstValue(method: RpcMethod, schemas: Schemas): unknown {
  const draft = takeDraft(method.name) ?? (method.alias && takeDraft(method.alias));
  if (draft !== undefined && draft !== '' && faultIn(draft) === undefined) return parseJson(draft);
  return Object.fromEntries(
    method.params
      .filter(({ required }) => required)
      .map(({ name, schema }) => [name, emptyOf(schema, schemas, name)]),
  );
}

function byName({ params }: RpcMethod, list: readonly unknown[]): unknown {
  return Object.fromEntries(
    params.flatMap(({ name }, at) => (list[at] === undefined ? [] : [[name, list[at]]])),
  );
}

/** The error in a text of parameters, if any. */
function faultIn(text: string): string | undefined {
  try {
    const value = parseJson(text);
    return typeof value === 'object' ? undefined : 'Parameters are an object or a list.';
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 200) : 'This is not valid JSON.';
  }
}

function useRunKeys(run: () => Promise<void>, running: Running): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (document.querySelector('dialog[open]')) return;
      if (isRun(event)) {
        event.preventDefault();
        runTask(latest.current());
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  useEscape(running.stop, running.state !== 'idle');
}
