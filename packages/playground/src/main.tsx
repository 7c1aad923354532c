// Entry point of the page.
import '@starkbox/explorer/styles.css';
import './playground.css';
import { applyTheme, startTheme, theme } from '@starkbox/explorer';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { openLink, perform, start } from './playground.js';

/** The theme that a reader selected on the pages of the documentation. */
const DOCUMENTATION_THEME = 'vitepress-theme-appearance';

const documented = localStorage.getItem(DOCUMENTATION_THEME);
if (theme() === 'auto' && (documented === 'light' || documented === 'dark')) applyTheme(documented);
startTheme();

const root = document.getElementById('app');
if (root) createRoot(root).render(<App />);
perform(start);
addEventListener('hashchange', () => perform(openLink));
