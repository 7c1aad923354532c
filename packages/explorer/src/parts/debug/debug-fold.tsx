// Debugger of a simulated transaction or a view call, folded until a person opens it.
import type { Target } from '@starkbox/debugger';
import { useState } from 'react';
import { lazyPage } from '../../navigation/lazy-page.js';

const DebugView = lazyPage(async () => (await import('./debug-view.js')).DebugView);

/** The node runs the target for it, so it opens on request. */
export function DebugFold({ target }: { readonly target: Target }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Debug</summary>
      {isOpen && <DebugView.Page target={target} isInAddress={false} />}
    </details>
  );
}
