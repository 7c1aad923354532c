// Page whose code is loaded on demand.
import { type ComponentType, createElement, useEffect, useState } from 'react';

export interface LazyPage<Props> {
  readonly Page: ComponentType<Props>;
  /** Loads the code ahead of use. */
  readonly load: () => Promise<unknown>;
}

/** Used instead of `lazy` and `Suspense`, which delay content until 300 ms after their fallback. */
export function lazyPage<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyPage<Props> {
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
