// Chain values: links, addresses, hashes, amounts, times, untrusted text.
import { shortAddress, shortHash } from '@starkbox/abi/basics';
import {
  type ComponentProps,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react';
import { grouped } from '../format/amount.js';
import { useClassName, useContractName, useFunctionName } from '../format/names.js';
import { ageText, isoText, momentText } from '../format/time.js';
import { escapeText } from '../format/untrusted-text.js';
import { go, to } from '../navigation/route.js';
import { chainNow, onLive, useLive } from '../rpc/live-state.js';
import { createStore } from '../state/store.js';
import { runTask } from '../state/tasks.js';
import { PlainButton } from './button.js';
import { Icon } from './icons.js';
import { markOf } from './marks.js';

interface LinkProps {
  readonly href: string;
  readonly children: ReactNode;
  readonly className?: string;
  readonly title?: string;
  readonly label?: string;
  /** Value for highlighting equal values on the page. */
  readonly value?: string;
  readonly current?: boolean;
}

/** Link that navigates without reloading, and that can be opened in a new tab. */
export function Link({ href, children, className, title, label, value, current }: LinkProps) {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return;
    event.preventDefault();
    go(href);
  };
  return (
    <a
      href={href}
      onClick={follow}
      className={className}
      title={title}
      aria-label={label}
      data-eq={value}
      aria-current={current ? 'page' : undefined}
    >
      {children}
    </a>
  );
}

type FactProps = Omit<ComponentProps<'dd'>, 'name'> & { readonly name: ReactNode };

/** Name and value in a list of facts. */
export function Fact({ name, ...value }: FactProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd {...value} />
    </>
  );
}

/** Coloured mark of an address, always beside its text. */
export function Mark({ of }: { readonly of: string }) {
  const { hue, shape } = markOf(of);
  return (
    <span
      aria-hidden="true"
      className={`mark mark-${shape}`}
      style={{ color: `var(--mark-${hue})` }}
    />
  );
}

interface CopyProps {
  /** The text, or what makes it when it is copied. */
  readonly value: string | (() => string | Promise<string>);
  readonly what: string;
}

export function Copy({ value, what }: CopyProps) {
  const [isDone, copy] = useCopied(value);
  return (
    <PlainButton
      className="plain copy"
      aria-label={isDone ? `${what} copied` : `Copy ${what}`}
      title={`Copy ${what}`}
      onClick={(event) => {
        event.stopPropagation();
        copy();
      }}
    >
      <Icon name={isDone ? 'done' : 'copy'} />
    </PlainButton>
  );
}

/** Whether the text was copied just now, and what copies it. */
export function useCopied(value: CopyProps['value']): readonly [isDone: boolean, copy: () => void] {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), 1_500);
    return () => clearTimeout(timer);
  }, [isDone]);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(typeof value === 'string' ? value : await value());
    setDone(true);
  };
  return [isDone, () => runTask(copy())];
}

interface AddressProps {
  readonly of: string;
  readonly mark?: boolean;
  readonly copy?: boolean;
}

/** Contract by its name, or by its short address where it has none. */
export function Address({ of, mark = false, copy = false }: AddressProps) {
  const name = useContractName(of);
  return (
    <>
      <Link
        href={to('contract', of)}
        className={name === undefined ? 'named mono' : 'named'}
        title={of}
        label={name === undefined ? `address ${shortAddress(of)}` : `${name}, ends ${of.slice(-5)}`}
        value={of}
      >
        {mark && <Mark of={of} />}
        {name === undefined ? shortAddress(of) : <UntrustedText text={name} limit={60} />}
      </Link>
      {copy && <Copy value={of} what="address" />}
    </>
  );
}

/** Class by its name, or by its short hash where it has none. */
export function ClassRef({ of, copy = false }: { readonly of: string; readonly copy?: boolean }) {
  const name = useClassName(of);
  return (
    <>
      <Link
        href={to('class', of)}
        className={name === undefined ? 'named mono' : 'named'}
        title={of}
        {...(name === undefined ? {} : { label: `class ${name}, ends ${of.slice(-5)}` })}
        value={of}
      >
        {name === undefined ? shortHash(of) : <UntrustedText text={name} limit={60} />}
      </Link>
      {copy && <Copy value={of} what="class hash" />}
    </>
  );
}

export function TxRef({ of }: { readonly of: string }) {
  return (
    <Link
      href={to('tx', of)}
      className="mono"
      title={of}
      label={`transaction ${shortHash(of)}`}
      value={of}
    >
      {shortHash(of)}
    </Link>
  );
}

export function BlockRef({ of, children }: { readonly of: number; readonly children?: ReactNode }) {
  const isOrigins = useLive(({ fork }) => fork !== undefined && of <= fork.block);
  return (
    <>
      <Link href={to('block', of)}>{children ?? of}</Link>
      {isOrigins && (
        <span className="quiet" title="on the origin of this fork">
          {' '}
          origin
        </span>
      )}
    </>
  );
}

export function Felt({ of }: { readonly of: string }) {
  return (
    <span className="mono" title={of} data-eq={of.length > 6 ? of : undefined}>
      {shortHash(of)}
    </span>
  );
}

/** Function name, or the selector where the name is unknown. */
export function FunctionName({ selector }: { readonly selector: string }) {
  const name = useFunctionName(selector);
  if (name === undefined) return <Felt of={selector} />;
  return (
    <span title={selector}>
      <UntrustedText text={name} limit={60} />
    </span>
  );
}

interface UntrustedTextProps {
  readonly text: string;
  readonly limit?: number;
  readonly quoted?: boolean;
}

/** Untrusted text from the chain, a client or a file; no other component renders such texts. */
export function UntrustedText({ text, limit, quoted = false }: UntrustedTextProps) {
  const [whole, setWhole] = useState(false);
  const { text: safe, cutFrom } = escapeText(text, whole ? 100_000 : limit);
  const body = quoted ? `“${safe}${cutFrom === undefined ? '' : '…'}”` : safe;
  return (
    <bdi className="untrusted" title={limit === undefined ? undefined : escapeText(text, 400).text}>
      {body}
      {cutFrom !== undefined && limit === undefined && (
        <PlainButton onClick={() => setWhole(true)}>show all {grouped(cutFrom)}</PlainButton>
      )}
    </bdi>
  );
}

const seconds = createStore(0);
let isTicking = false;

function tick(): void {
  if (!document.hidden) seconds.set(seconds.get() + 1);
}

/** Shared clock: ticks each second while the page is visible, and when the chain's clock changes. */
function onClock(listener: () => void): () => void {
  if (!isTicking) setInterval(tick, 1_000);
  isTicking = true;
  const unsubscribe = [seconds.subscribe(listener), onLive(listener)];
  return () => {
    for (const end of unsubscribe) end();
  };
}

/** The chain's time. For ages use `Age`, which renders only when its text changes. */
export function useChainNow(): number {
  return useSyncExternalStore(onClock, chainNow);
}

export function Age({ of }: { readonly of: number }) {
  const text = useSyncExternalStore(onClock, () => ageText(of, chainNow()));
  return (
    <time dateTime={isoText(of)} title={`${momentText(of)} UTC, by the chain’s clock`}>
      {text.startsWith('in ') ? `${text} (chain clock)` : text}
    </time>
  );
}

export function Status({ of, words = false }: { readonly of: string; readonly words?: boolean }) {
  const isOk = of === 'SUCCEEDED';
  const word = isOk ? 'Succeeded' : 'Reverted';
  if (!words) return <OutcomeSign isOk={isOk} word={word} />;
  return (
    <span className={isOk ? 'signed ok' : 'signed fail'}>
      <Icon name={isOk ? 'succeeded' : 'failed'} />
      {word}
    </span>
  );
}

interface OutcomeSignProps {
  readonly isOk: boolean;
  /** For screen readers. */
  readonly word: string;
}

export function OutcomeSign({ isOk, word }: OutcomeSignProps) {
  return (
    <span className={isOk ? 'sign ok' : 'sign fail'} role="img" aria-label={word}>
      <Icon name={isOk ? 'done' : 'cross'} />
    </span>
  );
}

/** Empty for the usual case, “accepted on L2”. */
export function Finality({ of }: { readonly of: string }) {
  if (of === 'PRE_CONFIRMED')
    return (
      <span className="signed warn">
        <Icon name="pending" />
        pre-confirmed
      </span>
    );
  if (of === 'ACCEPTED_ON_L1')
    return (
      <span className="signed l1">
        <Icon name="settled" />
        accepted on L1
      </span>
    );
  return null;
}
