// Page that calls any method of the node, with a form, JSON and the answer.
import { Fragment, useState } from 'react';
import { setQuery, to, useRoute } from '../../navigation/route.js';
import { Heading, Unread } from '../../parts/page-states.js';
import { Link } from '../../parts/values.js';
import { methodNamed, type RpcMethod, useDiscovery } from '../../rpc/discovery.js';
import { useConfig } from '../../rpc/queries.js';
import { History } from './history-list.js';
import { Workbench } from './workbench.js';

export function ConsolePage() {
  const discovery = useDiscovery();
  const config = useConfig();
  const { query } = useRoute();
  const methodName = query.get('method') ?? '';
  const { data, error } = discovery;
  if (error || !data) {
    return (
      <>
        <Heading title="Console" />
        <Unread query={discovery} what="the methods of the node" />
      </>
    );
  }
  const restricted = new Set(config.data?.server_config.restricted_methods ?? []);
  const isRestricted = ({ name, alias }: RpcMethod): boolean =>
    restricted.has(name) || (alias !== undefined && restricted.has(alias));
  const method = methodNamed(data, methodName);
  return (
    <>
      <Heading title="Console" count={`${data.methods.length} methods`} />
      <div className="console">
        <Methods methods={data.methods} current={method?.name} isRestricted={isRestricted} />
        {method ? (
          <Workbench
            key={method.name}
            method={method}
            schemas={data.schemas}
            isRestricted={isRestricted(method)}
          />
        ) : (
          <section className="work" aria-label="Call">
            <p className="empty">
              {methodName === ''
                ? 'Choose a method, or one of your last calls below.'
                : 'This node has no method of that name.'}
            </p>
            <History />
          </section>
        )}
      </div>
    </>
  );
}

interface MethodsProps {
  readonly methods: readonly RpcMethod[];
  readonly current: string | undefined;
  readonly isRestricted: (method: RpcMethod) => boolean;
}

function Methods({ methods, current, isRestricted }: MethodsProps) {
  const [search, setSearch] = useState('');
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = methods.filter(({ name, alias, summary }) => {
    const text = `${name} ${alias ?? ''} ${summary}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const [first] = matching;
  return (
    <nav
      className={current !== undefined && search === '' ? 'methods is-settled' : 'methods'}
      aria-label="Methods"
    >
      <label className="unseen" htmlFor="method-search">
        Search methods
      </label>
      <input
        id="method-search"
        type="search"
        placeholder="Search methods"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && first && !event.ctrlKey && !event.metaKey) {
            setQuery({ method: first.name });
          }
        }}
      />
      {matching.length === 0 && <p className="quiet">No method matches.</p>}
      <ul>
        {matching.map((method) => {
          const [prefix = '', rest = ''] = parted(method.name);
          const name = (
            <>
              <span className="quiet">{prefix}</span>
              {rest.split(/(?=[A-Z])/).map((word, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: words repeat and keep their order
                <Fragment key={at}>
                  {at > 0 && <wbr />}
                  {word}
                </Fragment>
              ))}
            </>
          );
          return (
            <li key={method.name}>
              <Link
                href={to('console', undefined, { method: method.name })}
                current={method.name === current}
                title={
                  isRestricted(method)
                    ? 'This node does not serve this method (restricted)'
                    : method.summary
                }
              >
                {isRestricted(method) ? <s>{name}</s> : name}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function parted(name: string): readonly [string, string] {
  const at = name.indexOf('_') + 1;
  return [name.slice(0, at), name.slice(at)];
}
