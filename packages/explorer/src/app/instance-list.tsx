// Dialog of the node's chains: opens, branches and deletes them, and leads to their page.
import { useEffect, useRef, useState } from 'react';
import { BranchForm } from '../features/instances/branch-form.js';
import { ChainTable, useInstances } from '../features/instances/chain-table.js';
import { MAIN_PATH } from '../features/instances/chains.js';
import { go, to } from '../navigation/route.js';
import { LatestResult } from '../parts/action.js';
import { Button, PlainButton } from '../parts/button.js';
import { Confirm, type Question } from '../parts/confirm.js';
import { Sheet } from '../parts/dialog.js';
import { samePage } from './instances.js';

export function InstanceList({ close }: { readonly close: () => void }) {
  const list = useInstances(true);
  const [question, setQuestion] = useState<Question | undefined>();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The button that opened the confirmation went with its row.
    if (!question && document.activeElement === document.body) heading.current?.focus();
  }, [question]);
  return (
    <>
      <Sheet label="Chains of this node" close={close} className="sheet wide">
        <div className="chains">
          <h2 ref={heading} tabIndex={-1}>
            Chains of this node
          </h2>
          <ChainTable
            list={list}
            hrefOf={samePage}
            ask={setQuestion}
            onGone={() => location.assign(samePage(MAIN_PATH))}
          />
          <BranchForm hrefOf={samePage} />
          <LatestResult />
          <div className="line-of">
            <Button onClick={close}>Close</Button>
            <PlainButton
              onClick={() => {
                close();
                go(to('instances'));
              }}
            >
              Compare chains
            </PlainButton>
          </div>
        </div>
      </Sheet>
      {question && <Confirm question={question} close={() => setQuestion(undefined)} />}
    </>
  );
}
