// OpenRPC documents, and what they say about parameters.

import { readdirSync, readFileSync } from 'node:fs';
import { listOf, memberOf } from '@starkbox/abi/basics';
import { DOCUMENTS } from '@starkbox/spec/documents';
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
  const files = readdirSync(DOCUMENTS).filter((file) => file.endsWith('.json'));
  return new Map(
    files.map((file) => [file, parse(readFileSync(new URL(file, DOCUMENTS), 'utf8'))]),
  );
}

/** All methods of some documents by their names. */
export function declaredIn(documents: Documents): ReadonlyMap<string, Declared> {
  return new Map(
    [...documents].flatMap(([file, document]) =>
      listOf(memberOf(document, 'methods')).map((method) => [
        String(memberOf(method, 'name')),
        { file, params: listOf(memberOf(method, 'params')) },
      ]),
    ),
  );
}

export function parametersOf(declared: Declared | undefined): readonly Parameter[] {
  const params = declared?.params ?? [];
  return params.map((param) => ({
    name: String(memberOf(param, 'name')),
    required: memberOf(param, 'required') === true,
  }));
}

/** The part of the documents that a `$ref` in one of their files names, and the file that it is in. */
export function referred(
  documents: Documents,
  ref: string,
  from: string,
): { readonly target: unknown; readonly file: string } {
  const [path = '', pointer = ''] = ref.split('#');
  const file = path === '' ? from : path.replace(/^\.\//, '');
  const steps = pointer.split('/').slice(1);
  return { target: steps.reduce<unknown>(memberOf, documents.get(file)), file };
}
