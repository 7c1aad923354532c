// JSON value as a tree that renders only its open branches.
import { useState } from 'react';
import { grouped } from '../../format/amount.js';
import { to } from '../../navigation/route.js';
import { Link, UntrustedText } from '../../parts/values.js';

const FIRST_ITEMS = 50;
const OPEN_DEPTH = 2;
/** A level with more items starts closed. */
const MOST_OPEN = 20;

export function JsonTree({ of }: { readonly of: unknown }) {
  return (
    <div className="json-tree">
      <Branch name={undefined} of={of} depth={0} />
    </div>
  );
}

function Branch({
  name,
  of,
  depth,
}: {
  readonly name: string | undefined;
  readonly of: unknown;
  readonly depth: number;
}) {
  const parts = partsOf(of);
  const [isOpen, setOpen] = useState(
    parts !== undefined && depth < OPEN_DEPTH && parts.length <= MOST_OPEN,
  );
  const [shown, setShown] = useState(FIRST_ITEMS);
  const label = name !== undefined && (
    <span className="soft">
      <UntrustedText text={name} limit={80} />:{' '}
    </span>
  );
  if (!parts) {
    return (
      <div className="leaf">
        {label}
        <Leaf name={name} of={of} />
      </div>
    );
  }
  const size = Array.isArray(of) ? `[${grouped(parts.length)}]` : `{${grouped(parts.length)}}`;
  if (parts.length === 0) {
    return (
      <div className="leaf">
        {label}
        <span className="quiet">{Array.isArray(of) ? '[]' : '{}'}</span>
      </div>
    );
  }
  return (
    <div>
      <button
        type="button"
        className="plain"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span>
          {isOpen ? '▾' : '▸'} {label}
          <span className="quiet">{size}</span>
        </span>
      </button>
      {isOpen && (
        <div className="twigs">
          {parts.slice(0, shown).map(([key, part]) => (
            <Branch key={key} name={key} of={part} depth={depth + 1} />
          ))}
          {parts.length > shown && (
            <button type="button" className="plain" onClick={() => setShown(shown + 200)}>
              {grouped(parts.length - shown)} more
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function partsOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  return typeof value === 'object' && value !== null ? Object.entries(value) : undefined;
}

const HEX = /^0x[0-9a-f]+$/;
const ADDRESS = /address$/;

/** Hashes and addresses that have a page become links. */
function Leaf({ name = '', of }: { readonly name: string | undefined; readonly of: unknown }) {
  if (typeof of !== 'string') return <span>{String(of)}</span>;
  const page = HEX.test(of) && of.length > 10 ? pageOf(name) : undefined;
  if (page !== undefined) {
    return (
      <Link href={to(page, of)} className="mono" value={of}>
        {of}
      </Link>
    );
  }
  return (
    <span className="mono">
      "<UntrustedText text={of} />"
    </span>
  );
}

function pageOf(name: string): string | undefined {
  if (name === 'transaction_hash') return 'tx';
  if (name === 'block_hash' || name === 'parent_hash') return 'block';
  if (name === 'class_hash') return 'class';
  return ADDRESS.test(name) ? 'contract' : undefined;
}
