// Names of common functions, for selectors of classes whose ABI is not at hand.
import { selectorOf } from '../selector.js';

const COMMON = [
  '__execute__ __validate__ __validate_declare__ __validate_deploy__ constructor',
  'transfer transferFrom transfer_from approve balanceOf balance_of allowance mint burn permissioned_mint',
  'permissionedMint increase_allowance decrease_allowance increaseAllowance decreaseAllowance totalSupply',
  'deployContract deploy_contract upgrade set_public_key setPublicKey initialize swap deposit withdraw',
];

let bySelector: Map<string, string> | undefined;

/** By selector. */
export function commonFunctions(): ReadonlyMap<string, string> {
  bySelector ??= new Map(
    COMMON.flatMap((line) => line.split(' ')).map((name) => [selectorOf(name), name]),
  );
  return bySelector;
}
