// Form that takes the private key of an account into this tab.
import { selectorOf } from '@starkbox/abi';
import { canonicalFelt, shortHash } from '@starkbox/abi/basics';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../parts/button.js';
import { Form, TextInput } from '../../parts/inputs.js';
import { importKey } from '../../parts/send/keys.js';
import { call } from '../../rpc/client.js';
import { runTask } from '../../state/tasks.js';

/** Functions by which accounts give their public key. */
const GETTERS = ['get_public_key', 'getPublicKey', 'get_owner', 'get_signer'].map(selectorOf);

/** Undefined where the account has none of the functions. */
async function readPublicKey(contract_address: string): Promise<string | undefined> {
  const answers = await Promise.all(
    GETTERS.map((entry_point_selector) =>
      call('starknet_call', {
        request: { contract_address, entry_point_selector, calldata: [] },
        block_id: 'pre_confirmed',
      }).catch(() => []),
    ),
  );
  const key = answers.find((answer) => answer.length === 1)?.[0];
  return key === undefined ? undefined : canonicalFelt(key);
}

interface ImportMessage {
  readonly text: string;
  readonly isFault: boolean;
}

const fault = (text: string): ImportMessage => ({ text, isFault: true });

/** Checks the key by the account, and keeps it. */
async function take(address: string, key: string): Promise<ImportMessage> {
  const block_id = 'pre_confirmed';
  try {
    await call('starknet_getClassHashAt', { block_id, contract_address: address });
  } catch {
    return fault('There is no contract at this address.');
  }
  const { publicKeyOf } = await import('@starkbox/signing');
  let publicKey: string;
  try {
    publicKey = publicKeyOf(key);
  } catch {
    return fault('This is not a private key of the curve.');
  }
  const expected = await readPublicKey(address);
  if (expected !== undefined && expected !== publicKey) {
    return fault(
      `Its public key is ${shortHash(publicKey)}, but the account has ${shortHash(expected)}.`,
    );
  }
  importKey(address, key);
  return {
    text:
      expected === undefined
        ? 'Imported. The account does not return its public key, so the explorer could not check the key.'
        : 'Imported: it is the key of this account.',
    isFault: false,
  };
}

export function ImportKey({ start }: { readonly start: string }) {
  const [address, setAddress] = useState(start);
  const [key, setKey] = useState('');
  const [message, setMessage] = useState<ImportMessage | undefined>();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (start !== '') field.current?.focus();
  }, [start]);
  const submit = async (): Promise<void> => {
    const [account, secret] = [canonicalFelt(address), canonicalFelt(key)];
    if (account === undefined) setMessage(fault('An address is a felt such as 0x1f….'));
    else if (secret === undefined) setMessage(fault('A key is a felt such as 0x1f….'));
    else {
      const result = await take(account, secret);
      setMessage(result);
      if (!result.isFault) setKey('');
    }
  };
  return (
    <Form className="panel stack" aria-label="Import a key" submit={() => runTask(submit())}>
      <h3>Import a key</h3>
      <p className="quiet">
        Forms then sign as this account instead of impersonating it. The key stays in this tab until
        you close it. The explorer never sends it to the node.
      </p>
      <div className="line-of">
        <TextInput
          label="address"
          className="mono"
          value={address}
          placeholder="0x…"
          spellCheck={false}
          change={setAddress}
        />
        <TextInput
          label="private key"
          ref={field}
          type="password"
          autoComplete="off"
          value={key}
          change={setKey}
        />
        <Button type="submit">Import</Button>
        <span
          role={message?.isFault ? 'alert' : 'status'}
          className={message?.isFault ? 'fail' : 'ok'}
        >
          {message?.text}
        </span>
      </div>
    </Form>
  );
}
