// Facts about one thing: a grid of names above values, which fills the width of the page.
import type { ReactNode } from 'react';

export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="fact-grid">{children}</dl>;
}

interface FactOfProps {
  readonly name: ReactNode;
  readonly children: ReactNode;
  /** Takes the whole width, for values as long as a hash. */
  readonly isWide?: boolean;
}

export function FactOf({ name, children, isWide = false }: FactOfProps) {
  return (
    <div className={isWide ? 'is-wide' : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
