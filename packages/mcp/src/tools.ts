// The tools: their inputs, what they are for, and what they do.
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { callContract, declare, deploy, explain, send } from './contracts.js';
import { debugAtLine } from './debugging.js';
import type { Docs } from './docs.js';
import { explainCalls, tryCalls } from './experiments.js';
import type { NodeClient } from './node-client.js';
import { answer, chainAnswer, reportErrors, ServerError } from './results.js';
import type { Session } from './session.js';

const FELT = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/, 'Write a felt in hexadecimal, for example "0x1a2b".');
const ACCOUNT = z
  .union([z.int().min(0), FELT])
  .default(0)
  .describe('Who sends it: an index in list_accounts, or its address. The first by default.');
const ARGUMENTS = z
  .union([z.array(z.unknown()), z.record(z.string(), z.unknown())])
  .default([])
  .describe(
    'By position as a list, or by name as an object. Write numbers above 2^53 as strings. Structs are objects, enums {"Variant": value}, byte arrays strings. Quote a short string in a felt: "\'EXM\'".',
  );
const CALL = z.strictObject({
  contract_address: FELT,
  function: z.string().min(1).describe('The name of the function in the ABI.'),
  arguments: ARGUMENTS,
});

const CALLER = z
  .union([z.int().min(0), FELT])
  .describe('Who calls: an index in list_accounts, or any address. Needs no key.');
const DIRECT_CALL = CALL.extend({
  caller: CALLER.optional(),
  increase_time: z.int().min(0).optional().describe('Seconds that pass before the call.'),
});
const DIRECT_CALLS = z.array(DIRECT_CALL).min(1).max(20);
const OVERRIDES = z
  .record(z.string(), z.unknown())
  .optional()
  .describe(
    'Values to assume, as devnet_call takes them: storage, classes, nonces, balances, block. For example {"block": {"timestamp": 2000000000}}. See read_docs guides/what-if.',
  );

const READS = { readOnlyHint: true } as const;
const CHANGES = { readOnlyHint: false } as const;

async function factsOf(client: NodeClient) {
  const [chain_id, block_number] = await Promise.all([
    client.chainId(),
    client.read(z.number(), 'starknet_blockNumber'),
  ]);
  return { url: client.url, chain_id, block_number };
}

/** Tools that choose the chain. */
export function addChainTools(server: McpServer, session: Session): void {
  server.registerTool(
    'start_chain',
    {
      description:
        'Starts a new local Starknet with funded accounts, in this process. Returns the URL for other programs and the explorer. Closes the previously started chain.',
      annotations: CHANGES,
      inputSchema: z.strictObject({
        seed: z
          .int()
          .min(0)
          .max(2 ** 32 - 1)
          .default(0)
          .describe('Keys and addresses of the accounts follow from it.'),
        accounts: z.int().min(1).max(255).optional().describe('How many accounts; 10 by default.'),
        port: z.int().min(0).max(65_535).default(0).describe('0 takes a free one.'),
        fork_network: z
          .url()
          .optional()
          .describe(
            'RPC URL of a network to begin from. On another machine only if the user allows its host.',
          ),
        fork_block: z.int().min(0).optional().describe('Which block of it; the latest by default.'),
        artifacts: z
          .string()
          .optional()
          .describe('A folder of compiled classes (target/dev); failures then show Cairo lines.'),
        block_generation_on: z
          .enum(['transaction', 'demand'])
          .default('transaction')
          .describe('Whether each transaction makes a block, or only devnet_createBlock.'),
      }),
    },
    ({ seed, accounts, port, artifacts, ...input }) =>
      reportErrors(async () => {
        const client = await session.start({
          seed,
          port,
          ui: true,
          blockGenerationOn: input.block_generation_on,
          ...(accounts === undefined ? {} : { accounts }),
          ...(artifacts === undefined ? {} : { artifacts }),
          ...(input.fork_network === undefined ? {} : { forkNetwork: input.fork_network }),
          ...(input.fork_block === undefined ? {} : { forkBlock: input.fork_block }),
        });
        return answer({ ...(await factsOf(client)), explorer: `${client.url}/ui` });
      }),
  );
  server.registerTool(
    'attach_chain',
    {
      description:
        'Works on a node that already runs on this machine, for example `npx starkbox`. The user can allow other hosts.',
      annotations: CHANGES,
      inputSchema: z.strictObject({ url: z.url().default('http://127.0.0.1:5050') }),
    },
    ({ url }) => reportErrors(async () => answer(await factsOf(await session.attach(url)))),
  );
}

/** Tools that work on the chain as a whole. */
export function addNodeTools(server: McpServer, session: Session): void {
  server.registerTool(
    'snapshot',
    {
      description: 'Keeps the chain as it is now, to return to with restore.',
      annotations: CHANGES,
      inputSchema: z.strictObject({}),
    },
    () => reportErrors(async () => answer({ snapshot: await session.snapshot() })),
  );
  server.registerTool(
    'restore',
    {
      description:
        'Restores a snapshot, any number of times. Removes all later changes, later snapshots included.',
      annotations: { readOnlyHint: false, destructiveHint: true },
      inputSchema: z.strictObject({ snapshot: z.string().min(1) }),
    },
    ({ snapshot }) =>
      reportErrors(async () => {
        await session.restore(snapshot);
        return answer(await factsOf(session.client));
      }),
  );
  server.registerTool(
    'rpc',
    {
      description:
        'Calls any JSON-RPC method of the node: starknet_* of the specification, and devnet_* such as devnet_mint, devnet_createBlock, devnet_increaseTime, devnet_gasReport. devnet_dump and devnet_load take a file name, in a private folder of this server. read_docs describes all methods.',
      annotations: CHANGES,
      inputSchema: z.strictObject({
        method: z.string().min(1),
        params: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).default({}),
      }),
    },
    ({ method, params }) =>
      reportErrors(async () => chainAnswer(await session.call(method, params))),
  );
}

/** Tools that list accounts and make contracts. */
export function addContractTools(server: McpServer, session: Session): void {
  server.registerTool(
    'list_accounts',
    {
      description:
        'The funded accounts of the chain with their keys and balances. The keys are for tests: never use them on a public network.',
      annotations: READS,
      inputSchema: z.strictObject({}),
    },
    () =>
      reportErrors(async () => {
        const accounts = await session.accounts();
        return answer(
          accounts.map(({ address, private_key, balance }, index) => ({
            index,
            address,
            private_key,
            strk: balance?.strk.amount,
            eth: balance?.eth.amount,
          })),
        );
      }),
  );
  server.registerTool(
    'declare_contract',
    {
      description:
        'Compiles a Sierra class and declares it. Returns its hash, its constructor and its functions.',
      annotations: CHANGES,
      inputSchema: z.strictObject({
        path: z
          .string()
          .min(1)
          .describe('A Sierra class, for example target/dev/NAME.contract_class.json.'),
        account: ACCOUNT,
      }),
    },
    ({ path, account }) =>
      reportErrors(async () => chainAnswer(await declare(session, path, account))),
  );
  server.registerTool(
    'deploy_contract',
    {
      description: 'Deploys a contract of a declared class by the universal deployer.',
      annotations: CHANGES,
      inputSchema: z.strictObject({
        class_hash: FELT,
        arguments: ARGUMENTS,
        salt: FELT.optional().describe('The address follows from it; a random one by default.'),
        account: ACCOUNT,
      }),
    },
    ({ salt, ...deployment }) =>
      reportErrors(async () => chainAnswer(await deploy(session, { ...deployment, salt }))),
  );
}

/** Tools that call contracts. */
export function addCallTools(server: McpServer, session: Session): void {
  server.registerTool(
    'call_contract',
    {
      description: 'Calls a function and returns its decoded result. Sends and changes nothing.',
      annotations: READS,
      inputSchema: CALL,
    },
    (call) => reportErrors(async () => chainAnswer(await callContract(session, call))),
  );
  server.registerTool(
    'send_transaction',
    {
      description:
        'Sends one or more calls as a transaction, and adds fee and signature. Returns its status, fee and decoded events, and the reason of a revert.',
      annotations: CHANGES,
      inputSchema: z.strictObject({ calls: z.array(CALL).min(1), account: ACCOUNT }),
    },
    ({ calls, account }) =>
      reportErrors(async () => chainAnswer(await send(session, calls, account))),
  );
  server.registerTool(
    'explain',
    {
      description:
        'Why a transaction or a call failed: the calls decoded, the panic in words, Cairo lines where artifacts are known, and what to do. Of a successful transaction the tree of its calls.',
      annotations: READS,
      inputSchema: z.strictObject({
        transaction_hash: FELT.optional(),
        calls: DIRECT_CALLS.optional().describe(
          'Instead: calls in order on a branch. The last failing one is explained.',
        ),
        overrides: OVERRIDES,
      }),
    },
    ({ transaction_hash, calls, overrides }) =>
      reportErrors(async () => {
        if (transaction_hash !== undefined && !calls) {
          return chainAnswer({ explanation: await explain(session.client, transaction_hash) });
        }
        if (!calls || transaction_hash !== undefined) {
          throw new ServerError('Give either transaction_hash or calls.');
        }
        return chainAnswer(await explainCalls(session, calls, overrides));
      }),
  );
}

/** Tools that try something on a branch. */
export function addExperimentTools(server: McpServer, session: Session): void {
  addBranchTool(server, session);
  addTryTool(server, session);
  addDebugTool(server, session);
}

function addBranchTool(server: McpServer, session: Session): void {
  server.registerTool(
    'branch',
    {
      description:
        'Creates, uses or drops a branch: a copy of the chain that changes independently, for real transactions. Other tools work on the branch in use; main is the chain itself.',
      annotations: CHANGES,
      inputSchema: z.strictObject({
        action: z.enum(['create', 'use', 'drop']),
        name: z.string().regex(/^[\w-]{1,40}$/, 'Write letters, digits, - or _.'),
      }),
    },
    ({ action, name }) =>
      reportErrors(async () => {
        if (action === 'create') await session.createBranch(name);
        else if (action === 'use') session.useBranch(name);
        else await session.dropBranch(name);
        return answer(session.branches);
      }),
  );
}

function addTryTool(server: McpServer, session: Session): void {
  server.registerTool(
    'try_calls',
    {
      description:
        'Tries several sequences of calls, each on the present state, by any caller, and compares results, gas, events and storage. Changes nothing.',
      annotations: READS,
      inputSchema: z.strictObject({
        attempts: z
          .array(
            z.strictObject({
              name: z.string().max(60).optional(),
              calls: DIRECT_CALLS,
            }),
          )
          .min(1)
          .max(20),
        overrides: OVERRIDES,
      }),
    },
    ({ attempts, overrides }) =>
      reportErrors(async () => chainAnswer(await tryCalls(session, attempts, overrides))),
  );
}

function addDebugTool(server: McpServer, session: Session): void {
  server.registerTool(
    'debug_at_line',
    {
      description:
        'Runs a transaction or a call again up to a line or function, and returns source, stack, variables, storage and the lines that write storage. Without a line: at the failure. Lines need start_chain with artifacts. Changes nothing.',
      annotations: READS,
      inputSchema: z.strictObject({
        transaction_hash: FELT.optional(),
        calls: DIRECT_CALLS.optional().describe(
          'Instead: calls on a branch. Debugs the last one after the others.',
        ),
        overrides: OVERRIDES,
        file: z.string().optional().describe('A path or its end, together with line.'),
        line: z.int().min(1).optional(),
        function: z.string().optional().describe('A Cairo function or its last part.'),
        condition: z.string().optional().describe('Over variables, for example "amount > 5".'),
        hit: z.int().min(1).max(1_000).default(1).describe('Which time it gets there.'),
      }),
    },
    (request) => reportErrors(async () => chainAnswer(await debugAtLine(session, request))),
  );
}

export function addDocsTool(server: McpServer, docs: Docs): void {
  server.registerTool(
    'read_docs',
    {
      description:
        'The documentation of Starkbox. Without arguments the list of pages; with `search` the sections that have all words.',
      annotations: READS,
      inputSchema: z.strictObject({
        page: z.string().min(1).optional().describe('A page, or a section of it as page#section.'),
        search: z.string().min(1).optional(),
      }),
    },
    async ({ page, search }) => {
      if (page !== undefined) return answer(await docs.page(page));
      return answer(search === undefined ? await docs.list() : await docs.search(search));
    },
  );
}
