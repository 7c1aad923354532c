// Texts about the reason of a stop.
import { memberOf } from '@starkbox/abi/basics';
import { panicText } from '@starkbox/abi/internal';
import type { Debugger, Stop } from '@starkbox/debugger';
import type { OpenedExecution } from './launch.js';

/** The reason of the failure at the position. */
export async function failureText(debug: Debugger): Promise<string> {
  const frames = await debug.frames(0, 1);
  const run = frames[0]?.run;
  const { action } = debug;
  if (action?.failed && action.called_run === undefined) return `${action.name} failed`;
  if (run?.result === undefined || !run.failed) return 'The execution failed';
  return `Panicked: ${panicText(run.result)}`;
}

/**
 * The explanation that the node has of a transaction that failed, maybe for its fee alone, so that none of its calls
 * failed.
 */
export async function explainedFailure({
  call,
  target,
}: OpenedExecution): Promise<string | undefined> {
  if (!('transactionHash' in target)) return undefined;
  const params = { transaction_hash: target.transactionHash };
  // An explanation adds to the failure; its absence is no error.
  const explained = await call('devnet_explainTransaction', params).catch(() => undefined);
  const text = memberOf(explained, 'text');
  const isFailure = memberOf(explained, 'status') !== 'SUCCEEDED';
  return isFailure && typeof text === 'string' ? text.trimEnd() : undefined;
}

/** What an editor shows beside the line. */
export async function descriptionOf(
  debug: Debugger,
  { reason, action }: Stop,
): Promise<{ readonly description?: string; readonly text?: string }> {
  switch (reason) {
    case 'failure':
      return { description: 'Failed', text: await failureText(debug) };
    case 'end':
      return { description: 'End of the transaction' };
    case 'call':
      return { description: 'Call of a contract' };
    case 'event':
      return { description: 'Event' };
    case 'write': {
      const { key = '', value = '', previous = '' } = action ?? {};
      return { description: 'Storage write', text: `${key}: ${previous} → ${value}` };
    }
    default:
      return {};
  }
}
