// The server of the Model Context Protocol on stdin and stdout; its bundle is what `starkbox mcp` loads.
import { once } from 'node:events';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { Docs } from './docs.js';
import { Session } from './session.js';
import {
  addCallTools,
  addChainTools,
  addContractTools,
  addDocsTool,
  addNodeTools,
} from './tools.js';

const INSTRUCTIONS = `A local Starknet for development. Begin with start_chain (or attach_chain), then list_accounts, \
declare_contract with the path of a compiled Sierra class, deploy_contract, call_contract and send_transaction. \
Take a snapshot before an experiment and restore it afterwards. When a transaction fails, read its explanation first. \
read_docs has the documentation.`;

export interface ServeOptions {
  readonly version: string;
  /** A node to work on from the start. */
  readonly url?: string | undefined;
}

/** Serves until stdin ends. stdout carries the protocol alone. */
export async function serve({ version, url }: ServeOptions): Promise<void> {
  const session = new Session();
  if (url !== undefined) await session.attach(url);
  const server = new McpServer({ name: 'starkbox', version }, { instructions: INSTRUCTIONS });
  addChainTools(server, session);
  addNodeTools(server, session);
  addContractTools(server, session);
  addCallTools(server, session);
  // Pages are copied beside the bundle.
  addDocsTool(server, new Docs(new URL('docs/', import.meta.url)));
  server.server.onerror = (error) => {
    process.stderr.write(`starkbox mcp: ${error.message}\n`);
  };
  const ended = once(process.stdin, 'end');
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
  await session.close();
}
