// JSON value as a tree that renders only its open branches, a few members at a time.
import { useEffect, useState } from 'react';
import { grouped } from '../format/amount.js';
import { to } from '../navigation/route.js';
import { runTask } from '../state/tasks.js';
import { type JsonPart, partsAt } from '../traces/json-parts.js';
import { PlainButton } from './button.js';
import { Link, UntrustedText } from './values.js';

const FIRST_ITEMS = 50;
const MORE_ITEMS = 200;
const OPEN_DEPTH = 2;
/** A level with more items starts closed. */
const MAX_OPEN = 20;

/** Reads members of the part at a path. */
export type ReadParts = (
  path: readonly string[],
  from: number,
  count: number,
) => Promise<readonly JsonPart[]>;

export function JsonTree({ of }: { readonly of: unknown }) {
  const [root] = partsAt([of], [], 0, 1);
  return (
    <div className="json-tree">
      {root && <Branch of={{ ...root, name: '' }} value={of} path={[]} />}
    </div>
  );
}

/** The same for a value that is elsewhere, and read part by part. */
export function RemoteJsonTree({ read }: { readonly read: ReadParts }) {
  return (
    <div className="json-tree">
      <RemoteTwigs path={[]} read={read} />
    </div>
  );
}

interface BranchProps {
  readonly of: JsonPart;
  readonly path: readonly string[];
  /** The part itself, unless it is read elsewhere. */
  readonly value?: unknown;
  readonly read?: ReadParts;
}

function Branch({ of, path, value, read }: BranchProps) {
  const { name, size, isList } = of;
  const [isOpen, setOpen] = useState(
    size !== undefined && path.length < OPEN_DEPTH && size <= MAX_OPEN,
  );
  const label = name !== '' && (
    <span className="soft">
      <UntrustedText text={name} limit={80} />:{' '}
    </span>
  );
  if (size === undefined || size === 0) {
    return (
      <div className="leaf">
        {label}
        {size === undefined ? (
          <Leaf name={name} of={of.leaf} />
        ) : (
          <span className="quiet">{isList ? '[]' : '{}'}</span>
        )}
      </div>
    );
  }
  return (
    <div>
      <PlainButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label}
        <span className="quiet">{isList ? `[${grouped(size)}]` : `{${grouped(size)}}`}</span>
      </PlainButton>
      {isOpen && (
        <div className="twigs">
          {read ? (
            <RemoteTwigs path={path} read={read} size={size} />
          ) : (
            <Twigs of={value} path={path} size={size} />
          )}
        </div>
      )}
    </div>
  );
}

interface TwigsProps {
  readonly path: readonly string[];
  readonly size: number;
}

function Twigs({ of, path, size }: TwigsProps & { readonly of: unknown }) {
  const [limit, setLimit] = useState(FIRST_ITEMS);
  return (
    <>
      {partsAt(of, [], 0, limit).map((part) => (
        <Branch
          key={part.name}
          of={part}
          value={Object.getOwnPropertyDescriptor(of, part.name)?.value}
          path={[...path, part.name]}
        />
      ))}
      <More count={size - limit} show={() => setLimit(limit + MORE_ITEMS)} />
    </>
  );
}

interface RemoteTwigsProps {
  readonly path: readonly string[];
  readonly read: ReadParts;
  readonly size?: number;
}

function RemoteTwigs({ path, read, size = 0 }: RemoteTwigsProps) {
  const [parts, setParts] = useState<readonly JsonPart[]>([]);
  const [limit, setLimit] = useState(FIRST_ITEMS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a part at a path never changes
  useEffect(() => {
    let isWanted = true;
    runTask(read(path, 0, limit).then((members) => isWanted && setParts(members)));
    return () => {
      isWanted = false;
    };
  }, [limit]);
  return (
    <>
      {parts.map((part) => (
        <Branch key={part.name} of={part} path={[...path, part.name]} read={read} />
      ))}
      <More count={size - limit} show={() => setLimit(limit + MORE_ITEMS)} />
    </>
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
