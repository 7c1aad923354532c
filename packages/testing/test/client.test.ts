// starknet.js on a chain in this process: waiting, nonces, impersonation, few calls.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Account, type Call, type Contract, RpcError } from 'starknet';
import { afterAll, describe, expect, test } from 'vitest';
import { createTestChain, getAccounts, getProvider, type TestChain } from '../src/index.js';

const chain = await createTestChain({ accounts: 3 });
afterAll(() => chain.close());

const classFile = (name: string) =>
  new URL(`../../../contracts/cairo/${name}.json`, import.meta.url);
const COUNTER = classFile('counter.sierra');
const CASM = classFile('counter.casm');
const json = (file: URL) => JSON.parse(readFileSync(file, 'utf8'));

const transfer = (of: TestChain, to: string, amount: bigint | number): Call => ({
  contractAddress: of.tokens.strk.address,
  entrypoint: 'transfer',
  calldata: [to, amount, 0],
});

const account = (of: TestChain, at = 0) => {
  const account = of.accounts[at];
  if (!account) throw new Error('there is such an account');
  return account;
};

/** A provider that lists the methods that are called through it. */
function listing(of: TestChain) {
  const methods: string[] = [];
  const provider = getProvider(of, {
    baseFetch: (url, init) => {
      methods.push(Object(JSON.parse(String(init?.body))).method);
      return of.fetch(url, init);
    },
  });
  return { asked: methods, provider, sender: getAccounts(of, provider)[0] ?? account(of) };
}

describe('a transaction', () => {
  test('takes three calls: estimate, send, receipt', async () => {
    await using branch = chain.branch();
    const { asked: methods, provider, sender } = listing(branch);
    await sender.execute(transfer(branch, '0x1', 5));
    methods.length = 0;
    const { transaction_hash } = await sender.execute(transfer(branch, '0x1', 5));
    const receipt = await provider.waitForTransaction(transaction_hash);
    expect(receipt.isSuccess()).toBe(true);
    expect(methods).toEqual([
      'starknet_estimateFee',
      'starknet_addInvokeTransaction',
      'starknet_getTransactionReceipt',
    ]);
  });

  test('is awaited by a notification, without a single retry', async () => {
    await using demand = await createTestChain({ blockGenerationOn: 'demand' });
    const { transaction_hash } = await account(demand).execute(transfer(demand, '0x1', 5));
    const { asked: methods, provider } = listing(demand);
    const waiting = provider.waitForTransaction(transaction_hash);
    await demand.mine();
    expect((await waiting).value).toMatchObject({ block_number: 1 });
    expect(methods).toEqual(['starknet_getTransactionReceipt', 'starknet_getTransactionReceipt']);
    const receipt = await demand.provider.waitForTransaction(transaction_hash, {
      errorStates: ['REVERTED'],
    });
    expect(receipt.isSuccess()).toBe(true);
    const late = demand.provider.waitForTransaction('0x123', { retries: 1, retryInterval: 5 });
    await expect(late).rejects.toThrow(/0x123 is not known/);
  });

  test('is no longer awaited once its chain is closed', async () => {
    const demand = await createTestChain({ blockGenerationOn: 'demand' });
    const { transaction_hash } = await account(demand).execute(transfer(demand, '0x1', 5));
    let subscribed = (): void => {};
    const subscribing = new Promise<void>((resolve) => {
      subscribed = resolve;
    });
    const provider = getProvider({
      rpcUrl: demand.rpcUrl,
      fetch: demand.fetch,
      subscribe: (...params) => {
        const subscription = demand.subscribe(...params);
        subscription.ready.then(subscribed, subscribed);
        return subscription;
      },
    });
    const waiting = provider.waitForTransaction(transaction_hash);
    const ended = expect(waiting).rejects.toThrow(/closed, restarted or loaded/);
    await subscribing;
    await demand.close();
    await ended;
    await expect(demand.provider.waitForTransaction(transaction_hash)).rejects.toThrow(/closed/);
  });

  test('of a plain account of starknet.js works too, with no tip', async () => {
    await using branch = chain.branch();
    const { address, signer } = account(branch);
    const plain = new Account({ provider: branch.provider, address, signer });
    const { transaction_hash } = await plain.execute(transfer(branch, '0x1', 5));
    const transaction = await branch.provider.getTransactionByHash(transaction_hash);
    expect(transaction).toMatchObject({ tip: '0x0' });
  });
});

describe('nonces', () => {
  test('of transactions that are sent at the same time do not collide, also after failures', async () => {
    await using branch = chain.branch();
    const sender = account(branch);
    const tooMuch = transfer(branch, '0x1', 10n ** 30n);
    const outcomes = await Promise.allSettled([
      sender.execute(transfer(branch, '0x1', 1)),
      sender.execute(tooMuch),
      sender.execute(transfer(branch, '0x1', 2)),
      sender.execute(tooMuch),
      sender.execute(transfer(branch, '0x1', 3)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(await sender.getNonce()).toBe('0x3');
  });

  test('follow a chain that was put back, and other senders', async () => {
    await using branch = chain.branch();
    const sender = account(branch);
    const snapshot_id = await branch.request('devnet_snapshot');
    await sender.execute(transfer(branch, '0x1', 1));
    await branch.request('devnet_revert', { snapshot_id });
    await sender.execute(transfer(branch, '0x1', 2));
    const snapshot = await branch.snapshot();
    await sender.execute(transfer(branch, '0x1', 3));
    await snapshot.restore();
    const { address, signer } = sender;
    const other = new Account({ provider: branch.provider, address, signer });
    await other.execute(transfer(branch, '0x1', 4));
    await sender.execute(transfer(branch, '0x1', 5));
    expect(await sender.getNonce()).toBe('0x3');
  });

  test('go ahead of the chain while transactions wait in the mempool', async () => {
    await using waiting = await createTestChain({ blockGenerationOn: 'mempool' });
    const sender = account(waiting);
    const transactions = await Promise.all(
      [1, 2, 3].map((amount) => sender.execute(transfer(waiting, '0x1', amount))),
    );
    const receipts = Promise.all(
      transactions.map(({ transaction_hash }) =>
        waiting.provider.waitForTransaction(transaction_hash),
      ),
    );
    await waiting.request('devnet_mempoolSeal');
    expect((await receipts).map((receipt) => receipt.isSuccess())).toEqual([true, true, true]);
  });
});

test('errors begin with the explanation of the node', async () => {
  await using chain = await createTestChain();
  const [alice] = chain.accounts;
  if (!alice) throw new Error('there are accounts');
  const transfer = {
    contractAddress: chain.tokens.strk.address,
    entrypoint: 'transfer',
    calldata: ['0xabc', 10n ** 30n, 0],
  };
  const words = /^Reverted: STRK\.transfer panicked with 'ERC20: insufficient balance'\n/;
  await expect(alice.execute(transfer)).rejects.toThrow(words);
  await expect(
    chain.provider.callContract({ ...transfer, entrypoint: 'totalsupply' }),
  ).rejects.toThrow(
    /^Reverted: STRK has no function 'totalsupply'[\s\S]*Did you mean 'totalSupply'\?/,
  );
});

describe('an error', () => {
  const CLASS = { classHash: '0x123' };
  const AGAIN = { contract: json(COUNTER), casm: json(CASM) };
  const lines = readFileSync(fileURLToPath(import.meta.url), 'utf8').split('\n');
  const tooMuch = (of: TestChain) => transfer(of, '0x1', 10n ** 30n);

  test.each<readonly [name: string, call: (of: TestChain, counter: Contract) => Promise<unknown>]>([
    ['invoke', async (_, counter) => Promise.all([counter.invoke('increase', [0])])],
    ['a method', async (_, counter) => Promise.all([counter['increase']?.(0)])],
    ['call', async (_, counter) => Promise.all([counter.call('get', [], { blockIdentifier: 99 })])],
    ['estimate', async (_, counter) => Promise.all([counter.estimate('increase', [0])])],
    ['execute', async (of) => Promise.all([account(of).execute(tooMuch(of))])],
    ['deploy', async (of) => Promise.all([account(of).deploy(CLASS)])],
    ['deployContract', async (of) => account(of).deployContract(CLASS)],
    ['declare', async (of) => Promise.all([account(of).declare(AGAIN)])],
  ])('of %s has the line of the test, and no request', async (name, call) => {
    await using branch = chain.branch();
    const counter = await branch.deployContract(COUNTER, [5]);
    const error = await call(branch, counter).catch((failure: unknown) => failure);
    if (!(error instanceof RpcError)) throw new Error(`the call fails: ${String(error)}`);
    const places = error.stack?.matchAll(/client\.test\.ts:(\d+)/g) ?? [];
    const shown = [...places].map(([, line]) => lines[Number(line) - 1]?.trim());
    expect(
      shown.some((line) => line?.startsWith(`['${name}', async`)),
      error.stack,
    ).toBe(true);
    expect(error.message).not.toMatch(/RPC: |block_id|sender_address|contract_class/);
    expect(Object(error.cause).message).toMatch(/^RPC: starknet_/);
    expect(error.stack).toContain(error.message);
  });

  test('of a contract that does not exist has its address', async () => {
    await using branch = chain.branch();
    const missing = 'Contract not found: No contract is deployed at 0x1234';
    await expect(branch.contractAt('0x1234')).rejects.toThrow(`starknet_getClassAt: ${missing}`);
    await expect(branch.storage('0x1234').get('x')).rejects.toThrow(missing);
    await expect(branch.deal('0x1234', '0x1', 5)).rejects.toThrow(missing);
    const missingAccount = await branch.impersonate('0x1234');
    await expect(missingAccount.execute(transfer(branch, '0x1', 5))).rejects.toThrow(
      `starknet_getNonce: ${missing}`,
    );
  });

  test('of a call that comes too early names a function of the chain', async () => {
    await using branch = chain.branch();
    const { address } = await branch.deployContract(classFile('oracle.sierra'), [1]);
    const vault = await branch.deployContract(classFile('vault.sierra'), [address, 86_400]);
    await vault.invoke('request_exit');
    const exit = vault.invoke('exit');
    await expect(exit).rejects.toThrow(/Call chain\.time\.set\(\d+\), and send/);
    await expect(exit).rejects.not.toThrow(/devnet_/);
  });

  test('of a function that a contract lacks names those that it has', async () => {
    await using branch = chain.branch();
    const counter = await branch.deployContract(COUNTER, [5]);
    const name = `counter at ${counter.address}`;
    await expect(counter.invoke('decrease', [1])).rejects.toThrow(
      `${name} has no function 'decrease'. Its functions to invoke: increase`,
    );
    await expect(counter.call('total')).rejects.toThrow(
      `${name} has no function 'total'. Its views: get`,
    );
    await expect(counter.call('increase', [1])).rejects.toThrow(
      `increase of ${name} is no view: send a transaction with invoke('increase')`,
    );
    await expect(counter.invoke('get')).rejects.toThrow(
      `get of ${name} is a view: read it with call('get')`,
    );
  });
});

test('an impersonated account needs no key', async () => {
  await using branch = chain.branch();
  const owner = await branch.impersonate(account(branch, 1).address);
  const { transaction_hash } = await owner.execute(transfer(branch, '0xabc', 9));
  const receipt = await branch.provider.waitForTransaction(transaction_hash);
  expect(receipt.isSuccess()).toBe(true);
});

describe('a node at a URL', () => {
  test('pushes statuses through its WebSocket', async () => {
    await using demand = await createTestChain({ blockGenerationOn: 'demand' });
    const { url } = await demand.listen();
    const provider = getProvider(`${url}/rpc`);
    const [sender] = await getAccounts(`${url}/rpc`, provider);
    const transaction = await sender?.execute(transfer(demand, '0x1', 5));
    const waiting = provider.waitForTransaction(transaction?.transaction_hash ?? '');
    await demand.mine();
    expect((await waiting).isSuccess()).toBe(true);
  });

  test('is asked repeatedly where it has no WebSocket', async () => {
    await using demand = await createTestChain({ blockGenerationOn: 'demand' });
    const provider = getProvider('http://127.0.0.1:9', { baseFetch: demand.fetch });
    const { transaction_hash } = await account(demand).execute(transfer(demand, '0x1', 5));
    const waiting = provider.waitForTransaction(transaction_hash);
    await demand.mine();
    expect((await waiting).isSuccess()).toBe(true);
  });
});

test('a contract is deployed and found again', async () => {
  await using branch = chain.branch();
  const counter = await branch.deployContract(COUNTER, [5]);
  const deployed = await branch.contractAt(counter.address);
  expect(deployed.abi).toEqual(counter.abi);
  expect(await deployed.call('get')).toBe(5n);
});
