// Panel in which a person approves or rejects requests, one after the other.
import type { PendingRequest } from '../approvals.js';
import type { Wallet } from '../wallet.js';
import { RequestDialog } from './request-dialog.js';

/** Shows the requests that are asked about; returns its removal. */
export function openPanel(wallet: Wallet): () => void {
  const { approvals } = wallet;
  let request: PendingRequest | undefined;
  let dialog: RequestDialog | undefined;
  const update = (): void => {
    // A script in the head of a page runs before there is a body.
    if (!document.body) return;
    const waiting = approvals.pending.filter(({ decision }) => decision === 'ask');
    if (waiting[0] !== request) {
      dialog?.remove();
      [request] = waiting;
      dialog = request && new RequestDialog(wallet, request);
    }
    dialog?.showCount(waiting.length);
  };
  const stop = approvals.watch(update);
  document.addEventListener('DOMContentLoaded', update);
  return () => {
    stop();
    document.removeEventListener('DOMContentLoaded', update);
    dialog?.remove();
  };
}
