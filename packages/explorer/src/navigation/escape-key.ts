// Knows what the Escape key closes before it means anything else on a page.
import { useEffect, useRef } from 'react';

/** While `isActive`, the key does this and nothing more; a dialog above goes first. */
export function useEscape(close: () => void, isActive = true): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    if (!isActive) return;
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', press, { capture: true });
    return () => removeEventListener('keydown', press, { capture: true });
  }, [isActive]);
}
