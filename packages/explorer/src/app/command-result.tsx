// Notice with the result of a command that was run from the palette.
import { useEffect } from 'react';
import { useRoute } from '../navigation/route.js';
import { actionLog, LastDone } from '../parts/action.js';
import { PlainButton } from '../parts/button.js';
import { createStore, useStore } from '../state/store.js';

/** The id of the last action before the command; undefined while no result is awaited. */
const actionBefore = createStore<number | undefined>(undefined);

const lastId = (log: ReturnType<typeof actionLog.get>): number => log[0]?.id ?? 0;

/** Announces that a command runs, so that its result is shown over the current page. */
export function commandRuns(): void {
  actionBefore.set(lastId(actionLog.get()));
}

export function CommandResult() {
  const last = useStore(actionLog, lastId);
  const before = useStore(actionBefore);
  const { page, key } = useRoute();
  // Going to another page dismisses the notice.
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation dismisses the notice
  useEffect(() => actionBefore.set(undefined), [page, key]);
  if (before === undefined || last <= before) return null;
  return (
    <div className="notice command">
      <LastDone />
      <PlainButton onClick={() => actionBefore.set(undefined)}>Dismiss</PlainButton>
    </div>
  );
}
