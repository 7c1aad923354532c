// Start of the explorer: the client, and the page of the current address.
import { QueryClientProvider } from '@tanstack/react-query';
import { Component, type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { currentRoute, go, to, useRoute } from '../navigation/route.js';
import { Button } from '../parts/button.js';
import { Heading } from '../parts/page-states.js';
import { Link } from '../parts/values.js';
import { runTask } from '../state/tasks.js';
import { Beside } from './beside.js';
import { MorePage } from './more-page.js';
import { DETAIL_PAGES, ENTRIES, loadAll, loadPage } from './pages.js';
import { Shell } from './shell.js';
import '../styles/order.css';
import { startToken } from '../rpc/auth-token.js';
import { queries } from '../rpc/queries.js';
import { startLive } from '../rpc/subscriptions.js';
import { startTheme } from './theme.js';

function Page() {
  const { page, key } = useRoute();
  const entry = key === undefined ? ENTRIES.find((entry) => entry.page === page) : undefined;
  if (entry) return <entry.Page />;
  if (page === 'more' && key === undefined) return <MorePage />;
  const detail = DETAIL_PAGES.get(page);
  if (detail && key !== undefined) return <detail.Page key={key} id={key} />;
  return (
    <>
      <Heading title="No such page" />
      <p className="empty">
        There is no page at this address. Open the <Link href={to('')}>overview</Link>, or search
        for a block, transaction, contract or class.
      </p>
    </>
  );
}

/** Error boundary: a failing page leaves the shell in place. */
class Guard extends Component<
  { readonly children: ReactNode; readonly route: string },
  { failed: string | undefined }
> {
  override state: { failed: string | undefined } = { failed: undefined };

  static getDerivedStateFromError(error: unknown): { failed: string } {
    return { failed: error instanceof Error ? error.message : String(error) };
  }

  override componentDidUpdate(before: { readonly route: string }): void {
    if (before.route !== this.props.route && this.state.failed !== undefined)
      this.setState({ failed: undefined });
  }

  override render(): ReactNode {
    if (this.state.failed === undefined) return this.props.children;
    return (
      <div className="notice failed" role="alert">
        <p>
          <strong>This page failed.</strong> {this.state.failed.slice(0, 300)}
        </p>
        <Button onClick={() => this.setState({ failed: undefined })}>Try again</Button>
      </div>
    );
  }
}

function App() {
  const { page, key } = useRoute();
  return (
    <Shell>
      <Guard route={`${page}/${key ?? ''}`}>
        <Page />
        <Beside />
      </Guard>
    </Shell>
  );
}

/** The list of activity was the first page before the overview was. */
function openOldAddress(): void {
  const { page, query } = currentRoute();
  if (page !== '' || !(query.has('failed') || query.has('peek'))) return;
  go(to('activity', undefined, Object.fromEntries(query)), { replace: true });
}

/** All pages are preloaded after the first one is shown. */
const PRELOAD_MILLISECONDS = 1_000;
/** The first rendering waits this long for the page's code, so that shell and page share one RPC request. */
const TOGETHER_MILLISECONDS = 250;

export function start(): void {
  startToken();
  startTheme();
  startLive();
  setTimeout(loadAll, PRELOAD_MILLISECONDS);
  openOldAddress();
  const root = document.getElementById('app');
  if (root) {
    const { page, key } = currentRoute();
    const timeout = new Promise((resolve) => setTimeout(resolve, TOGETHER_MILLISECONDS));
    runTask(
      Promise.race([loadPage(page, key), timeout]).then(() => {
        createRoot(root).render(
          <StrictMode>
            <QueryClientProvider client={queries}>
              <App />
            </QueryClientProvider>
          </StrictMode>,
        );
      }),
    );
  }
}
