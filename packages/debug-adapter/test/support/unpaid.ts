// A transaction whose calls succeed, and which is reverted because its sender cannot pay the fee any more.
import type { Fixture } from '@starkbox/test-support/fixture';
import { hex, Sender, STRK } from '@starkbox/test-support/signing';

export async function revertedForItsFee({ client, node }: Fixture): Promise<string> {
  const sender = new Sender(client, node.accounts[1]);
  const { address } = sender.account;
  const { amount } = await client.call('devnet_getAccountBalance', { address, unit: 'FRI' });
  const calldata = ['0x1234', hex(BigInt(amount)), '0x0'];
  return sender.invoke([{ to: STRK, name: 'transfer', calldata }]);
}
