// A node with transactions of every kind: invokes, deployments, declarations, reverts, messages, nested and library calls.
import { type ListeningNode, startNode } from '@starkbox/test-support';
import { Account, type Call, ec, hash } from 'starknet';
import { closeAfterFile } from './closing.js';
import { deployed } from './contracts.js';

const selector = (name: string): string => hash.getSelectorFromName(name);
const ENOUGH = { max_amount: 10n ** 6n, max_price_per_unit: 10n ** 12n };
/** With bounds of its own a transaction is sent without an estimate, so that it may be reverted. */
export const UNESTIMATED = {
  resourceBounds: {
    l1_gas: ENOUGH,
    l1_data_gas: ENOUGH,
    l2_gas: { ...ENOUGH, max_amount: 10n ** 8n },
  },
  tip: 0n,
};

export interface MixedRun {
  readonly node: ListeningNode;
  readonly reverter: string;
  /** Of a nested and a library call, and of a reverted transaction. */
  readonly hashes: { readonly nested: string; readonly library: string; readonly reverted: string };
}

/** The node is closed after the tests of the file. */
export async function startMixedRun(): Promise<MixedRun> {
  const node = await startNode({
    listen: true,
    seed: 42,
    accounts: 3,
    blockGenerationOn: 'transaction',
  });
  closeAfterFile(() => node.close());
  const { client } = node;
  const account = node.account(0);
  const { address: reverter } = await deployed(account, 'reverter');
  const { address: messenger } = await deployed(account, 'messenger');
  const send = async (entrypoint: string, calldata: string[]): Promise<string> => {
    const call: Call = { contractAddress: reverter, entrypoint, calldata };
    return (await account.execute([call], UNESTIMATED)).transaction_hash;
  };
  const classHash = await client.call('starknet_getClassHashAt', {
    block_id: 'latest',
    contract_address: reverter,
  });
  const nested = await send('recurse', ['0x5']);
  await send('recurse', ['0x2']);
  const library = await send('library', [classHash, selector('write'), '0x1', '0x7']);
  await send('catch', [reverter, selector('fail'), '0x2', '0x1', '0x9']);
  const reverted = await send('fail_via', [reverter, '0x1', '0x6f6f7073']);
  await client.call('devnet_postmanSendMessageToL2', {
    l2_contract_address: messenger,
    entry_point_selector: selector('deposit'),
    l1_contract_address: '0x1234',
    payload: [account.address, '0x5'],
    paid_fee_on_l1: '0x1000000',
    nonce: '0x0',
  });
  await deployAccount(node);
  return { node, reverter, hashes: { nested, library, reverted } };
}

async function deployAccount({ client, provider, account }: ListeningNode): Promise<void> {
  const publicKey = ec.starkCurve.getStarkKey('0x1234');
  const classHash = await client.call('starknet_getClassHashAt', {
    block_id: 'latest',
    contract_address: account(0).address,
  });
  const address = hash.calculateContractAddressFromHash(publicKey, classHash, [publicKey], 0);
  await client.call('devnet_mint', { address, amount: 1e21, unit: 'FRI' });
  const deployer = new Account({ provider, address, signer: '0x1234' });
  await deployer.deployAccount(
    { classHash, constructorCalldata: [publicKey], addressSalt: publicKey },
    UNESTIMATED,
  );
}
