// Facts about one thing: a grid of names above values, which fills the width of the page.
import type { ReactNode } from 'react';

interface FactsProps {
  readonly children: ReactNode;
  /** Whether a border encloses them. */
  readonly isCard?: boolean;
}

export function Facts({ children, isCard = false }: FactsProps) {
  return (
    <dl className={isCard ? 'fact-grid is-card' : 'fact-grid'} aria-label="Facts">
      {children}
    </dl>
  );
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
