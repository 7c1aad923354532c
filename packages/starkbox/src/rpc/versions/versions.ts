// Versions of the specification that are served beside the newest, and what a dispatcher of one of them needs.
import type { JsonText } from '../../json/json.js';
import { discoveryOnce } from '../discover.js';
import type { HandlerLookup } from '../protocol/call-context.js';
import { type Documents, readDocuments } from '../protocol/documents.js';
import { MethodIndex } from '../protocol/method-table.js';
import { PRECOMPILED } from '../protocol/precompiled.js';
import { type ParamsReader, Schema } from '../protocol/schema.js';
import { AdaptedMethods } from './adapt.js';
import type { Version } from './difference.js';
import { documentsOf, messagesOf } from './documents.js';
import { V0_8 } from './v0_8.js';
import { V0_9 } from './v0_9.js';

/** The newest version in paths. */
export const NEWEST = 'v0_10';

/** Newest first: each is described by its differences from the one before, the first from {@link NEWEST}. */
const OLDER: readonly Version[] = [V0_9, V0_8];

/** Names of the older versions in paths. */
const OLDER_NAMES: readonly string[] = OLDER.map(({ name }) => name);

/** Paths of single versions, the newest last. */
export const VERSION_PATHS: readonly string[] = [...OLDER_NAMES.toReversed(), NEWEST].map(
  (name) => `/rpc/${name}`,
);

/** Names of all versions in paths. */
export const VERSION_NAMES: readonly string[] = [NEWEST, ...OLDER_NAMES];

/** The documents by which a version checks its parameters. */
export function documentsFor(name: string): Documents {
  return name === NEWEST ? readDocuments() : documentsOf(stepsTo(name));
}

/** A version and those between it and the newest, newest first. */
function stepsTo(name: string): readonly Version[] {
  return OLDER.slice(0, OLDER_NAMES.indexOf(name) + 1);
}

/** The name of the older version that is served at a path; undefined where the newest is. */
export function olderAt(path: string): string | undefined {
  return OLDER_NAMES.find((name) => path.endsWith(`/${name}`));
}

/** An older version over the newest; chains of a node share one. */
export class OlderVersion {
  readonly schema: Pick<Schema, 'reader'>;
  readonly index: MethodIndex;
  readonly #methods: AdaptedMethods;
  readonly #discover: () => JsonText;

  /** @param newest names and readers of the newest version, which other methods share */
  constructor(
    name: string,
    newest: { readonly names: readonly string[]; readonly schema: Schema },
    { restricted, version }: { restricted: readonly string[] | undefined; version: string },
  ) {
    const steps = stepsTo(name);
    let loaded: Documents | undefined;
    const documents = (): Documents => {
      loaded ??= documentsFor(name);
      return loaded;
    };
    this.#methods = new AdaptedMethods(newest.names, steps, (method) =>
      messagesOf(documents(), method),
    );
    const { names, renamed } = this.#methods;
    const discovered = discoveryOnce(documents, version);
    this.#discover = () => discovered(names);
    this.index = new MethodIndex(names, restricted, renamed);
    this.schema = new VersionSchema(newest.schema, new Schema(documents, PRECOMPILED[name]));
  }

  /** Handlers for one chain, over its handlers of the newest version. */
  handlersOver(newest: HandlerLookup): HandlerLookup {
    const adapted = this.#methods.handlersOver(newest);
    return (name) => (name === 'rpc.discover' ? this.#discover : adapted(name));
  }
}

/** Readers of the standard methods in one version, and of all others. */
class VersionSchema {
  readonly #newest: Schema;
  readonly #own: Schema;
  #isLoaded = false;

  constructor(newest: Schema, older: Schema) {
    this.#newest = newest;
    this.#own = older;
  }

  /** As in {@link Schema}: a promise until everything is loaded, the same for every method. */
  reader(method: string): ParamsReader | Promise<ParamsReader> {
    const schema = method.startsWith('starknet_') ? this.#own : this.#newest;
    if (this.#isLoaded) return schema.reader(method);
    return Promise.all([this.#own.warm(), this.#newest.warm()]).then(() => {
      this.#isLoaded = true;
      return schema.reader(method);
    });
  }
}
