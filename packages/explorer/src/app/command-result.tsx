// Knows what came of a command that was run from wherever one was.
import { useEffect, useState } from 'react';
import { usePlace } from '../navigation/route.js';
import { LastDone, useDone } from '../parts/action.js';

const watchers = new Set<() => void>();

/** Whoever runs a command outside of a page says so here, since no page will tell the outcome. */
export function commandRuns(): void {
  for (const watcher of watchers) watcher();
}

export function CommandResult() {
  const [newest] = useDone();
  const { page, key } = usePlace();
  const [since, setSince] = useState<number | undefined>();
  const last = newest?.id ?? 0;
  useEffect(() => {
    const begin = (): void => setSince(last);
    watchers.add(begin);
    return () => {
      watchers.delete(begin);
    };
  }, [last]);
  // On another page it is no news any more.
  // biome-ignore lint/correctness/useExhaustiveDependencies: going somewhere is what ends it
  useEffect(() => setSince(undefined), [page, key]);
  if (since === undefined || last <= since) return null;
  return (
    <div className="notice command">
      <LastDone />
      <button type="button" className="plain" onClick={() => setSince(undefined)}>
        Dismiss
      </button>
    </div>
  );
}
