// Calls one after another on a branch that is dropped, without transactions.
import type { Invocation, State } from '@starkbox/engine';
import type { BLOCK_ID, CALL_OUTCOME, OVERRIDES, SEQUENCE_CALL } from '@starkbox/spec';
import { answerTooLarge } from '../../errors.js';
import { JsonText, stringify } from '../../json/json.js';
import type { Chain } from '../chain.js';
import { callError } from '../execution/execution-errors.js';
import { startTimeLimit } from '../execution/executions.js';
import type { Explainer } from './explain.js';

export interface SequenceRequest {
  readonly calls: readonly SEQUENCE_CALL[];
  readonly id: BLOCK_ID;
  readonly overrides: OVERRIDES;
  /** Whether failing calls are explained. */
  readonly explains: boolean;
}

/** The outcome of each call as JSON text, on the state that the calls before it left. */
export async function callSequence(
  chain: Chain,
  explainer: Explainer,
  { calls, id, overrides, explains }: SequenceRequest,
  signal?: AbortSignal,
): Promise<readonly JsonText[]> {
  const { maximumReportBytes = Number.POSITIVE_INFINITY } = chain.options;
  const checkTime = startTimeLimit(chain.options, `${calls.length} calls`);
  const location = await explainer.locateOverridden(id, overrides, signal);
  const { world, number } = location;
  let state = location.writable();
  let { context } = location;
  let seconds = 0;
  // Objects of many writes take several times the memory of their text.
  const outcomes: JsonText[] = [];
  let bytes = 0;
  const addOutcome = (outcome: CALL_OUTCOME): void => {
    const text = stringify(outcome);
    bytes += text.length;
    if (bytes > maximumReportBytes) throw answerTooLarge(maximumReportBytes);
    outcomes.push(new JsonText(text));
  };
  for (const [index, sequenceCall] of calls.entries()) {
    const { increase_time = 0, is_view = false, caller, ...call } = sequenceCall;
    checkTime(index);
    if (increase_time > 0) {
      seconds += increase_time;
      context = location.later(seconds);
    }
    const invoked = { ...call, caller: caller ?? overrides.caller };
    const invocation = await chain.executions.invoke(state, context, invoked, { signal });
    const { failure } = invocation;
    if (!failure) {
      addOutcome(outcomeOf(invocation));
      if (!is_view) state = invocation.next;
      continue;
    }
    const revert_error = callError(failure);
    const outcome = {
      failure: { revert_error },
      gas: invocation.gas,
      events: [],
      storage_writes: [],
    };
    if (!explains) {
      addOutcome(outcome);
      continue;
    }
    const { reasonOfError } = await import('@starkbox/abi/internal');
    const explained = await explainer.attempt(
      {
        transaction: { type: 'CALL', ...invoked },
        status: 'REVERTED',
        reason: reasonOfError(revert_error),
      },
      { location: { world, number, state, context }, signal },
    );
    addOutcome({ ...outcome, failure: { revert_error, explained } });
  }
  return outcomes;
}

function outcomeOf(invocation: Invocation<State>): CALL_OUTCOME {
  return {
    result: invocation.result,
    gas: invocation.gas,
    events: invocation.events(),
    storage_writes: invocation
      .writes()
      .map(({ address, ...write }) => ({ contract_address: address, ...write })),
  };
}
