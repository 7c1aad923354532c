// Lines of the Cairo source at which a transaction failed, innermost first.
import { useExplained } from '../../rpc/queries.js';
import { UntrustedText } from '../values.js';

/** Absent until the node has found the lines, and where it knows none. */
export function CairoStack({ hash }: { readonly hash: string }) {
  const { data } = useExplained(hash);
  const stack = data?.stack ?? [];
  if (!stack.some(({ file }) => file !== undefined)) return null;
  return (
    <section className="why" aria-label="Cairo stack">
      <ol className="cairo-stack">
        {stack.map(({ function: name, file, line, column, inlined }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a recursion has equal lines, and the order never changes
          <li key={at}>
            <UntrustedText text={name.split('::').slice(-2).join('::')} limit={80} />
            {file !== undefined && (
              <code>
                {' '}
                <UntrustedText text={`${file}:${line}:${column}`} limit={160} />
              </code>
            )}
            {inlined && <span className="soft"> inlined</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}
