// Light or dark theme: the system's, unless one was selected.

export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'starkbox.theme';
const system = matchMedia('(prefers-color-scheme: dark)');

export function theme(): Theme {
  const stored = localStorage.getItem(KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'auto';
}

export function nextTheme(current: Theme): Theme {
  if (current === 'auto') return 'light';
  return current === 'light' ? 'dark' : 'auto';
}

export function applyTheme(chosen: Theme): void {
  if (chosen === 'auto') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, chosen);
  show();
}

function show(): void {
  const chosen = theme();
  const isDark = chosen === 'dark' || (chosen === 'auto' && system.matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
}

export function startTheme(): void {
  show();
  system.addEventListener('change', show);
  // Another page of the same origin selected a theme.
  addEventListener('storage', show);
}
