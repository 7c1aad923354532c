// The client of the SDK, connected to `starkbox mcp` over stdio.
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  getDefaultEnvironment,
  StdioClientTransport,
} from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'vitest';
import { z } from 'zod';

export const COMMAND: string = fileURLToPath(
  new URL('../../../starkbox/bin/starkbox.js', import.meta.url),
);

const RESULT = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  isError: z.boolean().optional(),
});

/** The result of a tool. */
export interface ToolAnswer {
  /** The last block: a value of the server, or data from the chain. */
  readonly text: string;
  /** The blocks before it. */
  readonly before: readonly string[];
  readonly isError: boolean;
}

export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  /** Lines on stdout that are no message of the protocol. */
  readonly errors: readonly Error[];
  readonly stderr: () => string;
  call(name: string, input?: Record<string, unknown>): Promise<ToolAnswer>;
  /** The value of a call that must not fail. */
  json(name: string, input?: Record<string, unknown>): Promise<unknown>;
  close(): Promise<void>;
}

/** @param options of the command */
export async function connectMcp(
  options: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [COMMAND, 'mcp', ...options],
    env: { ...getDefaultEnvironment(), ...env },
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (part) => {
    stderr += String(part);
  });
  const errors: Error[] = [];
  client.onerror = (error) => void errors.push(error);
  await client.connect(transport);
  const call = async (name: string, input: Record<string, unknown> = {}): Promise<ToolAnswer> => {
    const { content, isError } = RESULT.parse(await client.callTool({ name, arguments: input }));
    const texts = content.map(({ text }) => text);
    return { text: texts.at(-1) ?? '', before: texts.slice(0, -1), isError: isError === true };
  };
  const close = (): Promise<void> => client.close();
  return {
    client,
    errors,
    stderr: () => stderr,
    call,
    json: async (name, input) => {
      const { text, isError } = await call(name, input);
      expect(isError, text).toBe(false);
      return JSON.parse(text);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
