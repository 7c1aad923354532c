// Notice with the result of a command that was run from the palette.
import { useEffect, useState } from 'react';
import { usePlace } from '../navigation/route.js';
import { LastDone, useDone } from '../parts/action.js';

const watchers = new Set<() => void>();

/** Announces that a command runs, so that its result is shown over the current page. */
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
  // Going to another page dismisses the notice.
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation dismisses the notice
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
