// Page heading, loading state, error state.
import { type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { instanceId } from '../format/chain-path.js';
import { BesideContext } from '../navigation/route.js';
import { explanationIn, RpcFailure, Unreachable } from '../rpc/client.js';
import { runTask } from '../state/tasks.js';
import { Button } from './button.js';
import { Icon, type IconName } from './icons.js';
import { UntrustedText } from './values.js';

/** Shows nothing at first, because most answers arrive within that time. */
export function Loading({ what }: { readonly what: string }) {
  const [isVisible, setVisible] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setVisible(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return isVisible ? <p className="empty">Reading {what}…</p> : null;
}

interface EmptyProps {
  /** What is not there yet. */
  readonly title: ReactNode;
  readonly icon?: IconName;
  /** One thing to do about it: how such entries come about. */
  readonly children?: ReactNode;
  /** Buttons and links. */
  readonly action?: ReactNode;
}

/** In the place of a list without entries: teaches one thing. */
export function Empty({ title, icon, children, action }: EmptyProps) {
  return (
    <div className="teach">
      {icon && <Icon name={icon} />}
      <strong>{title}</strong>
      {children !== undefined && <div>{children}</div>}
      {action !== undefined && <div className="actions">{action}</div>}
    </div>
  );
}

interface ProblemProps {
  readonly error: unknown;
  readonly what: string;
  readonly retry?: () => unknown;
}

export function Problem({ error, what, retry }: ProblemProps) {
  return (
    <div className="notice failed" role="alert">
      <p>
        <strong>Could not read {what}.</strong> <ErrorText of={error} />
      </p>
      {retry && <Button onClick={() => runTask(Promise.resolve(retry()))}>Try again</Button>}
    </div>
  );
}

interface UnreadProps {
  readonly query: { readonly error: unknown; refetch(): unknown };
  readonly what: string;
}

/** State of a query without data: its error, or that it is being read. */
export function Unread({ query: { error, refetch }, what }: UnreadProps) {
  return error ? <Problem error={error} what={what} retry={refetch} /> : <Loading what={what} />;
}

export function ErrorText({ of }: { readonly of: unknown }) {
  if (of instanceof RpcFailure) {
    const explained = explanationIn(of.data);
    const detail = typeof of.data === 'string' ? of.data : explained?.summary;
    return (
      <>
        <code>{of.method}</code> returned error {of.code}: <UntrustedText text={of.message} />
        {detail !== undefined && !/[.:!?]$/.test(of.message) && '.'}
        {detail !== undefined && (
          <>
            {' '}
            <UntrustedText text={detail} />
          </>
        )}
        {explained?.hint !== undefined && (
          <>
            {' '}
            <UntrustedText text={explained.hint} limit={1_000} />
          </>
        )}
      </>
    );
  }
  if (of instanceof Unreachable) return <>The node did not respond to {of.method}.</>;
  return <>{of instanceof Error ? of.message : String(of)}</>;
}

/** Tells tabs of several chains apart. */
const CHAIN = instanceId() === undefined ? 'Starkbox' : `instance ${instanceId()}`;

interface HeadingProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly count?: ReactNode;
  readonly actions?: ReactNode;
}

/** Page heading: sets the tab's title and takes the focus on navigation. */
export function Heading({ title, children, count, actions }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isBeside = useContext(BesideContext);
  useEffect(() => {
    if (!isBeside) document.title = `${title} · ${CHAIN}`;
  }, [title, isBeside]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const Level = isBeside ? 'h2' : 'h1';
  return (
    <div className="title">
      <Level ref={heading} tabIndex={-1}>
        {children ?? title}
      </Level>
      {count !== undefined && <span className="count">{count}</span>}
      {actions && <div className="actions">{actions}</div>}
    </div>
  );
}

export function Json({ of }: { readonly of: string }) {
  const MAX_COUNT = 200_000;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="json" aria-label="JSON" tabIndex={0}>
      <pre>
        {of.length > MAX_COUNT ? `${of.slice(0, MAX_COUNT)}\n… ${of.length} characters in all` : of}
      </pre>
    </section>
  );
}
