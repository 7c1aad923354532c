// Button that opens a small panel below itself.
import { type ReactNode, useEffect, useRef } from 'react';
import { Icon } from './icons.js';

interface MenuProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** Closes on Escape, and when the focus or a click goes elsewhere. */
export function Menu({ label, children }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  const summary = useRef<HTMLElement>(null);
  const close = (): void => {
    if (menu.current) menu.current.open = false;
  };
  useEffect(() => {
    const press = ({ target }: Event): void => {
      if (menu.current && target instanceof Node && !menu.current.contains(target)) {
        menu.current.open = false;
      }
    };
    addEventListener('pointerdown', press);
    return () => removeEventListener('pointerdown', press);
  }, []);
  return (
    <details
      ref={menu}
      className="menu"
      onBlur={({ relatedTarget }) => {
        if (relatedTarget && !menu.current?.contains(relatedTarget)) close();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !menu.current?.open) return;
        event.preventDefault();
        close();
        summary.current?.focus();
      }}
    >
      <summary ref={summary} className="plain">
        {label} <Icon name="down" />
      </summary>
      <div className="menu-panel">{children}</div>
    </details>
  );
}
