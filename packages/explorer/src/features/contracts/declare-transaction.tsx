// Declare transaction of a class: its bounds, its signature and its sending.
import type { Sierra } from '@starkbox/abi';
import { boundsFrom, NO_BOUNDS } from '@starkbox/abi/internal';
import type { Declare } from '@starkbox/signing';
import { escapeText } from '../../format/untrusted-text.js';
import { act } from '../../parts/action.js';
import { privateKeyOf } from '../../parts/send/keys.js';
import { impersonated } from '../../parts/send/run.js';
import type { Sender } from '../../parts/send/sender.js';
import { ClassRef, TxRef } from '../../parts/values.js';
import { call } from '../../rpc/client.js';

export interface ClassToDeclare {
  readonly sierra: Sierra;
  readonly hash: string;
}

/** Declares it as the sender; false if the node refuses. */
export async function declareAs(
  sender: Sender,
  address: string,
  chosen: ClassToDeclare,
  compiled: string,
): Promise<boolean> {
  const transaction = await declaration(chosen.sierra, compiled, address);
  const what = `Declare as ${escapeText(sender.name, 40).text}`;
  return sender.isOurs
    ? submit(what, await withSignature(transaction, chosen.hash))
    : impersonated(address, () => submit(what, transaction));
}

/** The declare transaction, with resource bounds from a fee estimate. */
async function declaration(sierra: Sierra, compiled: string, sender: string): Promise<Declare> {
  const nonce = await call('starknet_getNonce', {
    block_id: 'pre_confirmed',
    contract_address: sender,
  });
  const transaction: Declare = {
    type: 'DECLARE',
    version: '0x3',
    sender_address: sender,
    compiled_class_hash: compiled,
    contract_class: sierra,
    nonce,
    signature: [],
    resource_bounds: NO_BOUNDS,
    tip: '0x0',
    paymaster_data: [],
    account_deployment_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
  };
  const [fee] = await call('starknet_estimateFee', {
    request: [transaction],
    simulation_flags: ['SKIP_VALIDATE'],
    block_id: 'pre_confirmed',
  });
  return fee ? { ...transaction, resource_bounds: boundsFrom(fee) } : transaction;
}

async function withSignature(transaction: Declare, hash: string): Promise<Declare> {
  const [chainId, key, { signedDeclare }] = await Promise.all([
    call('starknet_chainId'),
    privateKeyOf(transaction.sender_address),
    import('@starkbox/signing'),
  ]);
  if (key === undefined) throw new Error('The node has no private key for this account.');
  return signedDeclare(transaction, hash, chainId, key);
}

async function submit(what: string, declare_transaction: Declare): Promise<boolean> {
  const declared = await act(
    what,
    'starknet_addDeclareTransaction',
    { declare_transaction },
    ({ transaction_hash, class_hash }) => (
      <>
        <ClassRef of={class_hash} />, transaction <TxRef of={transaction_hash} />
      </>
    ),
  );
  return declared !== undefined;
}
