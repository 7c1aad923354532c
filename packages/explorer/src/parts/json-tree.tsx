// JSON value as a tree that renders only its open branches, a few members at a time.
import { useState } from 'react';
import { grouped } from '../format/amount.js';
import { to } from '../navigation/route.js';
import { PlainButton } from './button.js';
import { Link, UntrustedText } from './values.js';

const FIRST_ITEMS = 50;
const MORE_ITEMS = 200;
const OPEN_DEPTH = 2;
/** A level with more items starts closed. */
const MAX_OPEN = 20;

export function JsonTree({ of }: { readonly of: unknown }) {
  return (
    <div className="json-tree">
      <Branch name="" of={of} depth={0} />
    </div>
  );
}

interface BranchProps {
  readonly name: string;
  readonly of: unknown;
  readonly depth: number;
}

function Branch({ name, of, depth }: BranchProps) {
  const members = typeof of === 'object' && of !== null ? Object.entries(of) : undefined;
  const size = members?.length ?? 0;
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH && size <= MAX_OPEN);
  const [limit, setLimit] = useState(FIRST_ITEMS);
  const [start, end] = Array.isArray(of) ? '[]' : '{}';
  const label = name !== '' && (
    <span className="soft">
      <UntrustedText text={name} limit={80} />:{' '}
    </span>
  );
  if (!members || size === 0) {
    return (
      <div className="leaf">
        {label}
        {members ? (
          <span className="quiet">
            {start}
            {end}
          </span>
        ) : (
          <Leaf name={name} of={of} />
        )}
      </div>
    );
  }
  return (
    <div>
      <PlainButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label}
        <span className="quiet">
          {start}
          {grouped(size)}
          {end}
        </span>
      </PlainButton>
      {isOpen && (
        <div className="twigs">
          {members.slice(0, limit).map(([member, value]) => (
            <Branch key={member} name={member} of={value} depth={depth + 1} />
          ))}
          <More count={size - limit} show={() => setLimit(limit + MORE_ITEMS)} />
        </div>
      )}
    </div>
  );
}

function More({ count, show }: { readonly count: number; readonly show: () => void }) {
  if (count <= 0) return null;
  return <PlainButton onClick={show}>{grouped(count)} more</PlainButton>;
}

const HEX = /^0x[0-9a-f]+$/;
const ADDRESS = /address$/;

/** Hashes and addresses that have a page become links. */
function Leaf({ name, of }: { readonly name: string; readonly of: unknown }) {
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
