// Answers what a transaction of the forked network would do now, and elsewhere.
import type { Chain } from '../../chain/chain.js';
import { replayTransaction } from '../../chain/queries/replay-transaction.js';
import { refuse } from '../../errors.js';
import { JsonText, stringify } from '../../json/json.js';
import type { Group } from '../protocol/handlers.js';

export function replayMethods(chain: Chain): Group<'devnet_replayTransaction'> {
  return {
    async devnet_replayTransaction({ transaction_hash, overrides }, { session }) {
      const { fork } = chain.options;
      if (!fork) return refuse('Only transactions of a forked network can be replayed.');
      const done = await replayTransaction(
        fork,
        chain,
        transaction_hash,
        overrides,
        session.signal,
      );
      return {
        receipt: new JsonText(stringify(done.receipt)),
        trace: new JsonText(done.trace),
        differences: new JsonText(stringify(done.differences)),
      };
    },
  };
}
