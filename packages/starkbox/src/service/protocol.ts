// Methods of a node in all versions of the specification: schemas, names and which are forbidden.

import { canonicalName } from '@starkbox/spec';
import type { JsonText } from '../json/json.js';
import { discoveryOnce } from '../rpc/discover.js';
import { MethodGroups, type Served } from '../rpc/methods/table.js';
import type { Handler, HandlerLookup } from '../rpc/protocol/call-context.js';
import { readDocuments } from '../rpc/protocol/documents.js';
import { MethodIndex } from '../rpc/protocol/method-table.js';
import { PRECOMPILED } from '../rpc/protocol/precompiled.js';
import { Schema } from '../rpc/protocol/schema.js';
import { NEWEST, OlderVersion } from '../rpc/versions/versions.js';

/** What the dispatchers of all chains of a node share. */
export class Protocol {
  readonly schema: Schema = new Schema(readDocuments, PRECOMPILED[NEWEST]);
  readonly #restricted: readonly string[] | undefined;
  readonly #version: string;
  readonly #older = new Map<string, OlderVersion>();
  readonly #discover: (methods: readonly string[]) => JsonText;
  #groups: MethodGroups | undefined;
  #index: MethodIndex | undefined;

  /**
   * @param restricted forbidden methods, by any of their names
   * @param version of this package
   */
  constructor(restricted: readonly string[] | undefined, version: string) {
    this.#restricted = restricted;
    this.#version = version;
    this.#discover = discoveryOnce(readDocuments, version);
  }

  /** Handlers of a chain, each created when it is first needed. */
  handlersOf(served: Served, wrap: (name: string, handler: Handler) => Handler): HandlerLookup {
    this.#groups ??= new MethodGroups(served);
    return this.#groups.handlersOf(served, wrap);
  }

  /** Names of the methods in the documents. */
  get names(): readonly string[] {
    if (!this.#groups) throw new Error('the handlers of the first chain come before the names');
    return this.#groups.names;
  }

  get index(): MethodIndex {
    this.#index ??= new MethodIndex(this.names, this.#restricted);
    return this.#index;
  }

  /** @param method its canonical name */
  isRestricted(method: string): boolean {
    return this.#restricted?.some((name) => canonicalName(name) === method) ?? false;
  }

  /** An older version of the specification; created when it is first used. */
  older(name: string): OlderVersion {
    const { schema, names } = this;
    const facts = { restricted: this.#restricted, version: this.#version };
    const version = this.#older.get(name) ?? new OlderVersion(name, { names, schema }, facts);
    this.#older.set(name, version);
    return version;
  }

  /** The document of all methods that are served. */
  discover(): JsonText {
    return this.#discover(this.names);
  }
}
