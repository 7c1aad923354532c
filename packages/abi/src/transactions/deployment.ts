// Deployments by the universal deployer contract (UDC).
import { toFelt } from '../felt.js';
import { selectorOf } from '../selector.js';
import type { UserCall } from './multicall.js';

/** The universal deployer of every sandbox. */
export const UDC = '0x2ceed65a4bd731034c01113685c831b01c15d7d432f71afb1cf1634b53a2125';
const DEPLOY = selectorOf('deploy_contract');

export interface Deployment {
  readonly classHash: string;
  readonly salt: string;
  /** Whether the address depends on the account. */
  readonly isUnique: boolean;
  /** Arguments of the constructor, as felts. */
  readonly calldata: readonly string[];
}

/** The call that deploys a contract. */
export function deployCall({ classHash, salt, isUnique, calldata }: Deployment): UserCall {
  return {
    contract: UDC,
    selector: DEPLOY,
    calldata: [
      classHash,
      salt,
      isUnique ? '0x1' : '0x0',
      toFelt(BigInt(calldata.length)),
      ...calldata,
    ],
  };
}
