// In-process node for tests, with a client that checks every answer.
import { type Config, createChain, type LocalChain } from 'starkbox';
import { connectDapp, type Dapp } from './accounts.js';
import { type Client, checkedClient, overHttp } from './client.js';

export interface TestNode extends AsyncDisposable {
  readonly node: LocalChain;
  /** Checks every answer; see {@link checkedClient}. */
  readonly client: Client;
  /** Ends the node. Throws if an answer to starknet.js has broken a specification. */
  readonly close: () => Promise<void>;
}

/** A node that listens, with starknet.js connected to it. */
export interface ListeningNode extends TestNode, Dapp {
  readonly url: string;
}

/**
 * Starts a node in this process: seed 0, no output, and a free port if it is to listen.
 *
 * @example
 * const { client, close } = await startNode({ blockGenerationOn: 'demand' });
 * afterAll(close);
 *
 * @example
 * const { account, provider, close } = await startNode({ listen: true });
 * afterAll(close);
 * const { transaction_hash } = await account(0).execute(calls);
 * await provider.waitForTransaction(transaction_hash);
 */
export function startNode(
  overrides: Partial<Config> & { readonly listen: true },
): Promise<ListeningNode>;
export function startNode(
  overrides?: Partial<Config> & { readonly listen?: false },
): Promise<TestNode>;
export async function startNode({
  listen = false,
  ...config
}: Partial<Config> & { readonly listen?: boolean } = {}): Promise<TestNode | ListeningNode> {
  const node = await createChain({ seed: 0, port: 0, ...config });
  const violations: string[] = [];
  const close = async (): Promise<void> => {
    await node.close();
    if (violations.length > 0) throw new Error(violations.join('\n'));
  };
  const ending = { close, [Symbol.asyncDispose]: close };
  if (!listen) return { node, client: checkedClient(node.handle), ...ending };

  try {
    const { url } = await node.listen();
    const dapp = await connectDapp(url, node.accounts, violations);
    return { node, client: checkedClient(overHttp(url)), url, ...dapp, ...ending };
  } catch (error) {
    await node.close();
    throw error;
  }
}
