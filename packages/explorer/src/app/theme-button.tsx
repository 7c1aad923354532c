// The button that changes the theme.
import { useState } from 'react';
import { Icon } from '../parts/icons.js';
import { applyTheme, nextTheme, theme as readTheme, type Theme } from './theme.js';

export function ThemeButton({ className }: { readonly className: string }) {
  const [theme, setTheme] = useState<Theme>(readTheme);
  return (
    <button
      type="button"
      className={className}
      aria-label={`Theme: ${theme}`}
      title={`Theme: ${theme}`}
      onClick={() => {
        const next = nextTheme(theme);
        applyTheme(next);
        setTheme(next);
      }}
    >
      <Icon name={theme} />
    </button>
  );
}
