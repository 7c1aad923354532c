// A node inside a test: in the test's process, deterministic, closed at its end.
import { type Config, createNode, type Starkbox } from 'starkbox';

export interface TestNode extends AsyncDisposable {
  readonly node: Starkbox;
  /** Where it listens; undefined unless it was asked to. */
  readonly url: string | undefined;
  readonly close: () => Promise<void>;
}

/**
 * Starts a node in this process with seed 0 and no output. `listen` opens a free port on it.
 *
 * @example
 * await using chain = await startTestNode({ listen: true });
 * const provider = new RpcProvider({ nodeUrl: chain.url });
 */
export async function startTestNode({
  listen = false,
  ...config
}: Partial<Config> & { readonly listen?: boolean } = {}): Promise<TestNode> {
  const node = await createNode({ seed: 0, port: 0, ...config });
  const close = (): Promise<void> => node.close();
  try {
    const url = listen ? (await node.listen()).url : undefined;
    return { node, url, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await node.close();
    throw error;
  }
}
