// What an agent cannot do by the tools of `starkbox mcp`: use other files and hosts, or end the server.
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChain } from 'starkbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMAND, connectMcp, type McpClient } from './support/mcp-client.js';

const folder = mkdtempSync(join(tmpdir(), 'starkbox-mcp-test-'));
let mcp: McpClient;
beforeAll(async () => {
  mcp = await connectMcp();
});
afterAll(async () => {
  await mcp.close();
  rmSync(folder, { recursive: true });
});

/** The text of the error of a call. */
async function refusal(name: string, input: Record<string, unknown>): Promise<string> {
  const { text, isError } = await mcp.call(name, input);
  expect(isError, text).toBe(true);
  return text;
}
const rpc = (method: string, params: unknown) => ({ method, params });

describe('files', () => {
  test('a dump goes to a private folder, and can be loaded from there', async () => {
    const victim = join(folder, 'victim.json');
    writeFileSync(victim, 'precious');
    await mcp.json('start_chain', { accounts: 1 });
    for (const path of [victim, '../victim.json', `${folder}/new.json`]) {
      await refusal('rpc', rpc('devnet_dump', { path, format: 'image' }));
      await refusal('rpc', rpc('sandbox_dump', [path, false, 'image']));
      await refusal('rpc', rpc('devnet_load', { path, format: 'image' }));
    }
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(readdirSync(folder)).toEqual(['victim.json']);
    const here = { path: 'chain.image', format: 'image' };
    await mcp.json('rpc', rpc('devnet_createBlock', {}));
    await mcp.json('rpc', rpc('devnet_dump', here));
    await mcp.json('rpc', rpc('devnet_createBlock', {}));
    await mcp.json('rpc', rpc('devnet_load', here));
    expect(await mcp.json('rpc', rpc('starknet_blockNumber', {}))).toBe(1);
  });

  test('the private folder is removed with the server', async () => {
    const TMPDIR = mkdtempSync(join(folder, 'tmp-'));
    const other = await connectMcp([], { TMPDIR });
    await other.json('start_chain', { accounts: 1 });
    await other.json('start_chain', { accounts: 1 });
    expect(readdirSync(TMPDIR)).toHaveLength(1);
    await other.close();
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  test('a node that is attached writes and reads no file by its path', async () => {
    const node = await createChain({ seed: 0, port: 0, accounts: 1 });
    try {
      await mcp.json('attach_chain', { url: (await node.listen()).url });
      const path = join(folder, 'attached.image');
      for (const params of [{ path, format: 'image' }, [path]]) {
        for (const method of ['devnet_dump', 'sandbox_dump', 'devnet_load']) {
          expect(await refusal('rpc', rpc(method, params))).toContain('a file of the node');
        }
      }
      expect(existsSync(path)).toBe(false);
      const inline = { inline: true, format: 'image' };
      expect((await mcp.call('rpc', rpc('devnet_dump', inline))).isError).toBe(false);
    } finally {
      await node.close();
    }
  });

  test.skipIf(process.platform === 'win32')(
    'a class is read from a regular file alone',
    async () => {
      await mcp.json('start_chain', { accounts: 1 });
      const fifo = join(folder, 'fifo');
      execFileSync('mkfifo', [fifo]);
      for (const path of [fifo, folder, '/dev/zero']) {
        expect(await refusal('declare_contract', { path })).toContain('not a regular file');
      }
    },
  );
});

describe('hosts', () => {
  const OTHER = 'http://192.0.2.1:5050';

  test.each<[string, string, Record<string, unknown>]>([
    ['a node', 'attach_chain', { url: OTHER }],
    ['a name', 'attach_chain', { url: 'https://rpc.example.com/?secret=1' }],
    ['a name like this machine', 'attach_chain', { url: 'http://localhost.example.com' }],
    ['an origin', 'start_chain', { fork_network: OTHER }],
    ['a fallback', 'start_chain', { fork_network: `http://localhost/,${OTHER}` }],
    ['a new origin', 'rpc', rpc('devnet_restart', { fork: { url: OTHER } })],
    ['an L1', 'rpc', rpc('devnet_postmanLoad', { network_url: OTHER })],
    ['a URL without slashes', 'rpc', rpc('devnet_restart', { fork: { url: 'http:example.com' } })],
    ['a URL with a break', 'rpc', rpc('devnet_restart', { fork: { url: 'ht\ntp://example.com' } })],
    ['a host behind a name', 'rpc', rpc('devnet_postmanLoad', ['http://localhost,@example.com'])],
    ['an L1 by position', 'rpc', rpc('sandbox_postmanLoad', [OTHER])],
  ])('%s elsewhere is not connected to', async (_what, name, input) => {
    await mcp.json('start_chain', { accounts: 1 });
    expect(await refusal(name, input)).toContain('--allowed-hosts');
  });

  test('a URL of another protocol is not one of a node', async () => {
    expect(await refusal('attach_chain', { url: 'file:///etc/passwd' })).toContain('http://');
  });

  test('an option that is no URL ends the command with advice', () => {
    const { status, stderr } = spawnSync(process.execPath, [COMMAND, 'mcp', '--url', 'node'], {
      encoding: 'utf8',
      input: '',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('node is not the URL of a node');
  });

  test('the user can allow hosts, one by one', async () => {
    await using other = await connectMcp(['--allowed-hosts', 'node.invalid, other.invalid']);
    const { text } = await other.call('attach_chain', { url: 'http://other.invalid' });
    expect(text).toContain('No node responds');
    const refused = await other.call('attach_chain', { url: 'http://third.invalid' });
    expect(refused.text).toContain('--allowed-hosts third.invalid');
  });

  test('a redirect is not followed', async () => {
    const urls: string[] = [];
    const serving = async (answer: RequestListener) => {
      const server = createServer(answer).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = Object(server.address());
      return { server, url: `http://127.0.0.1:${port}/` };
    };
    const target = await serving((request, response) => {
      urls.push(request.url ?? '');
      response.end('{}');
    });
    const redirecting = await serving((_request, response) => {
      response.writeHead(307, { location: target.url }).end();
    });
    try {
      expect(await refusal('attach_chain', { url: redirecting.url })).toContain('No node responds');
      expect(urls).toEqual([]);
    } finally {
      redirecting.server.close();
      target.server.close();
    }
  });
});

describe('the session goes on', () => {
  test('after a message that is too long, which is answered with an error', async () => {
    await mcp.json('start_chain', { seed: 5, accounts: 2 });
    const accounts = await mcp.json('list_accounts');
    const long = rpc('starknet_chainId', { text: 'x'.repeat(10 * 1024 * 1024) });
    await expect(mcp.call('rpc', long)).rejects.toMatchObject({ code: -32600 });
    expect(await mcp.json('list_accounts')).toEqual(accounts);
    const fitting = rpc('starknet_chainId', { text: 'x'.repeat(9 * 1024 * 1024) });
    expect(await refusal('rpc', fitting)).toContain('starknet_chainId failed');
  });

  test('on the chain before, if a new one cannot be reached', async () => {
    await mcp.json('start_chain', { seed: 6, accounts: 2 });
    const accounts = await mcp.json('list_accounts');
    // Clients do not connect to ports of other protocols, such as this one.
    const port = 10_080;
    await refusal('start_chain', { port });
    const socket = connect(port, '127.0.0.1');
    const [error] = await once(socket, 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    expect(await mcp.json('list_accounts')).toEqual(accounts);
  });
});
