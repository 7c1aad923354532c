// One line for a call or an event, decoded by ABI.
import {
  type Abi,
  type AbiFunction,
  decodeEvent,
  decodeInputs,
  decodeOutputs,
  type Frame,
} from '@starkbox/abi';
import { shortType } from '@starkbox/abi/internal';
import { type ReactNode, useMemo } from 'react';
import { writeJson } from '../../format/json.js';
import { useToken } from '../../rpc/tokens.js';
import { Address, ClassRef, Copy, Fact, FunctionName, Link, UntrustedText } from '../values.js';
import { ContractValue, Members, RawFelts, Value } from './decoded-value.js';

/** ABIs by class hash; of contracts whose class a trace does not name, by address. */
export type Classes = ReadonlyMap<string, Abi>;

/** ABI of the frame's class; for a call that left no trace, of its contract, or of any class that has the selector. */
function explain(
  of: Frame,
  classes: Classes,
): { readonly abi?: Abi | undefined; readonly abiFunction?: AbiFunction | undefined } {
  if (of.classHash !== undefined) {
    const abi = classes.get(of.classHash);
    return {
      abi,
      abiFunction: of.kind === 'CONSTRUCTOR' ? abi?.constructor_ : abi?.functions.get(of.selector),
    };
  }
  const contractAbi = classes.get(of.contract);
  const contractFunction = contractAbi?.functions.get(of.selector);
  if (contractFunction) return { abi: contractAbi, abiFunction: contractFunction };
  for (const abi of classes.values()) {
    const abiFunction = abi.functions.get(of.selector);
    if (abiFunction) return { abi, abiFunction };
  }
  return {};
}

interface CallLineProps {
  readonly of: Frame;
  readonly classes: Classes;
  readonly labels?: boolean;
}

/** `STRK.transfer(account 2, 1.5 STRK)` */
export function CallLine({ of, classes, labels = false }: CallLineProps) {
  const { abi, abiFunction } = explain(of, classes);
  const values = useMemo(
    () =>
      abi && abiFunction && of.calldata ? decodeInputs(abiFunction, of.calldata, abi) : undefined,
    [abi, abiFunction, of.calldata],
  );
  const token = useToken(of.contract);
  return (
    <>
      <Address of={of.contract} />.
      {abiFunction ? (
        <UntrustedText text={abiFunction.name} limit={60} />
      ) : (
        <FunctionName selector={of.selector} />
      )}
      {of.calldata === undefined ? (
        '(…)'
      ) : (
        <>
          (
          {values ? (
            <Members of={values} token={token} labels={labels} />
          ) : (
            <RawFelts of={of.calldata} />
          )}
          )
        </>
      )}
    </>
  );
}

export function ReturnValues({ of, classes }: { readonly of: Frame; readonly classes: Classes }) {
  const abi = of.classHash === undefined ? undefined : classes.get(of.classHash);
  const abiFunction = abi?.functions.get(of.selector);
  if (
    !abi ||
    !abiFunction ||
    !of.result ||
    of.failed ||
    of.depth === 0 ||
    abiFunction.outputs.length === 0
  )
    return null;
  const values = decodeOutputs(abiFunction, of.result, abi);
  if (!values) return null;
  return (
    <span className="soft">
      {' → '}
      {values.map((value, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: outputs have no names
        <ContractValue key={at} of={value} contract={of.contract} />
      ))}
    </span>
  );
}

export function asJson({ contract, selector, calldata }: Frame): string {
  return writeJson({
    contract_address: contract,
    entry_point_selector: selector,
    calldata: calldata ?? [],
  });
}

interface FrameDetailProps {
  readonly of: Frame;
  readonly classes: Classes;
  /** The address of the debugger at this call, or at an event of it. */
  readonly debugAddress?: ((event?: number) => string) | undefined;
}

export function FrameDetail({ of, classes, debugAddress }: FrameDetailProps) {
  const { abi, abiFunction } = explain(of, classes);
  const values =
    abi && abiFunction && of.calldata ? decodeInputs(abiFunction, of.calldata, abi) : undefined;
  const token = useToken(of.contract);
  return (
    <section className="panel detail" aria-label="Selected frame">
      <dl className="facts">
        <Fact name="contract">
          <Address of={of.contract} mark copy /> {of.kind === 'DELEGATE' && 'storage of the caller'}
        </Fact>
        {of.classHash !== undefined && (
          <Fact name="class">
            <ClassRef of={of.classHash} copy />
          </Fact>
        )}
        <Fact name="function">
          <FunctionName selector={of.selector} /> <span className="mono quiet">{of.selector}</span>
          <Copy value={asJson(of)} what="call as JSON" />
          {debugAddress && (
            <Link className="underlined" href={debugAddress()}>
              Debug this call
            </Link>
          )}
        </Fact>
        {of.caller !== undefined && of.caller !== '0x0' && (
          <Fact name="caller">
            <Address of={of.caller} />
          </Fact>
        )}
        {values?.map(({ name, type, value }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat
          <Fragmented key={at} name={name} type={type}>
            <Value of={value} token={token} fold whole />
          </Fragmented>
        ))}
        {!values && of.calldata !== undefined && (
          <Fact name="calldata">
            {abiFunction && (
              <span className="warn">could not be decoded by the ABI; raw felts: </span>
            )}
            {of.calldata.length === 0 ? 'none' : <RawFelts of={of.calldata} />}
          </Fact>
        )}
        {of.cause !== undefined && (
          <Fact name="failed with" className="fail">
            <UntrustedText text={of.cause} quoted />
          </Fact>
        )}
        {of.events.map((event, at) => (
          <Fragmented key={event.order} name="emitted" type="">
            <EventLine keys={event.keys} data={event.data} abi={abi} from={of.contract} fold />{' '}
            {debugAddress && (
              <Link className="underlined" href={debugAddress(at)}>
                Debug
              </Link>
            )}
          </Fragmented>
        ))}
      </dl>
    </section>
  );
}

interface FragmentedProps {
  readonly name: string;
  readonly type: string;
  readonly children: ReactNode;
}

function Fragmented({ name, type, children }: FragmentedProps) {
  return (
    <>
      <dt>
        <UntrustedText text={name} limit={40} />{' '}
        {type !== '' && (
          <span className="quiet">
            <UntrustedText text={shortType(type)} limit={80} />
          </span>
        )}
      </dt>
      <dd>{children}</dd>
    </>
  );
}

interface EventLineProps {
  readonly keys: readonly string[];
  readonly data: readonly string[];
  readonly abi: Abi | undefined;
  readonly from: string;
  /** Whether long values can be unfolded; not in rows of a fixed height. */
  readonly fold?: boolean;
}

/** `Transfer(from: account 1, to: account 2, value: 1.5 STRK)` */
export function EventLine({ keys, data, abi, from, fold = false }: EventLineProps) {
  const token = useToken(from);
  const event = useMemo(() => (abi ? decodeEvent(keys, data, abi) : undefined), [abi, keys, data]);
  if (!event) {
    return (
      <>
        <span className="soft">keys</span> <RawFelts of={keys} /> <span className="soft">data</span>{' '}
        <RawFelts of={data} />
      </>
    );
  }
  return (
    <>
      <UntrustedText text={event.name} limit={60} />(
      <Members of={event.members} token={token} labels fold={fold} />)
    </>
  );
}
