// The public start of a node in this process.
import type { ConfigInput } from '../config/options.js';
import { assertOptions } from '../config/source.js';
import type { LocalChain } from '../library/local-chain.js';
import { silentLog } from '../log.js';
import { Lifecycle } from './lifecycle.js';
import type { NodeOptions } from './node-options.js';
import { startNode } from './start.js';

const NODE_OPTIONS: readonly (keyof NodeOptions)[] = ['log', 'output', 'progress', 'onOpen'];

/**
 * Starts a chain in this process. It opens no port until `listen`.
 *
 * @example
 * await using chain = await createChain({ seed: 0 });
 * await chain.mint('0x1', 1000n);
 * const { url } = await chain.listen({ port: 0 });
 * @throws UsageError if an option is unknown or has a value that the command would reject
 * @throws ConfigError if options exclude each other
 */
export async function createChain(
  input: ConfigInput = {},
  options: NodeOptions = {},
): Promise<LocalChain> {
  assertOptions(options, 'createChain, its second argument,', '{ log }', NODE_OPTIONS);
  const lifecycle = new Lifecycle(options.log ?? silentLog, undefined, options.progress);
  return startNode(input, options, lifecycle);
}
