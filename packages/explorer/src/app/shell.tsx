// Frame of every page: navigation, status of the chain and of the connection.
import { namesOf } from '@starkbox/abi';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { grouped, priceText, STRK } from '../format/amount.js';
import { hasUrl } from '../format/chain-path.js';
import { NamesContext, refreshNames, safeLabels } from '../format/names.js';
import { momentText, offsetText, spanText, timeText } from '../format/time.js';
import { shortcutText } from '../navigation/key-events.js';
import { lazyPage } from '../navigation/lazy-page.js';
import { to, useRoute } from '../navigation/route.js';
import { PlainButton } from '../parts/button.js';
import { BrandMark, Icon } from '../parts/icons.js';
import { ErrorText } from '../parts/page-states.js';
import { Link, useChainNow } from '../parts/values.js';
import { type Connection, liveNow, useLive } from '../rpc/live-state.js';
import { queries, useAccounts, useLabels } from '../rpc/queries.js';
import { readFirstHead } from '../rpc/subscriptions.js';
import { useStore } from '../state/store.js';
import { runTask, taskError } from '../state/tasks.js';
import { CommandResult } from './command-result.js';
import { GonePage, Switcher } from './instances.js';
import { Keys, type Opened, useKeys } from './keyboard.js';
import { BOTTOM, NAVIGATION, type NavigationEntry, useUseful } from './pages.js';
import { Palette } from './palette.js';
import { useRecentRecorder } from './recent.js';
import { ThemeButton } from './theme-button.js';
import { TokenPage } from './token-page.js';

/** Few visits open it. */
const InstanceList = lazyPage(async () => (await import('./instance-list.js')).InstanceList);

const isIn = ({ page, also }: NavigationEntry, current: string): boolean =>
  page === current || (also?.includes(current) ?? false);

export function Shell({ children }: { readonly children: ReactNode }) {
  const { page } = useRoute();
  const connection = useLive((live) => live.connection);
  const [open, setOpen] = useState<Opened | undefined>();
  const accounts = useAccounts();
  const labels = useLabels();
  const names = useMemo(
    () =>
      namesOf(
        (accounts.data ?? []).map(({ address }) => address),
        safeLabels(labels.data ?? []),
      ),
    [accounts.data, labels.data],
  );
  useResetQueries();
  useEffect(() => runTask(readFirstHead()), []);
  const isLocked = connection === 'locked';
  const isGone = connection === 'gone';
  useEffect(() => {
    if (!isLocked) return;
    // Queries that failed without a token run again.
    return () => runTask(queries.resetQueries());
  }, [isLocked]);
  useEqualValues();
  useRecentRecorder();
  const isPrefixed = useKeys(setOpen);
  const isStale = connection === 'reconnecting' || connection === 'unreachable';
  return (
    <NamesContext value={names}>
      <div className={isStale ? 'is-stale' : undefined}>
        <a className="skip" href="#content">
          Skip to content
        </a>
        <Rail page={page} />
        <Strip
          connection={connection}
          search={() => setOpen({ what: 'palette' })}
          switchChain={() => setOpen({ what: 'instances' })}
        />
        <main id="content">
          <PastChanged />
          <CommandResult />
          <TaskError />
          {isLocked ? <TokenPage /> : isGone ? <GonePage /> : children}
        </main>
        <nav className="bottom" aria-label="Main pages">
          {BOTTOM.map(([name, target, icon]) => (
            <Link key={name} href={to(target)} current={page === target}>
              <Icon name={icon} />
              {name}
            </Link>
          ))}
        </nav>
        {open?.what === 'palette' && (
          <Palette
            close={() => setOpen(undefined)}
            start={open.line ?? ''}
            switchChain={() => setOpen({ what: 'instances' })}
          />
        )}
        {open?.what === 'keys' && <Keys close={() => setOpen(undefined)} />}
        {open?.what === 'instances' && !isGone && (
          <InstanceList.Page close={() => setOpen(undefined)} />
        )}
        {isPrefixed && (
          <p className="prefix" role="status">
            <kbd>s</kbd> snapshot · <kbd>n</kbd> new block · <kbd>m</kbd> mint
          </p>
        )}
        <LiveRegion connection={connection} />
      </div>
    </NamesContext>
  );
}

function Rail({ page }: { readonly page: string }) {
  const isUseful = useUseful();
  const isShown = (entry: NavigationEntry): boolean => isUseful(entry) || isIn(entry, page);
  return (
    <nav className="rail" aria-label="Pages">
      <Link className="brand" href={to('')} label="Starkbox, home">
        <BrandMark />
        <span className="label">Starkbox</span>
      </Link>
      {NAVIGATION.map((entries) => (
        <ul key={entries[0]?.name}>
          {entries.filter(isShown).map((entry) => (
            <li key={entry.name}>
              <Link
                className="entry"
                href={to(entry.page)}
                current={isIn(entry, page)}
                title={entry.name}
              >
                <Icon name={entry.icon} />
                <span className="label">{entry.name}</span>
                {entry.key !== undefined && <kbd aria-hidden="true">{entry.key}</kbd>}
              </Link>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}

interface StripProps {
  readonly connection: Connection;
  readonly search: () => void;
  readonly switchChain: () => void;
}

function Strip({ connection, search, switchChain }: StripProps) {
  const head = useLive((live) => live.head);
  const pending = useLive((live) => live.pending);
  const offset = useLive((live) => live.offset);
  const price = useLive((live) => live.price);
  const fork = useLive((live) => live.fork);
  const now = useChainNow();
  const year = new Date().getUTCFullYear();
  const shift = offsetText(offset);
  return (
    <header className="strip" data-connection={connection} data-fork={fork && ''}>
      {connection !== 'gone' && hasUrl() && <Switcher open={switchChain} />}
      {/* In the order of their use: what does not fit is hidden. */}
      <div className="strip-facts">
        <ConnectionState connection={connection} />
        {head && (
          <span className="head">
            <Link href={to('block', head.number)}>#{grouped(head.number)}</Link>
            <span className="pending">
              {' · '}
              <Link href={to('block', 'pre_confirmed')}>{grouped(pending)} pending</Link>
            </span>
          </span>
        )}
        {shift !== undefined && (
          <Link className="offset" href={to('control')} title="Offset of the chain’s clock">
            <Icon name="pending" />
            {shift}
          </Link>
        )}
        <Link className="wide" href={to('control')} title="Chain time in UTC; change it on Control">
          {momentText(now, year)}
        </Link>
        {fork && (
          <Link className="wide" href={to('node')} title="The origin of this fork">
            fork of {fork.chain} @ {grouped(fork.block)}
          </Link>
        )}
        {price !== undefined && (
          <Link className="wide" href={to('control')} title="Price of L2 gas; change it on Control">
            L2 gas {priceText(price, STRK)}
          </Link>
        )}
      </div>
      <button type="button" className="search" onClick={search}>
        <Icon name="search" />
        <span className="words">Search or run a command</span>
        <kbd aria-hidden="true">{shortcutText('Mod+K')}</kbd>
      </button>
      <ThemeButton className="theme" />
    </header>
  );
}

const CONNECTION_ICONS = {
  starting: 'ring',
  live: 'dot',
  'catching-up': 'ring',
  reconnecting: 'warning',
  locked: 'stopped',
  gone: 'stopped',
  unreachable: 'stopped',
} as const;

function ConnectionState({ connection }: { readonly connection: Connection }) {
  const { receivedAt } = liveNow();
  const silence = Math.max(0, Math.round((Date.now() - receivedAt) / 1000));
  const words = {
    starting: 'connecting',
    live: 'live',
    'catching-up': 'catching up',
    reconnecting: `reconnecting, last message ${spanText(silence)} ago`,
    locked: 'token needed',
    gone: 'no such instance',
    unreachable: `node not reachable since ${timeText(Math.floor(receivedAt / 1000))}`,
  }[connection];
  return (
    <span className="connection" title={words}>
      <Icon name={CONNECTION_ICONS[connection]} />
      <span className="what">{words}</span>
    </span>
  );
}

/** After a revert, restart or load, cached blocks are read again. */
function useResetQueries(): void {
  const epoch = useLive((live) => live.epoch);
  const revision = useLive((live) => live.revision);
  const lastEpoch = useRef(epoch);
  useEffect(() => {
    if (lastEpoch.current === epoch) return;
    lastEpoch.current = epoch;
    queries.removeQueries({
      predicate: ({ queryKey }) => queryKey[0] === 'block',
      type: 'inactive',
    });
    runTask(
      queries.resetQueries({
        predicate: ({ queryKey }) => queryKey[0] !== 'class' && queryKey[0] !== 'accounts',
      }),
    );
    refreshNames();
  }, [epoch]);
  useEffect(() => {
    if (revision > 0) runTask(queries.invalidateQueries({ queryKey: ['now'] }));
  }, [revision]);
  const lastNaming = useLive(
    (live) => live.operations.find(({ event }) => NAMING_EVENTS.has(event))?.id ?? 0,
  );
  useEffect(() => {
    if (lastNaming === 0) return;
    runTask(queries.invalidateQueries({ queryKey: ['labels'] }));
    refreshNames();
  }, [lastNaming]);
}

/** Operations after which contracts may have other names. */
const NAMING_EVENTS: ReadonlySet<string> = new Set(['label', 'artifact']);

const PAST_CHANGES: Readonly<Record<string, string>> = {
  away: 'The chain was restarted or reverted while you were away.',
  restart: 'The chain was restarted.',
  load: 'Another chain was loaded.',
  revert: 'The chain was reverted to a snapshot.',
  abort: 'Blocks were aborted.',
};

function PastChanged() {
  const why = useLive((live) => live.pastChange);
  const epoch = useLive((live) => live.epoch);
  const [dismissed, setDismissed] = useState(0);
  const text = why === undefined ? undefined : PAST_CHANGES[why];
  if (text === undefined || dismissed === epoch) return null;
  return (
    <div className="notice" role="status">
      <p>{text} This page shows the chain as it is now.</p>
      <PlainButton onClick={() => setDismissed(epoch)}>Dismiss</PlainButton>
    </div>
  );
}

/** The error of work that no part of the page shows. */
function TaskError() {
  const error = useStore(taskError);
  const { page, key } = useRoute();
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation dismisses the notice
  useEffect(() => taskError.set(undefined), [page, key]);
  if (error === undefined) return null;
  return (
    <div className="notice failed" role="alert">
      <p>
        <strong>An operation failed.</strong> <ErrorText of={error} />
      </p>
      <PlainButton onClick={() => taskError.set(undefined)}>Dismiss</PlainButton>
    </div>
  );
}

/** Highlights all equal values on the page while one of them is hovered or focused. */
function useEqualValues(): void {
  useEffect(() => {
    const clear = (): void => {
      for (const element of document.querySelectorAll('.is-equal'))
        element.classList.remove('is-equal');
    };
    const show = ({ target }: Event): void => {
      clear();
      const value =
        target instanceof Element
          ? target.closest('[data-eq]')?.getAttribute('data-eq')
          : undefined;
      if (!value) return;
      const equal = document.querySelectorAll(`[data-eq="${CSS.escape(value)}"]`);
      if (equal.length > 1) for (const element of equal) element.classList.add('is-equal');
    };
    document.addEventListener('pointerover', show);
    document.addEventListener('focusin', show);
    return () => {
      document.removeEventListener('pointerover', show);
      document.removeEventListener('focusin', show);
    };
  }, []);
}

/** Announces loss and return of the connection to screen readers. */
function LiveRegion({ connection }: { readonly connection: Connection }) {
  const words = { unreachable: 'The node is not reachable.', live: 'Connected to the node.' };
  return (
    <p className="unseen" aria-live="polite">
      {connection === 'unreachable' || connection === 'live' ? words[connection] : ''}
    </p>
  );
}
