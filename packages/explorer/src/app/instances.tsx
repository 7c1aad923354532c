// Switcher between the chains of the node, and the page of an instance that does not exist.
import { useQuery } from '@tanstack/react-query';
import { MAIN, MAIN_PATH, shortId } from '../features/instances/chains.js';
import { instanceId } from '../format/chain-path.js';
import { currentRoute, toChain } from '../navigation/route.js';
import { Icon } from '../parts/icons.js';
import { Heading } from '../parts/page-states.js';
import { UntrustedText } from '../parts/values.js';
import { call, isMissing } from '../rpc/client.js';
import { useLive } from '../rpc/live-state.js';
import { ENTRIES } from './pages.js';

/** Rows per request and requests, in the search for the page's own instance. */
const SEARCHED_ROWS = 200;
const SEARCHED_PAGES = 5;
/** Pages of things that a branch has in common with its origin; of the others the list is opened. */
const SHARED = new Set(['contract', 'class']);

/** The address of the current kind of page on another chain. */
export function samePage(chain: string): string {
  const { page, key } = currentRoute();
  if (key !== undefined && SHARED.has(page)) return toChain(chain, page, key);
  const entry = ENTRIES.find(
    (candidate) => candidate.page === page || (key !== undefined && candidate.also?.includes(page)),
  );
  return toChain(chain, entry?.page ?? '');
}

/** The name of the page's instance, if it has one. */
async function readName(id: string): Promise<string | null> {
  let cursor: string | undefined;
  try {
    for (let page = 0; page < SEARCHED_PAGES; page++) {
      const list = await call('devnet_listInstances', {
        limit: SEARCHED_ROWS,
        ...(cursor === undefined ? {} : { cursor }),
      });
      const instance = list.instances.find((row) => row.instance_id === id);
      if (instance) return instance.name ?? null;
      cursor = list.next;
      if (cursor === undefined) break;
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return null;
}

/** Button that names the page's chain; absent on a node without instances. */
export function Switcher({ open }: { readonly open: () => void }) {
  const id = instanceId();
  const count = useLive(({ instances }) => instances);
  const { data: name } = useQuery({
    queryKey: ['instances', 'name'],
    queryFn: () => (id === undefined ? null : readName(id)),
    enabled: id !== undefined,
  });
  if (id === undefined && count === 0) return null;
  return (
    <button type="button" className="chain" aria-haspopup="dialog" onClick={open}>
      <span className="unseen">Chain: </span>
      <span className="what">
        {id === undefined ? MAIN : <UntrustedText text={name ?? shortId(id)} limit={40} />}
      </span>
      <Icon name="down" />
    </button>
  );
}

export function GonePage() {
  return (
    <>
      <Heading title="This instance does not exist" />
      <div className="stack">
        <p role="status">
          Instance <code>{instanceId()}</code> was deleted, expired, or ended with the node. The
          node deletes an instance without requests after the time in{' '}
          <code>--instance-idle-seconds</code> or in its <code>ttl</code>.
        </p>
        <p>
          <a href={samePage(MAIN_PATH)}>Open the main chain</a>
        </p>
      </div>
    </>
  );
}
