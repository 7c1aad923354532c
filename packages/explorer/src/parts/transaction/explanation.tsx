// A failure in the node's words: what failed, what contracts printed, what to do about it.
import type { ReactNode } from 'react';
import type { Result } from '../../rpc/methods.js';
import { UntrustedText } from '../values.js';

export type Explanation = Result<'devnet_explainTransaction'>;

const MAX_PRINTED = 20;

interface ExplanationProps {
  readonly of: Explanation;
  /** What is shown between the headline and the advice; the whole text of the node, folded, by default. */
  readonly children?: ReactNode;
}

export function Explained({ of, children }: ExplanationProps) {
  const { summary, hint, printed = [], text } = of;
  return (
    <>
      <p className="headline">
        <UntrustedText text={summary} limit={400} />
      </p>
      {children}
      <Printed of={printed} />
      {hint !== undefined && (
        <p className="hint">
          <UntrustedText text={hint} limit={1_000} />
        </p>
      )}
      {children === undefined && (
        <details>
          <summary>Whole explanation</summary>
          <Lines of={text} />
        </details>
      )}
    </>
  );
}

/** What contracts printed. */
export function Printed({ of: printed }: { readonly of: NonNullable<Explanation['printed']> }) {
  if (printed.length === 0) return null;
  return (
    <ul className="printed" aria-label="Printed">
      {printed.slice(0, MAX_PRINTED).map((print, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: equal texts may repeat
        <li key={at}>
          printed <UntrustedText text={print.text.trimEnd()} quoted limit={400} />
        </li>
      ))}
    </ul>
  );
}

const MAX_CHARACTERS = 20_000;

/** Text of several lines. */
export function Lines({ of: text }: { readonly of: string }) {
  return (
    <pre>
      {text
        .slice(0, MAX_CHARACTERS)
        .split('\n')
        .map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
          <span key={at}>
            <UntrustedText text={line} limit={2_000} />
            {'\n'}
          </span>
        ))}
    </pre>
  );
}
