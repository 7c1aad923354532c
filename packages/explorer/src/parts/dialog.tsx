// Modal dialog.
import { type ReactNode, useEffect, useRef } from 'react';

interface SheetProps {
  readonly label: string;
  readonly close: () => void;
  readonly children: ReactNode;
  readonly className?: string;
}

/** A dialog that is open while it is rendered. */
export function Sheet({ label, close, children, className = 'sheet' }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a dialog closes by Escape without our help
    <dialog
      ref={dialog}
      className={className}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      {children}
    </dialog>
  );
}
