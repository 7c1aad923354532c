// The system call at the position: storage, event, message or call, with its values.
import type { DEBUG_ACTION, DEBUG_RUN } from '@starkbox/spec';
import { grouped } from '../../format/amount.js';
import { functionName } from '../../format/names.js';
import { useClasses } from '../../rpc/queries.js';
import { useStore } from '../../state/store.js';
import { EventLine } from '../transaction/call-line.js';
import { RawFelts } from '../transaction/decoded-value.js';
import { SlotName, SlotValue, slotValue } from '../transaction/slot-name.js';
import type { SlotNames } from '../transaction/slot-names.js';
import { Address, Fact, UntrustedText } from '../values.js';
import { RunContract } from './run-contract.js';
import type { Session } from './session.js';
import { useSlotsOf } from './storage.js';

interface StepDetailProps {
  readonly session: Session;
  readonly hash: string | undefined;
}

export function StepDetail({ session, hash }: StepDetailProps) {
  const action = useStore(session.details, (details) => details?.action);
  const names = useSlotsOf(session, hash);
  if (!action) return null;
  return (
    <section className="debug-panel" aria-label="System call">
      <div className="panel-head">
        <h2>System call</h2>
        <span className={action.failed ? 'fail' : 'soft'}>
          <UntrustedText text={action.name} limit={60} />
          {action.failed && ' failed'}
        </span>
      </div>
      <ActionFacts action={action} session={session} names={names} />
    </section>
  );
}

interface ActionProps {
  readonly action: DEBUG_ACTION;
  readonly session: Session;
  readonly names: SlotNames;
}

function ActionFacts({ action, session, names }: ActionProps) {
  const { contract_address: contract, key, value, previous, keys, data = [] } = action;
  const { to_address, called_run, gas } = action;
  const run = session.program.trace.runs[action.run];
  const called = called_run === undefined ? undefined : session.program.trace.runs[called_run];
  return (
    <dl className="facts">
      {contract !== undefined && key !== undefined && (
        <SlotFacts slot={{ contract, key, value, previous }} run={run} names={names} />
      )}
      {keys && run && (
        <Fact name="event">
          <EmittedEvent
            classHash={run.class_hash}
            keys={keys}
            data={data}
            from={run.contract_address}
          />
        </Fact>
      )}
      {to_address !== undefined && (
        <>
          <Fact name="to L1" className="mono">
            {to_address}
          </Fact>
          <Fact name="payload">{data.length === 0 ? 'empty' : <RawFelts of={data} />}</Fact>
        </>
      )}
      {called && (
        <Fact name="calls">
          <RunContract run={called} />.
          <UntrustedText
            text={called.function_name ?? functionName(called.entry_point_selector) ?? '…'}
            limit={60}
          />
          {called.failed && <span className="fail"> failed</span>}
        </Fact>
      )}
      {gas !== undefined && <Fact name="gas before">{grouped(gas)}</Fact>}
    </dl>
  );
}

interface SlotFactsProps {
  readonly slot: {
    readonly contract: string;
    readonly key: string;
    readonly value: string | undefined;
    readonly previous: string | undefined;
  };
  /** The call that used the slot. */
  readonly run: DEBUG_RUN | undefined;
  readonly names: SlotNames;
}

function SlotFacts({ slot: { contract, key, value, previous }, run, names }: SlotFactsProps) {
  const name = names.nameOf({ contract, key });
  const text = (felt: string) => (
    <SlotValue contract={contract} name={name} of={slotValue(name, felt)} />
  );
  return (
    <>
      <Fact name="contract">
        {run?.contract_address === contract ? (
          <RunContract run={run} />
        ) : (
          <Address of={contract} mark />
        )}
      </Fact>
      <Fact name="slot">
        <SlotName slot={key} name={name} />
      </Fact>
      {value !== undefined && (
        <Fact name="value">
          {previous !== undefined && <>{text(previous)} → </>}
          {text(value)}
        </Fact>
      )}
    </>
  );
}

interface EmittedEventProps {
  readonly classHash: string;
  readonly keys: readonly string[];
  readonly data: readonly string[];
  readonly from: string;
}

function EmittedEvent({ classHash, keys, data, from }: EmittedEventProps) {
  const abi = useClasses([classHash]).get(classHash);
  return <EventLine keys={keys} data={data} abi={abi} from={from} />;
}
