// First steps with this node: its address, an account, and code that sends a transaction.
import { useEffect, useState } from 'react';
import { chainUrl, hasUrl } from '../../format/chain-path.js';
import { to } from '../../navigation/route.js';
import { Button } from '../../parts/button.js';
import { Icon } from '../../parts/icons.js';
import { Choice } from '../../parts/inputs.js';
import { Copy, Fact, Link } from '../../parts/values.js';
import { readPrivateKey, useAccounts } from '../../rpc/queries.js';
import { runTask } from '../../state/tasks.js';
import { type Client, SNIPPETS } from './snippets.js';

const CLIENTS = Object.keys(SNIPPETS).filter((name): name is Client => name in SNIPPETS);
const SHOWN_MILLISECONDS = 1_500;

export function FirstSteps() {
  return (
    <section className="panel first-steps" aria-label="First steps">
      <h2>First steps</h2>
      {hasUrl() && <Program />}
      <p className="soft">
        Without code: <Link href={to('accounts')}>mint tokens</Link>,{' '}
        <Link href={to('classes')}>declare and deploy a class</Link>, or{' '}
        <Link href={to('console')}>call any method</Link>.
      </p>
    </section>
  );
}

function Program() {
  const accounts = useAccounts();
  const [client, setClient] = useState<Client>('starknet.js');
  const url = chainUrl('/rpc');
  const [first, second] = accounts.data ?? [];
  return (
    <>
      <dl className="facts">
        <Fact name="RPC" className="with-copy">
          <code>{url}</code> <Copy value={url} what="URL" />
        </Fact>
        {first && (
          <Fact name="account 0" className="with-copy">
            <code>{first.address}</code> <Copy value={first.address} what="address" />
          </Fact>
        )}
      </dl>
      {first ? (
        <>
          <Choice
            label="Client"
            options={CLIENTS.map((name) => [name, name] as const)}
            value={client}
            change={setClient}
          />
          <Snippet
            key={client}
            client={client}
            url={url}
            address={first.address}
            to={(second ?? first).address}
          />
        </>
      ) : (
        accounts.error && (
          <p className="soft">This node does not list predeployed accounts (restricted).</p>
        )
      )}
    </>
  );
}

interface SnippetProps {
  readonly client: Client;
  readonly url: string;
  readonly address: string;
  /** The receiver of the transfer. */
  readonly to: string;
}

/** The private key is read when the text is copied, and never shown. */
function Snippet({ client, url, address, to: receiver }: SnippetProps) {
  const [outcome, setOutcome] = useState<'copied' | 'not copied' | undefined>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const write = (key: string): string => SNIPPETS[client]({ url, address, key, receiver });
  return (
    <div className="snippet">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label={`Transfer with ${client}`}>
        <pre>{write('<private key of account 0>')}</pre>
      </section>
      <p className="line-of">
        <Button
          className="button primary"
          onClick={() => {
            runTask(
              readPrivateKey(address)
                .then((key) => navigator.clipboard.writeText(write(key ?? '')))
                .then(
                  () => setOutcome('copied'),
                  () => setOutcome('not copied'),
                ),
            );
          }}
        >
          <Icon name={outcome === 'copied' ? 'done' : 'copy'} /> Copy for {client}
        </Button>
        <span className="quiet">The copy contains the private key of account 0.</span>
        <span role="status">{outcome}</span>
      </p>
    </div>
  );
}
