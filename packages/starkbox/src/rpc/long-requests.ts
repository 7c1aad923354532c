// Requests that may take seconds, shown while they run.
import { showing, type WorkDisplay } from '../probe.js';
import type { Handler } from './protocol/call-context.js';

const LONG: ReadonlyMap<string, string> = new Map([
  ['starknet_addDeclareTransaction', 'compiling a class'],
  ['devnet_load', 'loading a dump'],
  ['devnet_dump', 'writing a dump'],
  ['devnet_restart', 'restarting the chain'],
  ['devnet_gasReport', 'reading transactions for a gas report'],
  ['devnet_coverage', 'running transactions again for the coverage'],
  ['devnet_openDebugTrace', 'running a transaction again for a debugger'],
]);

/** The handler itself, unless its requests are shown. */
export function showLong(
  method: string,
  handler: Handler,
  display: WorkDisplay | undefined,
): Handler {
  const text = LONG.get(method);
  if (text === undefined || !display) return handler;
  return (params, context) => {
    const answer = handler(params, context);
    return answer instanceof Promise ? showing(display, text, () => answer) : answer;
  };
}
