// Detail of a recorded request: parameters, answer, timing, repeating it.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { parseJson, writeJson } from '../../format/json.js';
import { editInConsole } from '../../navigation/console-draft.js';
import { useEscape } from '../../navigation/escape-key.js';
import { Action } from '../../parts/action.js';
import { Button, PlainButton } from '../../parts/button.js';
import { Confirm, type Question } from '../../parts/confirm.js';
import { Icon } from '../../parts/icons.js';
import { Choice } from '../../parts/inputs.js';
import { JsonText, laidOut } from '../../parts/json-text.js';
import { Loading, Problem } from '../../parts/page-states.js';
import { Explained, type Explanation } from '../../parts/transaction/explanation.js';
import { hasPlaces, SourceStack } from '../../parts/transaction/source-pane.js';
import { Copy, OutcomeSign, Status, TxRef, UntrustedText } from '../../parts/values.js';
import { asCurl, call, explanationIn, isAnswer } from '../../rpc/client.js';
import { fetchDiscovery, methodNamed } from '../../rpc/discovery.js';
import type { Result } from '../../rpc/methods.js';
import { ask, bytesText, millisecondsText, type TimedAnswer } from '../../rpc/timed-call.js';
import { clientOf, type RequestRow } from './group.js';

type Recorded = Result<'devnet_getRequest'>;

const TABS = ['Request', 'Response', 'Timing'] as const;
type TabName = (typeof TABS)[number];

interface DetailProps {
  /** Equal calls, newest first. */
  readonly rows: readonly RequestRow[];
  readonly close: () => void;
}

export function Detail({ rows, close }: DetailProps) {
  useEscape(close);
  const [at, setAt] = useState(0);
  const [tab, setTab] = useState<TabName>('Request');
  const row = rows[Math.min(at, rows.length - 1)];
  const recorded = useQuery({
    queryKey: ['request', row?.id],
    queryFn: () => call('devnet_getRequest', { id: row?.id ?? 0 }),
    retry: false,
  });
  if (!row) return null;
  const parsed = recorded.data && callIn(recorded.data.request?.text);
  return (
    <section className="panel request-detail" aria-label="The call">
      <div className="line-of">
        <CallHeading of={row} />
        {rows.length > 1 && <OneOf at={at} count={rows.length} go={setAt} />}
        <PlainButton className="plain push" onClick={close}>
          Close
        </PlainButton>
      </div>
      <div className="line-of">
        <Choice
          label="Parts of the call"
          options={TABS.map((name) => [name, name] as const)}
          value={tab}
          change={setTab}
        />
        {parsed && <Doings key={row.id} parsed={parsed} recorded={recorded.data} />}
      </div>
      {row.result_preview !== undefined && SENDS.test(row.method) && (
        <Fate of={row.result_preview} />
      )}
      {recorded.data && <WhyRefused of={recorded.data} />}
      {recorded.error && row && <Problem error={recorded.error} what="the call" />}
      {recorded.isPending && <Loading what="the call" />}
      {tab === 'Timing' ? (
        <Timing of={row} />
      ) : (
        recorded.data && <Body of={recorded.data} tab={tab} row={row} />
      )}
    </section>
  );
}

function CallHeading({ of: row }: { readonly of: RequestRow }) {
  return (
    <>
      <h2>
        <UntrustedText text={row.method} limit={80} />
      </h2>
      <span className="quiet">{clientOf(row)}</span>
      {row.agent !== undefined && (
        <span className="quiet wide">
          <UntrustedText text={row.agent} limit={60} />
        </span>
      )}
      {row.origin !== undefined && (
        <span className="quiet">
          <UntrustedText text={row.origin} limit={60} />
        </span>
      )}
    </>
  );
}

interface OneOfProps {
  readonly at: number;
  readonly count: number;
  readonly go: (at: number) => void;
}

/** Which one of equal calls is shown. */
function OneOf({ at, count, go }: OneOfProps) {
  return (
    <span className="line-of">
      <PlainButton aria-label="Newer equal call" disabled={at === 0} onClick={() => go(at - 1)}>
        <Icon name="left" />
      </PlainButton>
      {at + 1} of {count}
      <PlainButton
        aria-label="Older equal call"
        disabled={at >= count - 1}
        onClick={() => go(at + 1)}
      >
        <Icon name="right" />
      </PlainButton>
    </span>
  );
}

const SENDS = /_add\w+Transaction$|SendMessageToL2$/;
const SENT = /"transaction_hash":"(0x[\da-f]{1,64})"/;

/** Status of a transaction that the request sent; acceptance into the mempool says nothing about it. */
function Fate({ of }: { readonly of: string }) {
  const hash = SENT.exec(of)?.[1];
  const status = useQuery({
    queryKey: ['now', 'fate', hash],
    queryFn: () => call('starknet_getTransactionStatus', { transaction_hash: hash ?? '' }),
    enabled: hash !== undefined,
    retry: false,
  });
  if (hash === undefined) return null;
  const outcome = status.data?.execution_status;
  return (
    <p>
      <TxRef of={hash} /> {outcome !== undefined && <Status of={outcome} words />}
      {status.error && <span className="quiet">is no longer on the chain</span>}
    </p>
  );
}

/** The node's explanation of a failed call, where its answer has one. */
function WhyRefused({ of }: { readonly of: Recorded }) {
  const explained = useMemo(() => explanationOf(of.response?.text), [of]);
  if (!explained) return null;
  return (
    <section className="why" aria-label="Why it failed">
      <Explained of={explained} />
      {hasPlaces(explained) && <SourceStack of={explained} />}
    </section>
  );
}

function explanationOf(text = ''): Explanation | undefined {
  if (!text.includes('"explained"')) return undefined;
  try {
    const answer = parseJson(text);
    return isAnswer(answer) ? explanationIn(answer.error?.data) : undefined;
  } catch {
    return undefined;
  }
}

interface BodyProps {
  readonly of: Recorded;
  readonly tab: 'Request' | 'Response';
  readonly row: RequestRow;
}

function Body({ of, tab, row }: BodyProps) {
  const body = tab === 'Request' ? of.request : of.response;
  if (!body) {
    return (
      <p className="quiet">
        {tab === 'Response' && of.request
          ? 'A notification: it has no response.'
          : `Parameters and responses were not recorded. Size: ${bytesText(tab === 'Request' ? row.bytes : row.response_bytes)}.`}
      </p>
    );
  }
  return (
    <>
      {!body.is_whole && (
        <p className="quiet">
          The beginning of {bytesText(body.bytes)}; the node records up to 64 kB of a message.
        </p>
      )}
      <JsonText label={tab} text={body.is_whole ? laidOut(body.text) : body.text} />
    </>
  );
}

function Timing({ of }: { readonly of: RequestRow }) {
  const parts: readonly (readonly [string, number | undefined, ReactNode])[] = [
    ['queue', of.queue_ms, 'reads the request, and the calls before it in a batch'],
    ['execute', of.execute_ms, 'checks and executes the call, and waits for earlier writes'],
    ['encode', of.encode_ms, 'writes the response'],
    ['total', of.duration_ms, 'in the node, without the network'],
  ];
  return (
    <table className="timing">
      <tbody>
        {parts.map(
          ([name, time, what]) =>
            time !== undefined && (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className="number">{time.toFixed(3)} ms</td>
                <td className="share">
                  <span
                    className="bar"
                    style={{ width: `${Math.min(100, (100 * time) / (of.duration_ms || 1))}%` }}
                  />
                </td>
                <td className="quiet wide">{what}</td>
              </tr>
            ),
        )}
      </tbody>
    </table>
  );
}

interface ParsedCall {
  readonly method: string;
  readonly params: unknown;
  /** A request with redacted values cannot be repeated. */
  readonly isHidden: boolean;
}

/** The call in a recorded text, if it can be repeated. */
function callIn(text: string | undefined): ParsedCall | undefined {
  try {
    const call = parseJson(text ?? '');
    if (typeof call !== 'object' || call === null || !('method' in call)) return undefined;
    if (typeof call.method !== 'string') return undefined;
    const params = 'params' in call ? call.params : {};
    return { method: call.method, params, isHidden: text?.includes('•••') ?? false };
  } catch {
    return undefined;
  }
}

interface DoingsProps {
  readonly parsed: ParsedCall;
  readonly recorded: Recorded;
}

function Doings({ parsed, recorded }: DoingsProps) {
  const [question, setQuestion] = useState<Question | undefined>();
  const [repeated, setRepeated] = useState<TimedAnswer | Error | undefined>();
  const { method, params, isHidden } = parsed;
  const run = async (): Promise<void> => {
    try {
      setRepeated(await ask(method, params));
    } catch (error) {
      setRepeated(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const repeat = async (): Promise<void> => {
    const rpcMethod = methodNamed(await fetchDiscovery(), method);
    if (rpcMethod && !rpcMethod.writes && !rpcMethod.isSubscription) return run();
    setQuestion({
      title: `Repeat this call?`,
      loss: (
        <>
          <UntrustedText text={method} limit={80} /> changes state: repeating it applies it twice.
        </>
      ),
      verb: 'Repeat it',
      run,
      canKeep: false,
    });
  };
  return (
    <>
      <Action
        run={repeat}
        refused={
          isHidden ? 'The node redacted some values, so you cannot repeat this call.' : undefined
        }
      >
        Repeat
      </Action>
      <Button onClick={() => editInConsole({ method, params: writeJson(params ?? {}, 2) })}>
        Edit in Console
      </Button>
      <span className="nowrap">
        curl <Copy value={asCurl(method, params)} what="as curl" />
      </span>
      {repeated && <Again of={repeated} recorded={recorded} />}
      {question && <Confirm question={question} close={() => setQuestion(undefined)} />}
    </>
  );
}

interface AgainProps {
  readonly of: TimedAnswer | Error;
  readonly recorded: Recorded;
}

function Again({ of, recorded }: AgainProps) {
  if (of instanceof Error) {
    return (
      <p role="alert" className="fail">
        {of.message}
      </p>
    );
  }
  const before = recorded.response;
  const isSame = before?.is_whole && resultIn(before.text) === resultIn(of.text);
  return (
    <div className="again" role="status">
      <p>
        <OutcomeSign isOk={!of.isError} word={of.isError ? 'failed' : 'succeeded'} />{' '}
        {of.isError ? 'Failed' : 'Succeeded'} in {millisecondsText(of.milliseconds)} ms,{' '}
        {grouped(of.bytes)} bytes
        {before?.is_whole && (isSame ? ', the same as before' : ', not the same as before')}
      </p>
      {!isSame && <JsonText label="The new response" text={laidOut(of.text)} />}
    </div>
  );
}

/** An answer without its request id. */
function resultIn(text: string): string {
  const answer = parseJson(text);
  if (typeof answer !== 'object' || answer === null) return text;
  return writeJson({ ...answer, id: 0 });
}
