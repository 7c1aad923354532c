// Methods about the node itself: versions, chain id, and the list of methods.

import { SPEC_VERSION } from '@starkbox/spec';
import type { JsonText } from '../../json/json.js';
import type { Group } from '../protocol/handlers.js';

type MetaMethods =
  | 'starknet_specVersion'
  | 'starknet_chainId'
  | 'starknet_syncing'
  | 'rpc.discover';

export function metaMethods(chainId: () => string, discover: () => JsonText): Group<MetaMethods> {
  return {
    starknet_specVersion: () => SPEC_VERSION,
    starknet_chainId: () => chainId(),
    starknet_syncing: () => false,
    'rpc.discover': discover,
  };
}
