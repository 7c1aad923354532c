// Values of the variables at the line of a failure, beside the source.
import { type SourceLine, shortType } from '@starkbox/abi/internal';
import { useQuery } from '@tanstack/react-query';
import { useNames } from '../../format/names.js';
import type { Explanation } from '../../parts/transaction/explanation.js';
import { UntrustedText } from '../../parts/values.js';
import type { FailingFrame, FailingVariable } from './failing-variables.js';

const MAX_VALUE_LENGTH = 400;

/** The debugger is loaded and runs only for failures whose lines are known. */
function useFailingFrames(hash: string, { frames, stack, class_hash }: Explanation) {
  const isPlace = ({ file }: SourceLine): boolean => file !== undefined;
  const classes = new Set(
    frames.flatMap((frame) => (frame.stack?.some(isPlace) ? (frame.class_hash ?? []) : [])),
  );
  if (class_hash !== undefined && stack.some(isPlace)) classes.add(class_hash);
  return useQuery({
    queryKey: ['failing variables', hash],
    retry: false,
    queryFn: async () => (await import('./failing-variables.js')).readFailingFrames(hash, classes),
  });
}

interface VariablesPanelProps {
  readonly hash: string;
  readonly of: Explanation;
  /** The chosen line of the stack. */
  readonly line: SourceLine | undefined;
}

/** Its height does not depend on the values, which come late. */
export function VariablesPanel({ hash, of, line }: VariablesPanelProps) {
  const { data, isPending, error } = useFailingFrames(hash, of);
  const frame = data?.find((candidate) => isAt(candidate, line));
  return (
    <section className="failing-variables" aria-label="Variables" aria-busy={isPending}>
      <h2>Variables</h2>
      {isPending ? (
        <p className="soft">Running the transaction again…</p>
      ) : error ? (
        <p className="soft">The node did not record the execution.</p>
      ) : (
        <FrameVariables of={frame} />
      )}
    </section>
  );
}

function isAt(frame: FailingFrame, line: SourceLine | undefined): boolean {
  return frame.file === line?.file && frame.line === line?.line;
}

function FrameVariables({ of: frame }: { readonly of: FailingFrame | undefined }) {
  if (!frame || frame.variables.length === 0) {
    return (
      <p className="soft">
        {frame?.note === undefined ? (
          'No variables at this line.'
        ) : (
          <UntrustedText text={frame.note} limit={400} />
        )}
      </p>
    );
  }
  return (
    <dl>
      {frame.variables.map((variable, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a later variable may have the same name
        <VariableRow key={at} of={variable} />
      ))}
    </dl>
  );
}

function VariableRow({ of: { name, type, text } }: { readonly of: FailingVariable }) {
  return (
    <div>
      <dt>
        <UntrustedText text={name} limit={80} />
        <span className="soft">
          <UntrustedText text={shortType(type)} limit={60} />
        </span>
      </dt>
      <dd>
        <UntrustedText text={text} limit={MAX_VALUE_LENGTH} />
        {/Address/.test(type) && /^0x[0-9a-f]{6,}$/.test(text) && <NameOf felt={text} />}
      </dd>
    </div>
  );
}

function NameOf({ felt }: { readonly felt: string }) {
  const name = useNames().get(felt);
  if (name === undefined) return null;
  return (
    <span className="soft">
      {' '}
      <UntrustedText text={name} limit={40} />
    </span>
  );
}
