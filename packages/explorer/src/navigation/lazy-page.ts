// Knows how a page is fetched when it is wanted, and shown in the same breath once it is there.
import { type ComponentType, createElement, useEffect, useState } from 'react';

export interface Loaded<Props> {
  readonly Page: ComponentType<Props>;
  /** Fetches it before it is wanted. */
  readonly load: () => Promise<unknown>;
}

/** `lazy` and `Suspense` hold back what has arrived until 300 ms have passed since they first showed nothing. */
export function loaded<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): Loaded<Props> {
  let ready: ComponentType<Props> | undefined;
  const keep = async (): Promise<void> => {
    ready ??= await load();
  };
  function Page(props: Props) {
    const [problem, setProblem] = useState<unknown>();
    const [, setReady] = useState(ready !== undefined);
    useEffect(() => {
      keep().then(() => setReady(true), setProblem);
    }, []);
    if (problem !== undefined) throw problem;
    return ready === undefined ? null : createElement(ready, props);
  }
  return { Page, load: keep };
}
