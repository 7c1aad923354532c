// The node's explanations of transactions: by hash, and in errors.
import type { Explanation } from 'starkbox';
import { RpcError, type RpcProvider } from 'starknet';

/** What the node says about a transaction; undefined if it has no such method. */
export async function explainedBy(
  provider: RpcProvider,
  hash: string,
): Promise<Explanation | undefined> {
  const response = await provider.channel.fetch('devnet_explainTransaction', {
    transaction_hash: hash,
  });
  const { result } = Object(await response.json());
  return isExplained(result) ? result : undefined;
}

/** The explanation in the error of a call, an estimate, a simulation or a submission. */
export function explainedIn(error: unknown): Explanation | undefined {
  if (!(error instanceof RpcError)) return undefined;
  const { explained } = Object(Object(error.baseError)['data']);
  return isExplained(explained) ? explained : undefined;
}

/** An error whose message begins with the explanation. */
export function withExplanation<E>(error: E): E {
  const explained = explainedIn(error);
  if (explained && error instanceof Error && !error.message.startsWith(explained.text)) {
    error.message = `${explained.text}\n\n${error.message}`;
  }
  return error;
}

function isExplained(value: unknown): value is Explanation {
  return typeof Object(value).text === 'string';
}
