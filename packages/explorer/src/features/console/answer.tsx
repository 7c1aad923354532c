// Result of a console call, as a tree or raw, and the notifications of a subscription.
import { useState } from 'react';
import { counted } from '../../format/amount.js';
import { timeText } from '../../format/time.js';
import { Button, PlainButton } from '../../parts/button.js';
import { JsonText, laidOut } from '../../parts/json-text.js';
import { JsonTree } from '../../parts/json-tree.js';
import { ErrorText } from '../../parts/page-states.js';
import { saveFile } from '../../parts/save-file.js';
import { Copy, OutcomeSign } from '../../parts/values.js';
import { bytesText, millisecondsText, type TimedAnswer } from '../../rpc/timed-call.js';
import type { Running } from './run.js';

/** Longest answer that is shown as a tree. */
const LARGEST_TREE = 5_000_000;
/** Longest answer that is shown; longer ones can be saved. */
const LARGEST_SHOWN = 20_000_000;

export function Answer({ of }: { readonly of: TimedAnswer | Error }) {
  const [isRaw, setRaw] = useState(false);
  if (of instanceof Error) {
    return (
      <p role="alert" className="fail">
        <ErrorText of={of} />
      </p>
    );
  }
  const isLarge = of.text.length > LARGEST_TREE;
  return (
    <section aria-label="Response" className="answer">
      <div className="line-of">
        <p role="status">
          <OutcomeSign isOk={!of.isError} word={of.isError ? 'error' : 'success'} />{' '}
          {of.isError ? 'Failed' : 'Succeeded'} in {millisecondsText(of.milliseconds)} ms,{' '}
          {bytesText(of.bytes)}
        </p>
        <fieldset className="modes push">
          <legend className="unseen">Format of the response</legend>
          <PlainButton
            aria-pressed={!isRaw && !isLarge}
            disabled={isLarge}
            onClick={() => setRaw(false)}
          >
            Tree
          </PlainButton>
          <PlainButton aria-pressed={isRaw || isLarge} onClick={() => setRaw(true)}>
            Raw
          </PlainButton>
        </fieldset>
        <Copy value={of.text} what="response" />
      </div>
      {of.text.length > LARGEST_SHOWN ? (
        <p>
          The response is too long to show.{' '}
          <Button onClick={() => save(of.text)}>Save the response</Button>
        </p>
      ) : isRaw || isLarge ? (
        <JsonText label="Raw response" text={isLarge ? of.text : laidOut(of.text)} />
      ) : (
        <JsonTree of={of.value} />
      )}
    </section>
  );
}

function save(text: string): void {
  saveFile(text, 'starkbox-response.json', 'application/json');
}

export function Stream({ of }: { readonly of: Running }) {
  const isOver = of.state !== 'streaming';
  return (
    <section aria-label="Notifications" className="answer">
      <p role="status">
        {isOver ? 'Stopped after' : 'Listening:'} {counted(of.received, 'notification')}
        {of.received > of.notifications.length && `; the last ${of.notifications.length} are below`}
      </p>
      <ol className="notifications">
        {of.notifications.map(({ id, at, text }) => (
          <li key={id}>
            <details>
              <summary>
                <span className="quiet">{timeText(Math.floor(at / 1000))}</span> #{id}{' '}
                <span className="mono soft">{preview(text)}</span>
              </summary>
              <JsonText label={`Notification ${id}`} text={laidOut(text)} />
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}

const SHOWN = 120;

/** A one-line preview in ASCII; opening the notification shows all of it. */
function preview(text: string): string {
  const at = text.indexOf('"result":');
  const result = text.slice(at < 0 ? 0 : at + 9, (at < 0 ? 0 : at + 9) + SHOWN);
  return result.replaceAll(/[^\x20-\x7e]/g, '·');
}
