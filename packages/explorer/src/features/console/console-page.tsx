// Page that calls any method of the node, with a form, JSON and the answer.
import { useEffect, useMemo, useRef, useState } from 'react';
import { parseJson, writeJson } from '../../format/json.js';
import { takeDraft } from '../../navigation/console-draft.js';
import { useEscape } from '../../navigation/escape-key.js';
import { isRun } from '../../navigation/key-events.js';
import { setQuery, to, usePlace } from '../../navigation/route.js';
import { Action, note } from '../../parts/action.js';
import { Confirm, type Question } from '../../parts/confirm.js';
import { ErrorText, Heading, Loading, Problem } from '../../parts/page-states.js';
import { Copy, Link } from '../../parts/values.js';
import { asCurl } from '../../rpc/client.js';
import { methodNamed, type RpcMethod, useDiscovery } from '../../rpc/discovery.js';
import { queries, useConfig } from '../../rpc/queries.js';
import { Answer, Stream } from './answer.js';
import { SchemaForm } from './form.js';
import { History } from './history-list.js';
import { Docs } from './method-docs.js';
import { type Running, useRunning } from './run.js';
import { emptyOf, type Schemas } from './shape.js';

export function ConsolePage() {
  const discovery = useDiscovery();
  const config = useConfig();
  const { query } = usePlace();
  const wanted = query.get('method') ?? '';
  if (discovery.error) {
    return (
      <>
        <Heading title="Console" />
        <Problem
          error={discovery.error}
          what="what the node can be asked"
          retry={() => void discovery.refetch()}
        />
      </>
    );
  }
  const { data } = discovery;
  if (!data) {
    return (
      <>
        <Heading title="Console" />
        <Loading what="what the node can be asked" />
      </>
    );
  }
  const restricted = new Set(config.data?.server_config.restricted_methods ?? []);
  const isRestricted = ({ name, alias }: RpcMethod): boolean =>
    restricted.has(name) || (alias !== undefined && restricted.has(alias));
  const method = methodNamed(data, wanted);
  return (
    <>
      <Heading title="Console" count={`${data.methods.length} methods`} />
      <div className="console">
        <Methods methods={data.methods} current={method?.name} isRestricted={isRestricted} />
        {method ? (
          <Workbench
            key={method.name}
            method={method}
            schemas={data.schemas}
            isRestricted={isRestricted(method)}
          />
        ) : (
          <section className="work" aria-label="Call">
            <p className="empty">
              {wanted === ''
                ? 'Choose a method, or one of your last calls below.'
                : 'This node has no method of that name.'}
            </p>
            <History />
          </section>
        )}
      </div>
    </>
  );
}

function Methods({
  methods,
  current,
  isRestricted,
}: {
  readonly methods: readonly RpcMethod[];
  readonly current: string | undefined;
  readonly isRestricted: (method: RpcMethod) => boolean;
}) {
  const [search, setSearch] = useState('');
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = methods.filter(({ name, alias, summary }) => {
    const text = `${name} ${alias ?? ''} ${summary}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const [first] = found;
  return (
    <nav
      className={current !== undefined && search === '' ? 'methods is-settled' : 'methods'}
      aria-label="Methods"
    >
      <label className="unseen" htmlFor="method-search">
        Search methods
      </label>
      <input
        id="method-search"
        type="search"
        placeholder="Search methods"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && first && !event.ctrlKey && !event.metaKey) {
            setQuery({ method: first.name });
          }
        }}
      />
      {found.length === 0 && <p className="quiet">No method is called so.</p>}
      <ul>
        {found.map((method) => {
          const [prefix = '', rest = ''] = parted(method.name);
          const name = (
            <>
              <span className="quiet">{prefix}</span>
              {rest}
            </>
          );
          return (
            <li key={method.name}>
              <Link
                href={to('console', undefined, { method: method.name })}
                current={method.name === current}
                title={
                  isRestricted(method) ? 'This node does not serve it (restricted)' : method.summary
                }
              >
                {isRestricted(method) ? <s>{name}</s> : name}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function parted(name: string): readonly [string, string] {
  const at = name.indexOf('_') + 1;
  return [name.slice(0, at), name.slice(at)];
}

/** Methods that destroy data, with a warning for each. */
const DESTROYS = new Map([
  ['devnet_restart', 'Everything on the chain is gone after it.'],
  ['devnet_load', 'The chain is replaced by another one.'],
  ['devnet_abortBlocks', 'The blocks from there on are gone after it.'],
  ['devnet_revert', 'Everything since the snapshot is gone after it.'],
]);

function Workbench({
  method,
  schemas,
  isRestricted,
}: {
  readonly method: RpcMethod;
  readonly schemas: Schemas;
  readonly isRestricted: boolean;
}) {
  const [value, setValue] = useState<unknown>(() => firstValue(method, schemas));
  const [text, setText] = useState<string>(() => writeJson(value, 2));
  const [question, setQuestion] = useState<Question | undefined>();
  const running = useRunning();
  const wrong = useMemo(() => faultIn(text), [text]);
  const named = Array.isArray(value) ? byName(method, value) : value;

  const change = (next: unknown): void => {
    setValue(next);
    setText(writeJson(next, 2));
  };
  const perform = async (): Promise<void> => {
    const answer = await running.run(method.name, value, method.isSubscription);
    if (!method.writes || answer === undefined) return;
    const isFailure = answer instanceof Error || answer.isError;
    note({
      what: `Console: ${method.name}`,
      curl: asCurl(method.name, value),
      outcome: answer instanceof Error ? <ErrorText of={answer} /> : isFailure ? 'refused' : 'done',
      isFailure,
    });
    void queries.invalidateQueries({ queryKey: ['now'] });
  };
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
  const refused = isRestricted
    ? 'This node does not serve it (restricted).'
    : wrong === undefined
      ? undefined
      : 'The parameters are no JSON.';
  const verb = method.isSubscription ? 'Subscribe' : method.writes ? 'Send' : 'Call';
  return (
    <>
      <section className="work" aria-label="Call">
        <h2 className="mono">
          {method.name} <Copy value={method.name} what="method name" />
        </h2>
        <div className="two-views">
          <div>
            {method.params.length === 0 ? (
              <p className="quiet">It takes no parameters.</p>
            ) : (
              <SchemaForm members={method.params} schemas={schemas} value={named} change={change} />
            )}
          </div>
          <div className="schema-line">
            <label htmlFor="console-json">The same as JSON</label>
            <textarea
              id="console-json"
              className="mono"
              spellCheck={false}
              rows={Math.min(20, Math.max(5, text.split('\n').length + 1))}
              value={text}
              aria-invalid={wrong !== undefined}
              aria-describedby={wrong === undefined ? undefined : 'console-fault'}
              onChange={(event) => {
                setText(event.target.value);
                if (faultIn(event.target.value) === undefined)
                  setValue(parseJson(event.target.value));
              }}
            />
            {wrong !== undefined && (
              <p id="console-fault" className="fail">
                {wrong}
              </p>
            )}
          </div>
        </div>
        <p className="line-of">
          <Action kind="primary" run={run} refused={refused}>
            {verb} {method.name}
          </Action>
          <kbd className="quiet">⌘↵</kbd>
          {running.state !== 'idle' && (
            <button type="button" className="button" onClick={running.stop}>
              Stop
            </button>
          )}
          <span className="nowrap">
            curl <Copy value={asCurl(method.name, value)} what="as curl" />
          </span>
        </p>
        {running.state === 'waiting' && <Loading what="the answer" />}
        {running.heard && <Answer of={running.heard} />}
        {(running.state === 'streaming' || running.toldInAll > 0) && <Stream of={running} />}
        <History method={method.name} restore={(params) => change(parseJson(params))} />
        {question && <Confirm question={question} close={() => setQuestion(undefined)} />}
      </section>
      <Docs of={method} />
    </>
  );
}

/** Parameters handed over by another page, or blank required ones. */
function firstValue(method: RpcMethod, schemas: Schemas): unknown {
  const draft = takeDraft(method.name) ?? (method.alias && takeDraft(method.alias));
  if (draft !== undefined && draft !== '' && faultIn(draft) === undefined) return parseJson(draft);
  return Object.fromEntries(
    method.params
      .filter(({ required }) => required)
      .map(({ name, schema }) => [name, emptyOf(schema, schemas)]),
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
    return error instanceof Error ? error.message.slice(0, 200) : 'This is no JSON.';
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
        void latest.current();
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  useEscape(running.stop, running.state !== 'idle');
}
