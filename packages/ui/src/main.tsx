// Knows which page stands at which address, and starts the whole.
import { QueryClientProvider } from '@tanstack/react-query';
import { Component, lazy, type ReactNode, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { Heading } from './parts/states.js';
import { Link } from './parts/values.js';
import { to, usePlace } from './route.js';
import { Shell } from './shell.js';
import './styles/order.css';
import { startTheme } from './theme.js';
import { startLive } from './wire/live.js';
import { queries } from './wire/queries.js';

const Activity = lazy(async () => ({ default: (await import('./pages/activity.js')).Activity }));
const Blocks = lazy(async () => ({ default: (await import('./pages/blocks.js')).Blocks }));
const BlockPage = lazy(async () => ({ default: (await import('./pages/block.js')).BlockPage }));
const Transactions = lazy(async () => ({
  default: (await import('./pages/transactions.js')).Transactions,
}));
const TransactionPage = lazy(async () => ({
  default: (await import('./pages/transaction.js')).TransactionPage,
}));
const Accounts = lazy(async () => ({ default: (await import('./pages/accounts.js')).Accounts }));
const Contracts = lazy(async () => ({ default: (await import('./pages/contracts.js')).Contracts }));
const Classes = lazy(async () => ({ default: (await import('./pages/contracts.js')).Classes }));
const ContractPage = lazy(async () => ({
  default: (await import('./pages/contract.js')).ContractPage,
}));
const ClassPage = lazy(async () => ({ default: (await import('./pages/class.js')).ClassPage }));
const NodePage = lazy(async () => ({ default: (await import('./pages/node.js')).NodePage }));
const More = lazy(async () => ({ default: (await import('./pages/node.js')).More }));
const Control = lazy(async () => ({ default: (await import('./pages/control.js')).Control }));

function Page() {
  const { page, key } = usePlace();
  if (key === undefined) {
    switch (page) {
      case '':
        return <Activity />;
      case 'blocks':
        return <Blocks />;
      case 'transactions':
        return <Transactions />;
      case 'accounts':
        return <Accounts />;
      case 'contracts':
        return <Contracts />;
      case 'classes':
        return <Classes />;
      case 'control':
        return <Control />;
      case 'node':
        return <NodePage />;
      case 'more':
        return <More />;
    }
  } else {
    switch (page) {
      case 'block':
        return <BlockPage key={key} id={key} />;
      case 'tx':
        return <TransactionPage key={key} hash={key} />;
      case 'contract':
        return <ContractPage key={key} address={key} />;
      case 'class':
        return <ClassPage key={key} hash={key} />;
    }
  }
  return (
    <>
      <Heading title="No such page" />
      <p className="empty">
        There is no page at this address. <Link href={to('')}>Activity</Link> shows what happens on
        the chain; the search finds blocks, transactions, contracts and classes.
      </p>
    </>
  );
}

/** A page that fails does not take the shell with it. */
class Guard extends Component<
  { readonly children: ReactNode; readonly place: string },
  { failed: string | undefined }
> {
  override state: { failed: string | undefined } = { failed: undefined };

  static getDerivedStateFromError(error: unknown): { failed: string } {
    return { failed: error instanceof Error ? error.message : String(error) };
  }

  override componentDidUpdate(before: { readonly place: string }): void {
    if (before.place !== this.props.place && this.state.failed !== undefined)
      this.setState({ failed: undefined });
  }

  override render(): ReactNode {
    if (this.state.failed === undefined) return this.props.children;
    return (
      <div className="notice failed" role="alert">
        <p>
          <strong>This page failed.</strong> {this.state.failed.slice(0, 300)}
        </p>
        <button
          type="button"
          className="button"
          onClick={() => this.setState({ failed: undefined })}
        >
          Try again
        </button>
      </div>
    );
  }
}

function App() {
  const { page, key } = usePlace();
  return (
    <Shell>
      <Guard place={`${page}/${key ?? ''}`}>
        <Suspense fallback={null}>
          <Page />
        </Suspense>
      </Guard>
    </Shell>
  );
}

/** Pages are small; once the first one stands, the others are fetched, so that going to one takes no time. */
const PRELOAD_MILLISECONDS = 1_000;

function preload(): void {
  void Promise.allSettled([
    import('./pages/accounts.js'),
    import('./pages/activity.js'),
    import('./pages/block.js'),
    import('./pages/blocks.js'),
    import('./pages/class.js'),
    import('./pages/contract.js'),
    import('./pages/contracts.js'),
    import('./pages/control.js'),
    import('./pages/node.js'),
    import('./pages/transaction.js'),
    import('./pages/transactions.js'),
  ]);
}

startTheme();
startLive();
setTimeout(preload, PRELOAD_MILLISECONDS);
const root = document.getElementById('app');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
}
