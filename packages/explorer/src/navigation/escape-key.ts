// Escape handler of panels and forms.
import { useEffect, useRef } from 'react';

/** While `isActive`, Escape only does this; an open dialog comes first. */
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
