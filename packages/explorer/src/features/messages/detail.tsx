// Detail of one message between L1 and L2: origin, payload, status, consumption.
import { type Abi, readFailure } from '@starkbox/abi';
import { decodeShortString } from '@starkbox/abi/basics';
import { useEscape } from '../../navigation/escape-key.js';
import { Action, act } from '../../parts/action.js';
import { PlainButton } from '../../parts/button.js';
import { Icon } from '../../parts/icons.js';
import {
  Address,
  BlockRef,
  Copy,
  Fact,
  Felt,
  FunctionName,
  TxRef,
  UntrustedText,
} from '../../parts/values.js';
import { queries } from '../../rpc/queries.js';
import { type MessageRow, Payload, type Placed, STATES } from './message-list.js';

interface MessageDetailProps {
  readonly of: Placed;
  readonly abi: Abi | undefined;
  readonly close: () => void;
}

export function MessageDetail({ of: { direction, row }, abi, close }: MessageDetailProps) {
  useEscape(close);
  const { sign, word, tone } = STATES[row.state];
  const isToL1 = direction === 'TO_L1';
  return (
    <section className="panel request-detail" aria-label="The message">
      <div className="line-of">
        <h2>Message to {isToL1 ? 'L1' : 'L2'}</h2>
        <span className={`signed ${tone}`}>
          <Icon name={sign} /> {word}
        </span>
        {isToL1 && row.state !== 'PENDING' && <Consume row={row} close={close} />}
        <PlainButton className="plain push" onClick={close}>
          Close
        </PlainButton>
      </div>
      {row.revert_reason !== undefined && (
        <p className="fail">
          <UntrustedText text={readFailure(row.revert_reason).message} quoted />
        </p>
      )}
      <dl className="facts">
        <Route row={row} isToL1={isToL1} abi={abi} />
        <Fact name="payload">
          <PayloadFelts of={row.payload} />
        </Fact>
        {row.nonce !== undefined && <Fact name="nonce">{BigInt(row.nonce).toString()}</Fact>}
        {row.l1_transaction_hash !== undefined && (
          <Fact name="L1 transaction">
            <Whole value={row.l1_transaction_hash} what="L1 transaction hash" />
          </Fact>
        )}
        <Fact name="L2 transaction">
          <TxRef of={row.transaction_hash} /> in block <BlockRef of={row.block_number} />
        </Fact>
      </dl>
    </section>
  );
}

interface ConsumeProps {
  readonly row: MessageRow;
  readonly close: () => void;
}

function Consume({ row, close }: ConsumeProps) {
  const message = {
    from_address: row.from_address,
    to_address: onL1(row.to_address),
    payload: row.payload,
  };
  return (
    <Action
      refused={row.state === 'CONSUMED' ? 'Already consumed.' : undefined}
      run={async () => {
        await act(
          'Consume the message',
          'devnet_postmanConsumeMessageFromL2',
          message,
          ({ message_hash }) => <Felt of={message_hash} />,
        );
        await queries.invalidateQueries({ queryKey: ['list'] });
        close();
      }}
    >
      Consume
    </Action>
  );
}

interface RouteProps {
  readonly row: MessageRow;
  readonly isToL1: boolean;
  readonly abi: Abi | undefined;
}

/** Where the message comes from and goes to. */
function Route({ row, isToL1, abi }: RouteProps) {
  return (
    <>
      <Fact name="hash">
        <Whole value={row.message_hash} what="message hash" />
      </Fact>
      <Fact name="from">
        {isToL1 ? <Address of={row.from_address} mark copy /> : <OnL1 of={row.from_address} />}
      </Fact>
      <Fact name="to">
        {isToL1 ? <OnL1 of={row.to_address} /> : <Address of={row.to_address} mark copy />}
      </Fact>
      {row.selector !== undefined && (
        <Fact name="handler">
          <FunctionName selector={row.selector} />(
          <Payload of={row} abi={abi} labels />)
        </Fact>
      )}
    </>
  );
}

const MAX_SHOWN = 40;

function PayloadFelts({ of: payload }: { readonly of: readonly string[] }) {
  return (
    <>
      {payload.length === 0 && <span className="quiet">empty</span>}
      <ol className="felts" start={0}>
        {payload.slice(0, MAX_SHOWN).map((felt, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: felts repeat
          <li key={at}>
            <span className="mono">{felt}</span> <Spelled felt={felt} />
          </li>
        ))}
      </ol>
      {payload.length > MAX_SHOWN && (
        <span className="quiet">{payload.length - MAX_SHOWN} more</span>
      )}
    </>
  );
}

function Spelled({ felt }: { readonly felt: string }) {
  const text = decodeShortString(felt);
  if (text === undefined) return null;
  return (
    <span className="quiet">
      <UntrustedText text={text} quoted limit={40} />
    </span>
  );
}

function Whole({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <span className="whole">
      {value} <Copy value={value} what={what} />
    </span>
  );
}

/** L1 addresses are shown with all digits. */
function onL1(felt: string): string {
  return `0x${felt.slice(2).padStart(40, '0')}`;
}

function OnL1({ of }: { readonly of: string }) {
  return <Whole value={onL1(of)} what="L1 address" />;
}
