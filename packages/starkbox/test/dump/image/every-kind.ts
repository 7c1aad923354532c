// A chain with every kind of thing that an image can hold.
import { checkedClient } from '@starkbox/test-support';
import { contract, Sender, selector } from '@starkbox/test-support/signing';
import type { LocalChain } from '../../../src/index.js';

/** Every kind of thing that an image can hold. */
export async function grow(source: LocalChain): Promise<void> {
  const client = checkedClient(source.handle);
  const sender = new Sender(client, source.accounts[0]);
  const mint = () => client.call('devnet_mint', { address: '0x1', amount: 1 });
  const close = () => client.call('devnet_createBlock');
  await mint();
  await close();
  const messenger = await sender.deploy(await contract('messenger'));
  await close();
  const send = { to: messenger, name: 'send', calldata: ['0xe', '0x1', '0x5'] };
  const deposit = () =>
    client.call('devnet_postmanSendMessageToL2', {
      l1_transaction_hash: '0xabc',
      l1_contract_address: '0xe0',
      l2_contract_address: messenger,
      entry_point_selector: selector('deposit'),
      payload: ['0x5', '0x64'],
      paid_fee_on_l1: '0x1',
      nonce: '0x0',
    });
  await sender.invoke([send]);
  await deposit();
  await sender.invoke([{ to: messenger, name: 'nothing' }]);
  await close();
  await client.call('devnet_acceptOnL1', { starting_block_id: { block_number: 1 } });
  await client.call('devnet_setLabel', { value: '0x1', label: 'alice' });
  await client.call('devnet_impersonateAccount', { account_address: '0x7' });
  await client.call('devnet_setGasPrice', { gas_price_wei: 5 });
  await sender.invoke([send]);
  await mint();
}
