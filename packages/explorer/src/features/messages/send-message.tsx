// Form that sends a mock message from L1 to L2.
import { type Abi, type AbiFunction, selectorOf } from '@starkbox/abi';
import { useId, useMemo, useState } from 'react';
import { escapeText } from '../../format/untrusted-text.js';
import { Action, act } from '../../parts/action.js';
import { AbiForm, blankInputs, encodeInputs, focusFault } from '../../parts/forms/abi-form.js';
import { AddressBook, readAddress, useResolve } from '../../parts/forms/address-book.js';
import { Select, TextInput } from '../../parts/inputs.js';
import { TxRef } from '../../parts/values.js';
import { queries, useAbis } from '../../rpc/queries.js';

const ANY_SENDER = '0x1111111111111111111111111111111111111111';

const CHOOSE = 'Choose a contract with an L1 handler.';

export function SendMessage() {
  const book = useId();
  return (
    <AddressBook id={book}>
      <SendForm book={book} />
    </AddressBook>
  );
}

function SendForm({ book }: { readonly book: string }) {
  const resolve = useResolve();
  const [to, setTo] = useState('');
  const [from, setFrom] = useState(ANY_SENDER);
  const [name, setName] = useState('');
  const { address, error } = readAddress(to, resolve);
  const abis = useAbis(address === undefined ? [] : [address]);
  const abi = address === undefined ? undefined : abis.get(address);
  const handlers = abi
    ? [...abi.functions.values()].filter(({ kind }) => kind === 'l1_handler')
    : [];
  const handler = handlers.find((candidate) => candidate.name === name) ?? handlers[0];
  return (
    <section className="panel send-message" aria-label="Send a message to L2">
      <h2>Send a message as if it came from L1</h2>
      <div className="line-of connect">
        <TextInput
          label="to contract"
          className="mono"
          size={28}
          list={book}
          placeholder="a name or 0x…"
          value={to}
          aria-invalid={to !== '' && error !== undefined}
          change={setTo}
        />
        {handlers.length > 0 && (
          <Select label="handler" value={handler?.name} change={setName}>
            {handlers.map((option) => (
              <option key={option.name} value={option.name}>
                {escapeText(option.name, 60).text}
              </option>
            ))}
          </Select>
        )}
        <TextInput
          label="from address on L1"
          className="mono"
          size={44}
          value={from}
          change={setFrom}
        />
      </div>
      {to !== '' && error !== undefined && <p className="fail">{error}</p>}
      {abi && handlers.length === 0 && <p className="quiet">This contract has no L1 handler.</p>}
      {abi && address !== undefined && handler ? (
        <Handler
          key={`${address} ${handler.name}`}
          address={address}
          abi={abi}
          of={handler}
          from={from.trim()}
        />
      ) : (
        <p className="line-of">
          <Action kind="primary" refused={CHOOSE}>
            Send the message
          </Action>
          <span className="quiet">{CHOOSE}</span>
        </p>
      )}
    </section>
  );
}

const L1_ADDRESS = /^0x[0-9a-f]{1,40}$/i;

interface HandlerProps {
  readonly address: string;
  readonly abi: Abi;
  readonly of: AbiFunction;
  readonly from: string;
}

function Handler({ address, abi, of, from }: HandlerProps) {
  const resolve = useResolve();
  // The first input of a handler is the L1 sender, which has a field of its own.
  const form = useMemo(() => ({ inputs: of.inputs.slice(1), abi }), [of, abi]);
  const [drafts, setDrafts] = useState(() => blankInputs(form));
  const [isJudged, setJudged] = useState(false);
  const encoded = useMemo(() => encodeInputs(form, drafts, resolve), [form, drafts, resolve]);
  const isFrom = L1_ADDRESS.test(from);
  const id = useId();
  const send = async (): Promise<void> => {
    setJudged(true);
    if (!encoded.calldata) {
      focusFault(document.getElementById(id));
      return;
    }
    await act(
      'Send a message to L2',
      'devnet_postmanSendMessageToL2',
      {
        l2_contract_address: address,
        entry_point_selector: selectorOf(of.name),
        l1_contract_address: from,
        payload: encoded.calldata,
        paid_fee_on_l1: '0x1',
        // A fresh nonce, because two equal messages are not allowed.
        nonce: `0x${Date.now().toString(16)}`,
      },
      ({ transaction_hash }) => <TxRef of={transaction_hash} />,
    );
    await queries.invalidateQueries({ queryKey: ['list'] });
  };
  return (
    <div id={id}>
      <AbiForm
        form={form}
        drafts={drafts}
        encoded={encoded}
        change={setDrafts}
        isJudged={isJudged}
      />
      {form.inputs.length === 0 && <p className="quiet">It takes no inputs besides the sender.</p>}
      <p className="line-of">
        <Action
          kind="primary"
          run={send}
          refused={isFrom ? undefined : 'An address on L1 has 0x and up to 40 hexadecimal digits.'}
        >
          Send the message
        </Action>
      </p>
    </div>
  );
}
