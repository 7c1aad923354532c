// OpenRPC documents of packages/spec, with their types.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../cargo.mjs';

const FOLDER = join(ROOT, 'packages/spec/documents');

/**
 * @typedef {{
 *   $ref?: string, type?: string, enum?: readonly unknown[], description?: string,
 *   oneOf?: readonly Schema[], anyOf?: readonly Schema[], allOf?: readonly Schema[],
 *   items?: Schema, properties?: Record<string, Schema>, required?: readonly string[],
 *   additionalProperties?: Schema | boolean,
 *   'x-exact'?: boolean, 'x-always'?: readonly string[],
 * }} Schema
 * @typedef {{ name: string, required: boolean, description?: string, schema: Schema }} Param
 * @typedef {{
 *   name: string, summary: string, description?: string, params: readonly Param[],
 *   result?: { description?: string, schema: Schema },
 *   errors?: readonly { $ref: string }[], 'x-writes'?: boolean,
 * }} Method
 * @typedef {{ code: number, message: string, data?: Schema }} RpcError
 * @typedef {{
 *   info: { version: string }, methods: readonly Method[],
 *   components: { schemas: Record<string, Schema>, errors: Record<string, RpcError> },
 * }} Document
 */

/** @returns {ReadonlyMap<string, Document>} by the names of their files, without `.json` */
export function readDocuments() {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return new Map(
    files
      .sort()
      .map((file) => [
        basename(file, '.json'),
        JSON.parse(readFileSync(join(FOLDER, file), 'utf8')),
      ]),
  );
}
