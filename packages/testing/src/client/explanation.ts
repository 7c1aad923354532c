// The node's explanations of transactions: by hash, and in errors.
import { listOf, memberOf, membersOf, propertyOf } from '@starkbox/abi/basics';
import type { Explanation } from 'starkbox';
import type { RpcProvider } from 'starknet';

/** Asks the node about a transaction; undefined if it has no such method. */
export async function explainedBy(
  provider: RpcProvider,
  hash: string,
): Promise<Explanation | undefined> {
  const response = await provider.channel.fetch('devnet_explainTransaction', {
    transaction_hash: hash,
  });
  const result = memberOf(await response.json(), 'result');
  return isExplanation(result) ? result : undefined;
}

/** The names that explanations use. An address without a name, or of a node that names none, stays as it is. */
export async function namesOf(
  provider: RpcProvider,
  contract_addresses: readonly string[],
): Promise<readonly string[]> {
  const response = await provider.channel.fetch('devnet_nameContracts', { contract_addresses });
  const rows = listOf(memberOf(memberOf(await response.json(), 'result'), 'contracts'));
  const names = new Map(
    rows.flatMap((row): readonly (readonly [unknown, string])[] => {
      const { contract_address, name, name_source } = membersOf(row);
      return name_source === 'ADDRESS' ? [] : [[contract_address, String(name)]];
    }),
  );
  return contract_addresses.map((address) => names.get(address) ?? address);
}

/** Methods that hints name, and the functions of a chain of a test. */
const FUNCTIONS: readonly (readonly [RegExp, string])[] = [
  [/devnet_setTime \{"time": (\d+), "generate_block": true\}/g, 'chain.time.set($1)'],
  [/with devnet_increaseTime/g, 'with chain.time.increase(seconds)'],
];

/** The text of an explanation for a test. */
export function textForTest({ text }: Explanation): string {
  return FUNCTIONS.reduce((before, [method, call]) => before.replaceAll(method, call), text);
}

/** Errors may wrap others; more levels than any client has. */
const DEEPEST = 8;

/**
 * Returns the explanation in an error of a call, an estimate, a simulation or a transaction. starknet.js has it in
 * `error.baseError.data.explained`, and a chain of `starkbox` in `error.data.explained`.
 *
 * @returns undefined if the error carries none
 * @example
 * await contract.invoke('withdraw', [5]).catch((error) => {
 *   console.log(getExplanation(error)?.text);
 *   throw error;
 * });
 */
export function getExplanation(error: unknown): Explanation | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < DEEPEST && current instanceof Error; depth += 1) {
    const carriers = [
      memberOf(propertyOf(current, 'baseError'), 'data'),
      propertyOf(current, 'data'),
    ];
    for (const carrier of carriers) {
      const explained = memberOf(carrier, 'explained');
      if (isExplanation(explained)) return explained;
    }
    current = current.cause;
  }
  return undefined;
}

function isExplanation(value: unknown): value is Explanation {
  return typeof memberOf(value, 'text') === 'string';
}
