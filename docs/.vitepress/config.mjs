// Settings of the documentation site.
import { anchorOf } from '../../packages/mcp/src/docs.ts';
import { copyPlayground, sidebar, siteLink, writeTexts } from './pages.mjs';

/** @type {import('vitepress').UserConfig} */
const config = {
  title: 'Starkbox',
  description: 'A local Starknet for developers',
  cleanUrls: true,
  lastUpdated: false,
  // Pages link to the node of their reader.
  ignoreDeadLinks: 'localhostLinks',
  themeConfig: {
    // Offline: the index is part of the site.
    search: { provider: 'local' },
    nav: [
      // Another application: the browser loads its page anew.
      { text: 'Playground', link: '/playground/', target: '_self' },
      { text: 'Start', link: '/start/getting-started', activeMatch: '^/start/' },
      { text: 'Guides', link: '/guides/test-a-contract', activeMatch: '^/guides/' },
      { text: 'Features', link: '/features/forking', activeMatch: '^/features/' },
      { text: 'Operate', link: '/operate/deployment', activeMatch: '^/operate/' },
      { text: 'Reference', link: '/reference/options', activeMatch: '^/reference/' },
      { text: 'Contributors', link: '/contributing/commands', activeMatch: '^/contributing/' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: 'https://github.com/starkbox/starkbox' }],
  },
  markdown: {
    // As on GitHub, so that a link works in both places.
    anchor: { slugify: anchorOf },
    config(markdown) {
      markdown.core.ruler.push('repository links', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === 'link_open' ? token.attrGet('href') : null;
          if (href !== null) token.attrSet('href', siteLink(href, env.relativePath));
        }
        return true;
      });
    },
  },
  buildEnd({ outDir }) {
    writeTexts(outDir);
    copyPlayground(outDir);
  },
};

export default config;
