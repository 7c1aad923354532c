// The tools of `starkbox mcp`, called by the client of the SDK over stdio.
import { fileURLToPath } from 'node:url';
import { createChain } from 'starkbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { COMMAND, connectMcp, type McpClient } from './support/mcp-client.js';

const TOKEN = fileURLToPath(new URL('../../../contracts/cairo/token.sierra.json', import.meta.url));
const DEPLOYED = z.object({ contract_address: z.string(), execution_status: z.string() });
const EXPLAINED = z.object({ explanation: z.array(z.string()) });

describe('starkbox mcp', () => {
  let mcp: McpClient;
  beforeAll(async () => {
    mcp = await connectMcp();
  });
  afterAll(() => mcp.close());

  const call: McpClient['call'] = (name, input) => mcp.call(name, input);
  const json: McpClient['json'] = (name, input) => mcp.json(name, input);
  /** A chain with a token of which the first account has a thousand. */
  async function deployToken(): Promise<{ token: string; other: string; owner: string }> {
    await json('start_chain');
    const accounts = z.array(z.object({ address: z.string() })).parse(await json('list_accounts'));
    const [owner = '', other = ''] = accounts.map(({ address }) => address);
    const { class_hash } = z
      .object({ class_hash: z.string() })
      .parse(await json('declare_contract', { path: TOKEN }));
    const deployed = DEPLOYED.parse(
      await json('deploy_contract', {
        class_hash,
        arguments: ["'Example'", "'EXM'", '1000', owner],
      }),
    );
    expect(deployed.execution_status).toBe('SUCCEEDED');
    return { token: deployed.contract_address, other, owner };
  }
  const balanceOf = (contract_address: string, of: string) =>
    json('call_contract', { contract_address, function: 'balance_of', arguments: [of] });

  test('says what to do when there is no chain yet', async () => {
    const { text, isError } = await call('list_accounts');
    expect(isError).toBe(true);
    expect(text).toContain('start_chain');
  });

  test('lists every tool with a schema of its input', async () => {
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'attach_chain',
      'branch',
      'call_contract',
      'debug_at_line',
      'declare_contract',
      'deploy_contract',
      'explain',
      'list_accounts',
      'read_docs',
      'restore',
      'rpc',
      'send_transaction',
      'snapshot',
      'start_chain',
      'try_calls',
    ]);
    for (const { inputSchema } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  test('deploys a token, sends it, and decodes results and events', async () => {
    const { token, owner, other } = await deployToken();
    expect(await balanceOf(token, owner)).toMatchObject({ result: '1000' });
    const transfer = await json('send_transaction', {
      calls: [
        { contract_address: token, function: 'transfer', arguments: [other, 300] },
        {
          contract_address: token,
          function: 'transfer',
          arguments: { recipient: other, amount: '5' },
        },
      ],
    });
    expect(transfer).toMatchObject({
      execution_status: 'SUCCEEDED',
      finality_status: 'ACCEPTED_ON_L2',
    });
    expect(JSON.stringify(transfer)).toContain('"value":"300"');
    expect(await balanceOf(token, other)).toMatchObject({ result: '305' });
    const again = await json('declare_contract', { path: TOKEN, account: other });
    expect(again).toMatchObject({ was_declared_before: true });
  });

  test('explains a transaction that failed, at once and later', async () => {
    const { token, owner, other } = await deployToken();
    const transaction = z
      .object({
        transaction_hash: z.string(),
        execution_status: z.string(),
        explanation: z.array(z.string()),
      })
      .parse(
        await json('send_transaction', {
          calls: [{ contract_address: token, function: 'transfer', arguments: [owner, 1] }],
          account: 1,
        }),
      );
    expect(transaction.execution_status).toBe('REVERTED');
    expect(transaction.explanation.join('\n')).toContain('token: balance too low');
    const { transaction_hash } = transaction;
    const { explanation } = EXPLAINED.parse(await json('explain', { transaction_hash }));
    expect(explanation).toEqual(transaction.explanation);
    expect(await balanceOf(token, other)).toMatchObject({ result: '0' });
  });

  test('returns to a snapshot as often as it is asked to', async () => {
    const { token, other } = await deployToken();
    const { snapshot } = z.object({ snapshot: z.string() }).parse(await json('snapshot'));
    const calls = [{ contract_address: token, function: 'transfer', arguments: [other, 7] }];
    for (const _ of [1, 2]) {
      await json('send_transaction', { calls });
      expect(await balanceOf(token, other)).toMatchObject({ result: '7' });
      await json('restore', { snapshot });
      expect(await balanceOf(token, other)).toMatchObject({ result: '0' });
    }
    const { text, isError } = await call('restore', { snapshot: 'snapshot-99' });
    expect(isError).toBe(true);
    expect(text).toContain(`This chain has no snapshot snapshot-99; it has ${snapshot}.`);
  });

  test('branches the chain, and leaves it as it is', async () => {
    const { token, other } = await deployToken();
    const calls = [{ contract_address: token, function: 'transfer', arguments: [other, 7] }];
    expect(await json('branch', { action: 'create', name: 'first' })).toEqual({
      branch: 'first',
      branches: ['main', 'first'],
    });
    await json('send_transaction', { calls });
    expect(await balanceOf(token, other)).toMatchObject({ result: '7' });
    // A branch of the branch begins as the branch is.
    await json('branch', { action: 'create', name: 'second' });
    await json('send_transaction', { calls });
    expect(await balanceOf(token, other)).toMatchObject({ result: '14' });
    await json('branch', { action: 'use', name: 'main' });
    expect(await balanceOf(token, other)).toMatchObject({ result: '0' });
    await json('branch', { action: 'drop', name: 'second' });
    const { text, isError } = await call('branch', { action: 'use', name: 'second' });
    expect([isError, text]).toEqual([true, expect.stringContaining('there are main, first')]);
    expect((await call('branch', { action: 'drop', name: 'main' })).isError).toBe(true);
    expect((await call('branch', { action: 'create', name: 'first' })).isError).toBe(true);
  });

  test('tries calls by any caller, with overrides, and explains the failing ones', async () => {
    const { token, other } = await deployToken();
    const transfer = (caller: string | number) => ({
      calls: [
        { contract_address: token, function: 'transfer', arguments: [other, 7], caller },
        { contract_address: token, function: 'balance_of', arguments: [other] },
      ],
    });
    const tried = await json('try_calls', { attempts: [transfer(0), transfer('0x99')] });
    expect(tried).toMatchObject({
      rows: [
        { attempt: 'attempt 1', outcome: [{ returns: true }, { returns: '7' }] },
        { attempt: 'attempt 2', events: [], storage: {} },
      ],
      differs: ['outcome', 'gas', 'events', 'storage'],
    });
    expect(JSON.stringify(tried)).toContain('token: balance too low');
    const balances = [{ token, address: '0x99', amount: 8 }];
    const rich = await json('try_calls', {
      attempts: [transfer('0x99')],
      overrides: { balances },
    });
    expect(rich).toMatchObject({ rows: [{ outcome: [{ returns: true }, { returns: '7' }] }] });
    const { explanation } = EXPLAINED.parse(await json('explain', transfer('0x99')));
    expect(explanation.join(' ')).toContain('token: balance too low');
    expect(await json('explain', transfer(0))).toMatchObject({ explanation: 'No call fails.' });
    expect(await balanceOf(token, other)).toMatchObject({ result: '0' });
  });

  test('debugs a transaction without lines, and says what is missing', async () => {
    const { token, other } = await deployToken();
    const calls = [{ contract_address: token, function: 'transfer', arguments: [other, 7] }];
    const { transaction_hash } = z
      .object({ transaction_hash: z.string() })
      .parse(await json('send_transaction', { calls }));
    const stopped = await json('debug_at_line', { transaction_hash, function: 'transfer' });
    expect(stopped).toMatchObject({ at: 'code without lines', writes: expect.anything() });
    const missing = await call('debug_at_line', { transaction_hash, file: 'a.cairo', line: 1 });
    expect([missing.isError, missing.text]).toEqual([true, expect.stringContaining('artifacts')]);
    const both = await call('debug_at_line', { transaction_hash, calls });
    expect(both.text).toContain('Give either transaction_hash or calls');
  });

  test.each([
    ['an unknown member', 'snapshot', { nam: 'x' }, 'nam'],
    ['an address that is none', 'call_contract', { contract_address: 'x', function: 'f' }, 'felt'],
    ['a file that is missing', 'declare_contract', { path: '/missing.json' }, 'Sierra class'],
    ['a device', 'declare_contract', { path: '/dev/zero' }, 'not a regular file'],
    ['a file that is no class', 'declare_contract', { path: COMMAND }, 'not JSON'],
    ['a class that is not declared', 'deploy_contract', { class_hash: '0x1' }, 'declare_contract'],
    ['a page that is missing', 'read_docs', { page: 'missing' }, 'There are:'],
    ['a method that is missing', 'rpc', { method: 'devnet_mnt' }, '-32601'],
    ['an unreachable node', 'attach_chain', { url: 'http://127.0.0.1:9' }, 'No node responds'],
  ])('refuses %s and says what to do', async (_what, name, args, words) => {
    await json('start_chain', { accounts: 1 });
    const { text, isError } = await call(name, args);
    expect(isError).toBe(true);
    expect(text).toContain(words);
  });

  test('refuses arguments that do not fit the function', async () => {
    const { token, other } = await deployToken();
    const refused = async (name: string, input: unknown) => {
      const calls = { contract_address: token, function: name, arguments: input };
      const { text, isError } = await call('call_contract', calls);
      expect(isError).toBe(true);
      return text;
    };
    expect(await refused('balanceof', [other])).toContain('balance_of(');
    expect(await refused('transfer', [other, 'many'])).toContain(
      'Argument amount of transfer(recipient: ContractAddress, amount: u256) -> bool: enter a number',
    );
    expect(await refused('balance_of', [])).toContain('takes 1 argument; 0 were given');
    expect(await refused('transfer', [other, 1e21])).toContain('write it as a string');
    expect(await refused('transfer', { recipient: other })).toContain('amount was not given');
  });

  test('works on a node that runs elsewhere', async () => {
    const node = await createChain({ seed: 7, port: 0, accounts: 2 });
    try {
      const { url } = await node.listen();
      expect(await json('attach_chain', { url })).toMatchObject({ url, block_number: 0 });
      await json('rpc', { method: 'devnet_mint', params: { address: '0xabc', amount: 5 } });
      const { amount } = await node.request('devnet_getAccountBalance', { address: '0xabc' });
      expect(amount).toBe('5');
      const listed = z.array(z.object({ address: z.string() })).parse(await json('list_accounts'));
      expect(listed.map(({ address }) => BigInt(address))).toEqual(
        node.accounts.map(({ address }) => BigInt(address)),
      );
    } finally {
      await node.close();
    }
  });

  test('sends the token of its node to that node, in branches too, and to no other', async () => {
    const options = { seed: 7, port: 0, accounts: 2, authToken: 'secret' };
    await using node = await createChain(options);
    await using other = await createChain(options);
    const { url } = await node.listen();
    await using guarded = await connectMcp(['--url', url, '--auth-token', 'secret']);
    expect(await guarded.json('list_accounts')).toHaveLength(2);
    await guarded.json('branch', { action: 'create', name: 'try' });
    expect(await guarded.json('list_accounts')).toHaveLength(2);
    const refused = await guarded.call('attach_chain', { url: (await other.listen()).url });
    expect(refused.text).toContain('Unauthorized');
  });

  test('finds and shows the documentation', async () => {
    const { text: pages } = await call('read_docs');
    const methods = pages.split('\n').find((line) => /(^|\/)methods\/accounts: /.test(line));
    const page = methods?.split(':')[0] ?? '';
    const { text: section } = await call('read_docs', { page: `${page}#devnet_mint` });
    expect(section).toContain('amount');
    const { text: searchText } = await call('read_docs', { search: 'devnet_abortBlocks reorg' });
    expect(searchText).toContain('---');
  });

  test('writes nothing but the protocol on stdout, and warnings on stderr', () => {
    expect(mcp.errors).toEqual([]);
    expect(mcp.stderr()).not.toContain('Error');
  });
});
