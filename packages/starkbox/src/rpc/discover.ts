// The OpenRPC document of everything that a node answers.
import { isObject, listOf } from '@starkbox/abi/basics';
import { aliasOf } from '@starkbox/spec';
import { JsonText, stringify } from '../json/json.js';
import type { Documents } from './protocol/documents.js';

/** One OpenRPC document of the methods that are served, with their aliases. */
export function discovery(
  documents: Documents,
  served: ReadonlySet<string>,
  version: string,
): string {
  const methods: unknown[] = [];
  const components: Record<string, Record<string, unknown>> = {};
  for (const document of documents.values()) {
    if (!isObject(document)) continue;
    for (const method of listOf(document['methods'])) {
      if (isObject(method) && served.has(String(method['name']))) methods.push(withAliases(method));
    }
    if (!isObject(document['components'])) continue;
    for (const [kind, parts] of Object.entries(document['components'])) {
      if (isObject(parts)) components[kind] = { ...components[kind], ...parts };
    }
  }
  const info = { title: 'Starkbox', version };
  return stringify(inOneDocument({ openrpc: '1.3.2', info, methods, components }));
}

/** References between files become references inside of the one document. */
function inOneDocument(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneDocument);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === '$ref' && typeof part === 'string'
        ? part.slice(part.indexOf('#'))
        : inOneDocument(part),
    ]),
  );
}

/** Facts about a method that concern the node alone. */
function isInternal(key: string): boolean {
  return key.startsWith('x-') && key !== 'x-writes';
}

function withAliases(method: Readonly<Record<string, unknown>>): unknown {
  const name = String(method['name']);
  const alias = aliasOf(name);
  const publicMembers = Object.fromEntries(
    Object.entries(method).filter(([key]) => !isInternal(key)),
  );
  return alias === undefined ? publicMembers : { ...publicMembers, 'x-alias': alias };
}

/** The document of a node, created when it is first asked for, because that takes long. */
export function discoveryOnce(
  documents: () => Documents,
  version: string,
): (methods: readonly string[]) => JsonText {
  let discovered: JsonText | undefined;
  return (methods) => {
    discovered ??= new JsonText(discovery(documents(), new Set(methods), version));
    return discovered;
  };
}
