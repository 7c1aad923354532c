// OpenRPC documents of this package, and what they say about parameters.
import { readdirSync, readFileSync } from 'node:fs';
import { PACKAGE_FOLDER } from '../../files/package-folder.js';
import { parse } from '../../json/json.js';

/** OpenRPC documents by the names of their files, which `$ref`s between them use. */
export type Documents = ReadonlyMap<string, unknown>;

/** The parameters of a method as their document has them. */
export interface Declared {
  readonly file: string;
  readonly params: readonly unknown[];
}

export interface Parameter {
  readonly name: string;
  readonly required: boolean;
}

/** The documents that this package ships. */
export function readDocuments(): Documents {
  const folder = new URL('spec/', PACKAGE_FOLDER);
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return new Map(files.map((file) => [file, parse(readFileSync(new URL(file, folder), 'utf8'))]));
}

/** All methods of some documents by their names. */
export function declaredIn(documents: Documents): ReadonlyMap<string, Declared> {
  return new Map(
    [...documents].flatMap(([file, document]) =>
      listAt(document, 'methods').map((method) => [
        String(at(method, 'name')),
        { file, params: listAt(method, 'params') },
      ]),
    ),
  );
}

export function parametersOf(declared: Declared | undefined): readonly Parameter[] {
  const params = declared?.params ?? [];
  return params.map((param) => ({
    name: String(at(param, 'name')),
    required: at(param, 'required') === true,
  }));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

export function at(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function listAt(value: unknown, key: string): readonly unknown[] {
  return toList(at(value, key));
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
