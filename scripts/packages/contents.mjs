// What the published packages may contain: their files, and the licences of the code by others.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../cargo.mjs';

const ALWAYS = ['package.json', 'README.md', 'LICENSE'];

/**
 * Patterns of the files of each package. A file that fits none would be published by mistake, and a pattern that fits
 * no file stands for one that is missing.
 *
 * @type {Readonly<Record<string, readonly RegExp[]>>}
 */
const FILES = {
  starkbox: [
    /^bin\/starkbox\.(js|d\.ts)$/,
    /^dist\/.+\.d\.ts$/,
    /^dist\/bundle\/[\w.-]+\.c?js$/,
    /^dist\/(bundle|mcp|debug-adapter)\/THIRD-PARTY-NOTICES\.txt$/,
    /^dist\/documents\/[\w./-]+\.json$/,
    /^dist\/explorer\/index\.html(\.(br|gz))?$/,
    /^dist\/explorer\/(assets\/)?[\w.-]+\.(js|css|svg|json)(\.(br|gz))?$/,
    /^dist\/explorer\/assets\/geist[\w.-]*\.(woff2|txt)$/,
    /^dist\/(debug-adapter|mcp)\/serve\.js$/,
    /^dist\/mcp\/.+\.md$/,
    /^dist\/init\/(code\/\w+\.js|template\/[\w./-]+)$/,
    /^dist\/wallet\/[\w./-]+$/,
    /^dist\/web\/index\.js$/,
    /^man\/starkbox\.1$/,
  ],
  '@starkbox/abi': [/^dist\/.+\.(js|d\.ts)$/],
  '@starkbox/argent-classes': [
    /^index\.(js|d\.ts)$/,
    /^classes\/argent(-multisig)?\.class$/,
    /^classes\/(index\.json|NOTICE\.md|LICENSE-[\w-]+)$/,
  ],
  '@starkbox/debugger': [/^dist\/.+\.(js|d\.ts)$/],
  '@starkbox/engine': [
    /^dist\/.+\.(js|d\.ts)$/,
    /^binding\.d\.ts$/,
    /^classes\/(account|eth|strk|udc)(-cairo0)?\.class$/,
    /^classes\/(index\.json|NOTICE\.md|LICENSE-[\w-]+)$/,
  ],
  '@starkbox/engine-wasm': [
    /^engine\.wasm$/,
    /^THIRD-PARTY-NOTICES\.txt$/,
    /^dist\/.+\.d\.ts$/,
    /^dist\/bundle\/(browser\.js|node(-compiler)?\.cjs)$/,
    /^dist\/worker\/worker\.js$/,
    /^dist\/(bundle|worker)\/THIRD-PARTY-NOTICES\.txt$/,
  ],
  '@starkbox/signing': [/^dist\/.+\.(js|d\.ts)$/],
  '@starkbox/starknet-devnet': [/^bin\/starknet-devnet\.js$/],
  '@starkbox/testing': [/^dist\/.+\.(js|d\.ts)$/, /^jest\/jest\.(js|d\.ts)$/],
  '@starkbox/wallet': [/^dist\/.+\.(js|d\.ts)$/],
  'create-starkbox': [
    /^bin\/create-starkbox\.js$/,
    /^dist\/.+\.(js|d\.ts)$/,
    /^template\/(base|node|vitest)\/[\w./-]+$/,
  ],
};

/** The same of the engine for a platform. */
const PLATFORM_FILES = [
  /^starkbox-engine\.[\w-]+\.node$/,
  /^starkbox-compiler(\.exe)?$/,
  /^THIRD-PARTY-NOTICES\.txt$/,
];

/**
 * @param {string} name of a package
 * @param {readonly string[]} files that npm packs, relative
 * @returns {string[]} what is wrong
 */
export function wrongFiles(name, files) {
  const patterns = FILES[name] ?? (name.startsWith('@starkbox/engine-') ? PLATFORM_FILES : []);
  const others = files.filter((file) => !ALWAYS.includes(file));
  return [
    ...ALWAYS.filter((file) => !files.includes(file)).map((file) => `${name} has no ${file}`),
    ...others
      .filter((file) => !patterns.some((pattern) => pattern.test(file)))
      .map(
        (file) =>
          `${name} would publish ${file}, which scripts/packages/contents.mjs does not list`,
      ),
    ...patterns
      .filter((pattern) => !others.some((file) => pattern.test(file)))
      .map((pattern) => `${name} has no file like ${pattern.source}`),
  ];
}

/** Packages with code of other terms, which they are under themselves. */
const OWN_TERMS = new Map([['@starkbox/argent-classes', 'GPL-3.0-only']]);

/** @returns {Set<string>} licences that code by others may have, from the list that holds for crates */
function allowedLicences() {
  const list = readFileSync(join(ROOT, 'deny.toml'), 'utf8').match(/^allow = \[(.+?)^\]/ms)?.[1];
  return new Set([...(list ?? '').matchAll(/"(.+?)"/g)].map(([, name = '']) => name));
}

/**
 * Whether one of the choices of a licence is allowed: alternatives with OR between them, each a list with AND.
 *
 * @param {string} expression of SPDX, at most with parentheses around alternatives
 * @param {ReadonlySet<string>} allowed
 */
function isAllowed(expression, allowed) {
  const bare = (/** @type {string} */ text) => text.replace(/[()]/g, '').replace(/\+$/, '').trim();
  if (allowed.has(bare(expression))) return true;
  const parts = expression.split(/ AND (?![^(]*\))/);
  return parts.every((part) => part.split(' OR ').some((choice) => allowed.has(bare(choice))));
}

/**
 * Throws if a package contains code of others under terms that it may not have.
 *
 * @param {string} name of the package
 * @param {readonly import('../bundle/third-party.mjs').Part[]} parts of others in it
 */
export function checkLicences(name, parts) {
  const allowed = allowedLicences().add(OWN_TERMS.get(name) ?? 'MIT');
  const wrong = parts.filter(({ licence }) => !isAllowed(licence, allowed));
  if (wrong.length === 0) return;
  const list = wrong.map(({ name: part, version, licence }) => `${part} ${version} (${licence})`);
  throw new Error(
    `${name} contains code under licences that deny.toml does not allow: ${list.join(', ')}`,
  );
}

/**
 * @param {string} text of a program
 * @returns {string[]} sources in it that are named by where they were on the machine that compiled it
 */
export function pathsOfBuilder(text) {
  return text.match(/(?:\/(?:home|root|Users)\/|[A-Z]:\\)[\w.+/\\-]+?\.rs\b/g) ?? [];
}
