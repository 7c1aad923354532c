// Refuses what this version cannot do yet, in words, so that nobody waits for an effect.
import { refuse } from '../errors.js';
import type { Group } from './handlers.js';

export function laterMethods(): Group<'devnet_postmanLoad'> {
  return {
    devnet_postmanLoad: () => refuse('This version cannot connect to an L1 node yet.'),
  };
}
