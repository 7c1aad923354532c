// Releases of starknet.js, each on the paths of the versions that it speaks, with answers checked against their documents.
import { checkedFetch, type SpecVersion, startNode } from '@starkbox/test-support';
import { hashed } from '@starkbox/test-support/contracts';
import { newAccount, selector } from '@starkbox/test-support/signing';
import { afterAll, describe, expect, test } from 'vitest';

interface Call {
  readonly contractAddress: string;
  readonly entrypoint: string;
  readonly calldata: string[];
}

/** What all releases have in common. */
interface Provider {
  getSpecVersion(): Promise<string>;
  getChainId(): Promise<string>;
  callContract(call: Call): Promise<string[]>;
  waitForTransaction(hash: string): Promise<{ isSuccess(): boolean; isReverted(): boolean }>;
  getEvents(filter: {
    address: string;
    from_block: { block_number: number };
    to_block: 'latest';
    chunk_size: number;
  }): Promise<{ readonly events: readonly { readonly keys: readonly string[] }[] }>;
  getBlockWithReceipts(block: 'latest'): Promise<object>;
  getTransactionTrace(hash: string): Promise<object>;
}

interface Account {
  getNonce(): Promise<string>;
  deployAccount(payload: {
    classHash: string;
    constructorCalldata: string[];
    addressSalt: string;
  }): Promise<{ readonly transaction_hash: string; readonly contract_address: string }>;
  declare(payload: { contract: string; compiledClassHash: string }): Promise<{
    readonly transaction_hash: string;
    readonly class_hash: string;
  }>;
  deployContract(payload: { classHash: string; constructorCalldata: string[] }): Promise<{
    readonly contract_address: string;
  }>;
  estimateInvokeFee(call: Call): Promise<{ readonly overall_fee: bigint }>;
  execute(call: Call): Promise<{ readonly transaction_hash: string }>;
}

interface Dapp {
  readonly provider: Provider;
  readonly account: (address: string, signer: string) => Account;
}

interface Connection {
  readonly nodeUrl: string;
  readonly baseFetch: typeof fetch;
  readonly transactionRetryIntervalFallback: number;
}

const LIBRARIES = {
  async 'starknet.js 7'(options: Connection): Promise<Dapp> {
    const { Account, RpcProvider } = await import('starknet-v7');
    const provider = new RpcProvider({ ...options, specVersion: '0.8.1' });
    return { provider, account: (address, signer) => new Account(provider, address, signer) };
  },
  async 'starknet.js 8'(options: Connection): Promise<Dapp> {
    const { Account, logger, RpcProvider } = await import('starknet-v8');
    // It reports a short chain as an error.
    logger.setLogLevel('OFF');
    const provider = await RpcProvider.create(options);
    return { provider, account: (address, signer) => new Account({ provider, address, signer }) };
  },
  async 'starknet.js 9'(options: Connection): Promise<Dapp> {
    const { Account, logger, RpcProvider } = await import('starknet-v9');
    logger.setLogLevel('ERROR');
    const provider = await RpcProvider.create(options);
    return { provider, account: (address, signer) => new Account({ provider, address, signer }) };
  },
  async 'starknet.js 10'(options: Connection): Promise<Dapp> {
    const { Account, logger, RpcProvider } = await import('starknet');
    logger.setLogLevel('ERROR');
    const provider = await RpcProvider.create(options);
    return { provider, account: (address, signer) => new Account({ provider, address, signer }) };
  },
};

const MATRIX: readonly (readonly [keyof typeof LIBRARIES, SpecVersion, string])[] = [
  ['starknet.js 7', 'v0_8', '0.8.1'],
  ['starknet.js 8', 'v0_8', '0.8.1'],
  ['starknet.js 8', 'v0_9', '0.9.0'],
  ['starknet.js 9', 'v0_9', '0.9.0'],
  ['starknet.js 9', 'v0_10', '0.10.2'],
  ['starknet.js 10', 'v0_9', '0.9.0'],
  ['starknet.js 10', 'v0_10', '0.10.2'],
];

const { url, node, client, close } = await startNode({ listen: true });
const counter = await hashed('counter');
afterAll(close);

describe.each(MATRIX)('%s on %s', (library, version, spec) => {
  test('deploys an account, declares, deploys, estimates, invokes and reads events', async () => {
    // A chain without the class, so that it can be declared.
    await client.call('devnet_restart');
    const violations: string[] = [];
    const { provider, account } = await LIBRARIES[library]({
      nodeUrl: `${url}/rpc/${version}`,
      baseFetch: checkedFetch(violations, version),
      transactionRetryIntervalFallback: 10,
    });
    expect(await provider.getSpecVersion()).toBe(spec);
    expect(await provider.getChainId()).toBe('0x534e5f5345504f4c4941');

    const fresh = newAccount('0x1234', { classHash: node.accountClassHash });
    await client.call('devnet_mint', { address: fresh.address, amount: 1e21, unit: 'FRI' });
    const mine = account(fresh.address, fresh.privateKey);
    const born = await mine.deployAccount({
      classHash: fresh.classHash,
      constructorCalldata: [...fresh.constructorCalldata],
      addressSalt: fresh.salt,
    });
    expect((await provider.waitForTransaction(born.transaction_hash)).isSuccess()).toBe(true);
    expect(BigInt(await mine.getNonce())).toBe(1n);

    const declared = await mine.declare({
      contract: JSON.stringify(counter.contract),
      compiledClassHash: counter.compiledClassHash,
    });
    expect(BigInt(declared.class_hash)).toBe(BigInt(counter.classHash));
    await provider.waitForTransaction(declared.transaction_hash);
    const { contract_address } = await mine.deployContract({
      classHash: declared.class_hash,
      constructorCalldata: ['0x5'],
    });
    const count = { contractAddress: contract_address, entrypoint: 'get', calldata: [] };
    expect(await provider.callContract(count)).toEqual(['0x5']);

    const raise = { contractAddress: contract_address, entrypoint: 'increase', calldata: ['0x2'] };
    expect((await mine.estimateInvokeFee(raise)).overall_fee).toBeGreaterThan(0n);
    const raised = await mine.execute(raise);
    expect((await provider.waitForTransaction(raised.transaction_hash)).isSuccess()).toBe(true);
    expect(await provider.callContract(count)).toEqual(['0x7']);

    const { events } = await provider.getEvents({
      address: contract_address,
      from_block: { block_number: 0 },
      to_block: 'latest',
      chunk_size: 10,
    });
    expect(events[0]?.keys[0]).toBe(selector('CountRaised'));
    expect(await provider.getBlockWithReceipts('latest')).toBeDefined();
    expect(await provider.getTransactionTrace(raised.transaction_hash)).toBeDefined();
    expect(violations).toEqual([]);
  });
});
