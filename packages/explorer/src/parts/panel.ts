// State of a small panel below a button: open or closed, inside of the window, with the focus in it.
import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';

/** Least distance to the edge of the window, in pixels. */
const MARGIN = 8;
const FOCUSABLE = 'input, select, textarea, button, a[href], [tabindex="0"]';

interface Panel {
  readonly isOpen: boolean;
  readonly open: () => void;
  readonly close: () => void;
  /** Around button and panel. */
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly panel: RefObject<HTMLFieldSetElement | null>;
  readonly handlers: {
    readonly onBlur: (event: FocusEvent) => void;
    readonly onKeyDown: (event: KeyboardEvent) => void;
  };
}

/** @param button takes the focus back on Escape */
export function usePanel(button: RefObject<HTMLElement | null>): Panel {
  const [isOpen, setOpen] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLFieldSetElement>(null);
  const close = useCallback(() => setOpen(false), []);
  useLayoutEffect(() => {
    if (!isOpen || !panel.current) return;
    const { right } = panel.current.getBoundingClientRect();
    const excess = right + MARGIN - document.documentElement.clientWidth;
    if (excess > 0) panel.current.style.translate = `${-excess}px 0`;
    panel.current.querySelector<HTMLElement>(FOCUSABLE)?.focus();
  }, [isOpen]);
  useEffect(() => {
    if (!isOpen) return;
    const press = ({ target }: Event): void => {
      if (target instanceof Node && !frame.current?.contains(target)) setOpen(false);
    };
    addEventListener('pointerdown', press);
    return () => removeEventListener('pointerdown', press);
  }, [isOpen]);
  return {
    isOpen,
    open: () => setOpen(true),
    close,
    frame,
    panel,
    handlers: {
      onBlur: ({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !frame.current?.contains(relatedTarget)) close();
      },
      onKeyDown: (event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.preventDefault();
        event.stopPropagation();
        close();
        button.current?.focus();
      },
    },
  };
}
