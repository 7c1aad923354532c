// Versions of the specification that are served beside the newest, and what a dispatcher of one of them needs.
import { JsonText } from '../../json/json.js';
import { discovery } from '../discover.js';
import type { HandlerTable } from '../protocol/call-context.js';
import { type Documents, type ParamsReader, Schema } from '../protocol/schema.js';
import { type AdaptedMethods, adapt } from './adapt.js';
import type { Version } from './difference.js';
import { documentsOf, messagesOf } from './documents.js';
import { V0_8 } from './v0_8.js';
import { V0_9 } from './v0_9.js';

/** The newest version in paths. */
export const NEWEST = 'v0_10';

/** Newest first: each is described by its differences from the one before, the first from {@link NEWEST}. */
const OLDER: readonly Version[] = [V0_9, V0_8];

/** Names of the older versions in paths. */
export const OLDER_NAMES: readonly string[] = OLDER.map(({ name }) => name);

export interface OlderVersion extends AdaptedMethods {
  readonly schema: Pick<Schema, 'reader'>;
}

/**
 * An older version over the handlers of the newest.
 *
 * @param newest the readers of methods that all versions share
 * @param version of this package
 */
export function openVersion(
  name: string,
  handlers: HandlerTable,
  newest: Schema,
  version: string,
): OlderVersion {
  const steps = OLDER.slice(0, OLDER_NAMES.indexOf(name) + 1);
  let loaded: Documents | undefined;
  const documents = (): Documents => {
    loaded ??= documentsOf(steps);
    return loaded;
  };
  const adapted = adapt(handlers, steps, (method) => messagesOf(documents(), method));
  const names = new Set(Object.keys(adapted.handlers));
  let discovered: JsonText | undefined;
  const discover = (): JsonText => {
    discovered ??= new JsonText(discovery(documents(), names, version));
    return discovered;
  };
  return {
    handlers: { ...adapted.handlers, 'rpc.discover': discover },
    renamed: adapted.renamed,
    schema: new VersionSchema(newest, new Schema(documents)),
  };
}

/** Readers of the standard methods in one version, and of all others. */
class VersionSchema {
  readonly #newest: Schema;
  readonly #own: Schema;
  #isLoaded = false;

  constructor(newest: Schema, own: Schema) {
    this.#newest = newest;
    this.#own = own;
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
