// Methods about the node itself: versions, chain id, and the list of methods.
import { SPEC_VERSION } from '@starkbox/spec';
import type { JsonText } from '../../json/json.js';
import type { HandlerGroup } from '../protocol/handlers.js';

export function metaMethods(chainId: () => string, discover: () => JsonText): HandlerGroup {
  return {
    starknet_specVersion: () => SPEC_VERSION,
    starknet_chainId: () => chainId(),
    starknet_syncing: () => false,
    'rpc.discover': discover,
  };
}
