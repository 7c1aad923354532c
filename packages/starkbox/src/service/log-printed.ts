// Log lines of what contracts print.
import type { OnPrinted } from '../chain/execution/executions.js';
import type { Log } from '../log.js';

/** One line for each line of text, with the contract and, unless it was a call, the transaction. */
export function logPrinted(log: Log): OnPrinted {
  return (printed, transaction) => {
    const within = transaction === undefined ? 'a call' : `transaction ${transaction}`;
    for (const { contract_address, text } of printed) {
      for (const line of text.replace(/\n$/, '').split('\n')) {
        log.info(`${contract_address} printed in ${within}: ${visible(line)}`);
      }
    }
  };
}

/** Text without characters that steer a terminal. */
function visible(text: string): string {
  return text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
