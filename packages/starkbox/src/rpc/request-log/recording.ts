// Recordings of calls, which `starkbox replay` makes again.
import type { REQUEST_ROW } from '@starkbox/spec';
import { JsonText, parseIfJson, stringify } from '../../json/json.js';
import { externalMethodIn } from '../protocol/envelope.js';
import { HIDDEN } from './redaction.js';

export interface RecordedCall {
  readonly row: REQUEST_ROW;
  readonly request: RecordedBody | undefined;
  readonly response: RecordedBody | undefined;
}

/** As bytes: a part of a long text would keep the whole of it alive. */
export interface RecordedBody {
  readonly head: Buffer;
  /** Of the whole. */
  readonly bytes: number;
  readonly isWhole: boolean;
}

export interface RecordingText {
  readonly recording: string;
  readonly requests: number;
  readonly left_out: number;
}

/** @param about the facts about the node that a replay needs */
export function recordingOf(about: object, calls: readonly RecordedCall[]): RecordingText {
  const lines = [stringify(about)];
  let leftOut = 0;
  for (const group of groupsOf(calls)) {
    const line = lineOf(group);
    if (line === undefined) leftOut += 1;
    else lines.push(line);
  }
  return { recording: `${lines.join('\n')}\n`, requests: lines.length - 1, left_out: leftOut };
}

/** The first method in the text of a request that reaches a file or another host: a replay rejects it. */
export function externalMethodInText(text: string): string | undefined {
  return externalMethodIn(parseIfJson(text));
}

/** Calls that came together, together. */
function groupsOf(calls: readonly RecordedCall[]): readonly (readonly RecordedCall[])[] {
  const groups: RecordedCall[][] = [];
  for (const call of calls) {
    const last = groups.at(-1);
    const { batch } = call.row;
    if (batch !== undefined && last?.[0]?.row.batch === batch) last.push(call);
    else groups.push([call]);
  }
  return groups;
}

/** Undefined for what cannot be made again: it was cut, something in it is hidden, or a replay rejects it. */
function lineOf(group: readonly RecordedCall[]): string | undefined {
  const [first] = group;
  if (!first) return undefined;
  const { time, transport, client, version, batch } = first.row;
  const requests: string[] = [];
  const answers: string[] = [];
  for (const { request, response } of group) {
    if (!request?.isWhole || response?.isWhole === false) return undefined;
    const text = request.head.toString();
    if (text.includes(HIDDEN) || externalMethodInText(text) !== undefined) return undefined;
    requests.push(text);
    if (response) answers.push(response.head.toString());
  }
  const together = (texts: readonly string[]): JsonText | undefined =>
    texts.length === 0
      ? undefined
      : new JsonText(batch === undefined ? texts.join() : `[${texts.join()}]`);
  return stringify({
    seconds: time / 1e3,
    socket: transport === 'ws' ? client : undefined,
    version,
    // What is no JSON was kept as a string.
    [requests[0]?.startsWith('"') ? 'request_text' : 'request']: together(requests),
    answer: together(answers),
  });
}
