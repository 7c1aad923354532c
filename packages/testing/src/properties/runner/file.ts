// Files of invariants: their default export, with a branch of the fixture.

import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { propertyOf } from '@starkbox/abi/basics';
import type { DefinedInvariants, SearchOptions } from '../model/options.js';
import { Session } from './session.js';
import { checkOptions } from './settings.js';
import type { OpenedFile } from './workers.js';

/** @throws Error if the file cannot be loaded, or its default export is something else */
export async function openFile(
  url: string,
  overrides: SearchOptions,
): Promise<{
  readonly session: Session;
  readonly facts: OpenedFile;
  readonly close: () => Promise<void>;
}> {
  const { fixture, options: optionsOf } = await definedIn(url);
  const { chain, data } = await fixture.branch();
  try {
    const options = { ...(await optionsOf(data, chain)), ...overrides };
    checkOptions(options);
    const session = await Session.open(chain, options, data);
    const { contracts: _c, actors: _a, actions: _s, invariants: _i, ...search } = options;
    return {
      session,
      facts: { seen: session.seen, options: search },
      close: async () => {
        await chain.close();
        await fixture.close();
      },
    };
  } catch (error) {
    await chain.close();
    throw error;
  }
}

async function definedIn(url: string): Promise<DefinedInvariants> {
  const module = await loadModule(url);
  // A CommonJS module has its exports as the default.
  const exported = propertyOf(module, 'default');
  const defined = isDefined(exported) ? exported : propertyOf(exported, 'default');
  if (isDefined(defined)) return defined;
  throw new TypeError(
    `${fileURLToPath(url)} must export invariants as its default: export default defineInvariants(fixture, (data) => ({ … }))`,
  );
}

function isDefined(value: unknown): value is DefinedInvariants {
  const branch = propertyOf(propertyOf(value, 'fixture'), 'branch');
  return typeof branch === 'function' && typeof propertyOf(value, 'options') === 'function';
}

const TYPESCRIPT = /\.[cm]?ts$/;

/** @throws Error if it is TypeScript, and neither Node nor the project can load it */
async function loadModule(url: string): Promise<unknown> {
  if (TYPESCRIPT.test(url) && !stripsTypes()) await registerTsx(url);
  return import(url);
}

/** From Node 22.18 on. */
function stripsTypes(): boolean {
  return Boolean(propertyOf(process.features, 'typescript'));
}

async function registerTsx(url: string): Promise<void> {
  let api: string;
  try {
    api = createRequire(url).resolve('tsx/esm/api');
  } catch {
    throw new Error(
      `Node ${process.versions.node} does not load TypeScript (${fileURLToPath(url)}): use Node 22.18 or newer, install tsx in the project (npm install --save-dev tsx), or write the file in JavaScript`,
    );
  }
  const { register }: { register(): void } = await import(pathToFileURL(api).href);
  register();
}
