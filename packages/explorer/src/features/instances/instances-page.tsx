// Page of the node's chains: a list, a form that branches, a comparison of two.
import { useEffect, useRef, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { to, toChain, useRoute } from '../../navigation/route.js';
import { LatestResult } from '../../parts/action.js';
import { Confirm, type Question } from '../../parts/confirm.js';
import { Empty, Heading } from '../../parts/page-states.js';
import { Link } from '../../parts/values.js';
import { BranchForm } from './branch-form.js';
import { ChainTable, useInstances } from './chain-table.js';
import { MAIN_PATH, ownId, plainName } from './chains.js';
import { CompareChains } from './compare.js';

const home = (path: string): string => toChain(path, '');
const ID = /^[\w-]{1,64}$/;

export function InstancesPage() {
  const { query } = useRoute();
  const list = useInstances(false);
  const [question, setQuestion] = useState<Question | undefined>();
  const table = useRef<HTMLElement>(null);
  useEffect(() => {
    // The button that opened the confirmation went with its row.
    if (!question && document.activeElement === document.body) table.current?.focus();
  }, [question]);
  const chosen = (name: 'a' | 'b'): string | undefined => {
    const id = query.get(name);
    return id !== null && ID.test(id) ? id : undefined;
  };
  const [a, b] = [chosen('a'), chosen('b')];
  const currentId = ownId();
  return (
    <>
      <Heading
        title="Instances"
        count={list.total === undefined ? undefined : grouped(list.total)}
      />
      <p className="page-intro">
        Branch a chain to give each test or user a copy that you can change and delete. Branching a
        long chain is as fast as branching a new one.
      </p>
      <section className="stack" aria-label="List of chains" ref={table} tabIndex={-1}>
        <BranchForm hrefOf={home} canChooseBlock start={query.get('at') ?? ''} />
        <LatestResult />
        <ChainTable
          list={list}
          hrefOf={home}
          ask={setQuestion}
          onGone={() => location.assign(toChain(MAIN_PATH, 'instances'))}
          actions={(id) =>
            id !== currentId && (
              <Link
                href={to('instances', undefined, { a: currentId, b: id })}
                label={`Compare with ${plainName(id, list.rows)}`}
              >
                Compare
              </Link>
            )
          }
        />
        {list.total === 0 && <Empty icon="instances" title="There is only the main chain." />}
      </section>
      {a !== undefined && b !== undefined && <CompareChains a={a} b={b} rows={list.rows} />}
      {question && <Confirm question={question} close={() => setQuestion(undefined)} />}
    </>
  );
}
