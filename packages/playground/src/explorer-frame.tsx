// The explorer in a frame, on the chain of this page; the progress of the chain before it is ready.
import { Button, EMBEDDED_READY, type ShowPage, useStore } from '@starkbox/explorer';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import type { LoadProgress, PageChain } from './chain.js';
import { serveExplorer } from './explorer-port.js';
import { perform, playground, start } from './playground.js';

/** Opens a page of the explorer. */
export type ShowInExplorer = (page: ShowPage) => void;

export function ExplorerFrame({ ref }: { readonly ref: Ref<ShowInExplorer> }) {
  const { chain } = useStore(playground);
  const frame = useRef<HTMLIFrameElement>(null);
  useImperativeHandle(
    ref,
    () => (page) => frame.current?.contentWindow?.postMessage(page, location.origin),
    [],
  );
  useServedPort(frame, chain.phase === 'ready' ? chain.page : undefined);
  if (chain.phase === 'loading') return <Progress of={chain.progress} />;
  if (chain.phase === 'failed') {
    return (
      <div className="loading" role="alert">
        <p>
          <strong>The chain did not start.</strong> {chain.message}
        </p>
        <Button onClick={() => perform(start)}>Try again</Button>
      </div>
    );
  }
  return <iframe ref={frame} title="Explorer of this chain" src="explorer/index.html" />;
}

/** Hands a port to the explorer each time that it is loaded. */
function useServedPort(
  frame: { readonly current: HTMLIFrameElement | null },
  chain: PageChain | undefined,
): void {
  useEffect(() => {
    if (!chain) return;
    let end = (): void => {};
    const receive = ({ source, data, origin }: MessageEvent<unknown>): void => {
      const page = frame.current?.contentWindow;
      if (!page || source !== page || origin !== location.origin || data !== EMBEDDED_READY) return;
      end();
      const { port1, port2 } = new MessageChannel();
      end = serveExplorer(port1, chain);
      page.postMessage('port', location.origin, [port2]);
    };
    addEventListener('message', receive);
    return () => {
      removeEventListener('message', receive);
      end();
    };
  }, [chain, frame]);
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

function Progress({ of: progress }: { readonly of: LoadProgress | undefined }) {
  const { loaded = 0, total } = progress ?? {};
  const share = total === undefined || total === 0 ? undefined : Math.min(1, loaded / total);
  return (
    <div className="loading">
      <p id="loading-words">Loading a Starknet chain into this tab</p>
      <progress
        aria-labelledby="loading-words"
        max={1}
        {...(share === undefined ? {} : { value: share })}
      />
      <p className="quiet">
        {progress === undefined
          ? ' '
          : total === undefined
            ? `${megabytes(loaded)} MB`
            : `${megabytes(loaded)} of ${megabytes(total)} MB`}
      </p>
    </div>
  );
}
