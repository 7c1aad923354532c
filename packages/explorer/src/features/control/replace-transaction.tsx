// Form that replaces a waiting transaction by the same one with a higher tip.
import { shortHash } from '@starkbox/abi/basics';
import type { BROADCASTED_INVOKE_TXN } from '@starkbox/spec';
import { useEffect, useRef, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { useEscape } from '../../navigation/escape-key.js';
import { Action, act, note } from '../../parts/action.js';
import { PlainButton } from '../../parts/button.js';
import { Form, TextInput } from '../../parts/inputs.js';
import { ErrorText } from '../../parts/page-states.js';
import { privateKeyOf } from '../../parts/send/keys.js';
import { useSender } from '../../parts/send/sender.js';
import { Address } from '../../parts/values.js';
import { call } from '../../rpc/client.js';
import { runTask } from '../../state/tasks.js';
import type { WaitingRow } from './mempool.js';

type Bounds = BROADCASTED_INVOKE_TXN['resource_bounds'];

/** At least a tenth more, which a replacement must offer under a gas market. */
const tenthMore = (value: bigint): bigint => value + value / 10n + 1n;

function escalated({ l2_gas, ...others }: Bounds): Bounds {
  const price = tenthMore(BigInt(l2_gas.max_price_per_unit));
  return { ...others, l2_gas: { ...l2_gas, max_price_per_unit: `0x${price.toString(16)}` } };
}

/** Signs the same calls again with a higher tip and price, and sends them. */
async function replace(row: WaitingRow, tip: bigint): Promise<boolean> {
  const what = `Replace ${shortHash(row.transaction_hash)}`;
  try {
    const [original, chainId, key, { signInvoke }] = await Promise.all([
      call('starknet_getTransactionByHash', { transaction_hash: row.transaction_hash }),
      call('starknet_chainId'),
      privateKeyOf(row.sender_address),
      import('@starkbox/signing'),
    ]);
    if (original.type !== 'INVOKE' || original.version !== '0x3' || key === undefined) {
      throw new Error(
        'You can replace only invoke transactions of accounts whose key the explorer has.',
      );
    }
    const transaction = {
      type: original.type,
      version: original.version,
      sender_address: original.sender_address,
      calldata: original.calldata,
      nonce: original.nonce,
      signature: [],
      resource_bounds: escalated(original.resource_bounds),
      tip: `0x${tip.toString(16)}`,
      paymaster_data: [],
      account_deployment_data: [],
      nonce_data_availability_mode: 'L1',
      fee_data_availability_mode: 'L1',
    } as const;
    const replacement = await act(
      what,
      'starknet_addInvokeTransaction',
      { invoke_transaction: signInvoke(transaction, chainId, key) },
      ({ transaction_hash }) => `by ${shortHash(transaction_hash)}`,
    );
    return replacement !== undefined;
  } catch (error) {
    note({ what, curl: '', outcome: <ErrorText of={error} />, isFailure: true });
    return false;
  }
}

export function Replace({ of, close }: { readonly of: WaitingRow; readonly close: () => void }) {
  const [text, setText] = useState(String(tenthMore(BigInt(of.tip))));
  const { isOurs } = useSender(of.sender_address);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  useEscape(close);
  const tip = /^\d{1,19}$/.test(text.trim()) ? BigInt(text.trim()) : undefined;
  const refused = !isOurs
    ? 'Neither the node nor this browser has the key of the sender.'
    : tip === undefined || tip <= BigInt(of.tip)
      ? `Enter a tip above ${grouped(BigInt(of.tip))}.`
      : undefined;
  const run = async (): Promise<void> => {
    if (refused === undefined && tip !== undefined && (await replace(of, tip))) close();
  };
  return (
    <Form
      className="panel line-of"
      aria-label="Replace a transaction"
      submit={() => runTask(run())}
    >
      <span>
        Replace <code>{shortHash(of.transaction_hash)}</code> of <Address of={of.sender_address} />{' '}
        with the same calls and a higher tip
      </span>
      <TextInput
        label="tip"
        ref={field}
        className="medium"
        inputMode="numeric"
        value={text}
        change={setText}
      />
      <Action kind="primary" refused={refused} run={run}>
        Replace
      </Action>
      <PlainButton onClick={close}>Cancel</PlainButton>
      {!isOurs && <span className="quiet">{refused}</span>}
    </Form>
  );
}
