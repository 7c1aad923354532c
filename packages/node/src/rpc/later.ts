// Refuses what this version cannot do yet, in words, so that nobody waits for an effect.
import { RpcError, refuse } from '../errors.js';
import { type CONFIG, ERRORS } from '../spec.js';
import type { Group } from './handlers.js';

type LaterMethods = 'devnet_dump' | 'devnet_load' | 'devnet_postmanLoad';

export function laterMethods({ dump_on }: CONFIG): Group<LaterMethods> {
  return {
    devnet_dump() {
      if (dump_on === null) {
        throw new RpcError(ERRORS.DUMP_ERROR.code, 'Please provide --dump-on mode on startup.');
      }
      return refuse('This version cannot dump yet.');
    },
    devnet_load: () => refuse('This version cannot load yet.'),
    devnet_postmanLoad: () => refuse('This version cannot connect to an L1 node yet.'),
  };
}
