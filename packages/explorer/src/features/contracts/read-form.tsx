// Form that reads a view function and shows its result.
import { type Abi, type AbiFunction, decodeOutputs, selectorOf } from '@starkbox/abi';
import type { Target } from '@starkbox/debugger';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { escapeText } from '../../format/untrusted-text.js';
import { isRun, shortcutText } from '../../navigation/key-events.js';
import { Button } from '../../parts/button.js';
import { DebugFold } from '../../parts/debug/debug-fold.js';
import { focusFault } from '../../parts/forms/abi-form.js';
import { type BlockTag, BlockTagField, Form } from '../../parts/inputs.js';
import { ErrorText } from '../../parts/page-states.js';
import { ContractValue, RawFelts } from '../../parts/transaction/decoded-value.js';
import { Explained, type Explanation } from '../../parts/transaction/explanation.js';
import { hasPlaces, SourceStack } from '../../parts/transaction/source-pane.js';
import { OutcomeSign } from '../../parts/values.js';
import { call, explanationIn, RpcFailure } from '../../rpc/client.js';
import { runTask } from '../../state/tasks.js';
import { Snippets } from './copy-snippets.js';
import { asSncast, asStarknetJs, readAsCurl } from './snippets.js';

export interface CallFormProps {
  readonly address: string;
  readonly abi: Abi;
  readonly of: AbiFunction;
}

interface CallResult {
  readonly result?: readonly string[];
  readonly error?: unknown;
  readonly inputs: string;
  /** The call, for a debugger. */
  readonly target: Target;
}

interface ReadFormProps extends CallFormProps {
  readonly fields: ReactNode;
  readonly calldata: readonly string[] | undefined;
  readonly judge: () => void;
}

export function ReadForm({ address, abi, of, fields, calldata, judge }: ReadFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [at, setAt] = useState<BlockTag>('pre_confirmed');
  const [outcome, setOutcome] = useState<CallResult | undefined>();
  const selector = selectorOf(of.name);
  const inputs = calldata?.join(' ') ?? '';
  const run = async (): Promise<void> => {
    judge();
    if (!calldata) {
      focusFault(form.current);
      return;
    }
    const request = { contract_address: address, entry_point_selector: selector, calldata };
    const target = { call: request, blockId: at };
    try {
      const result = await call('starknet_call', { request, block_id: at });
      setOutcome({ result, inputs, target });
    } catch (error) {
      setOutcome({ error, inputs, target });
    }
  };
  const press = (event: KeyboardEvent): void => {
    if (!isRun(event)) return;
    event.preventDefault();
    runTask(run());
  };
  const name = escapeText(of.name, 60).text;
  const namedCall = { contract: address, selector, name: of.name, calldata: calldata ?? [] };
  return (
    <>
      <Form
        ref={form}
        className="stack"
        aria-label={`Call ${name}`}
        onKeyDown={press}
        submit={() => runTask(run())}
      >
        {fields}
        <div className="line-of">
          <BlockTagField at={at} change={setAt} />
          <Button type="submit" className="button primary">
            Call {name} <kbd>{shortcutText('Mod+Enter')}</kbd>
          </Button>
          {calldata && (
            <Snippets
              curl={() => readAsCurl(namedCall, at)}
              js={asStarknetJs(namedCall, true)}
              cast={asSncast(namedCall, true)}
            />
          )}
        </div>
        {outcome && (
          <section aria-label="Result" role="status">
            {outcome.inputs !== inputs && <p className="warn">This result is for other inputs.</p>}
            <ReadResult address={address} abi={abi} of={of} outcome={outcome} />
          </section>
        )}
      </Form>
      {/* Outside of the form, because the debugger has one. */}
      {outcome && <DebugFold target={outcome.target} />}
    </>
  );
}

function Failed({ of }: { readonly of: Explanation }) {
  return (
    <>
      <div className="why">
        <Explained of={of} />
      </div>
      {hasPlaces(of) && <SourceStack of={of} />}
    </>
  );
}

function ReadResult(props: CallFormProps & { readonly outcome: CallResult }) {
  const { address, abi, of, outcome } = props;
  if (outcome.error !== undefined) {
    const explained =
      outcome.error instanceof RpcFailure ? explanationIn(outcome.error.data) : undefined;
    if (explained) return <Failed of={explained} />;
    return (
      <p className="fail">
        <OutcomeSign isOk={false} word="Failed" /> <ErrorText of={outcome.error} />
      </p>
    );
  }
  const values = outcome.result && decodeOutputs(of, outcome.result, abi);
  return values ? (
    <p>
      {values.length === 0 && 'The function returned nothing.'}
      {values.map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: outputs have no names
        <span key={index} className="result">
          <ContractValue of={value} contract={address} fold />{' '}
        </span>
      ))}
    </p>
  ) : (
    <p>
      <RawFelts of={outcome.result ?? []} />
    </p>
  );
}
