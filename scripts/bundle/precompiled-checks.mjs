// Source code of the checks of parameters, for the bundle: with it, a node needs neither ajv nor the documents to
// accept a call.
import { createRequire } from 'node:module';

/** @type {typeof import('ajv/dist/standalone/index.js')} */
const { default: standaloneCode } = createRequire(import.meta.url)('ajv/dist/standalone/index.js');

/**
 * @typedef {object} Parts of the package, built or not
 * @property {typeof import('../../packages/starkbox/dist/rpc/protocol/documents.js').declaredIn} declaredIn
 * @property {typeof import('../../packages/starkbox/dist/rpc/protocol/documents.js').parametersOf} parametersOf
 * @property {typeof import('../../packages/starkbox/dist/rpc/protocol/schema-compiler.js').Compiler} Compiler
 */

/**
 * The code of `CHECKS`, the entries of a map from the names of methods to what is known of each. It uses the functions
 * `toCanonical`, `toClosedCheck` and `toExactCheck` of the compiler.
 *
 * @param {Parts} parts
 * @param {import('../../packages/starkbox/dist/rpc/protocol/documents.js').Documents} documents
 * @returns {string}
 */
export function checksCode({ declaredIn, parametersOf, Compiler }, documents) {
  const compiler = new Compiler(documents, {
    verbose: false,
    messages: false,
    code: { source: true, esm: true, lines: true },
  });
  /** @type {Record<string, string>} */
  const names = {};
  const entries = [...declaredIn(documents)].map(([method, declared]) => {
    const parameters = JSON.stringify(parametersOf(declared));
    if (declared.params.length === 0) return `  ['${method}', { parameters: ${parameters} }],`;
    const name = `accepts_${method.replace(/\W/g, '_')}`;
    compiler.ajv.addSchema(compiler.schemaOf(declared), name);
    names[name] = name;
    return `  ['${method}', { parameters: ${parameters}, accepts: ${name} }],`;
  });
  // Only their number matters, because another compiler explains refusals; they are half of the code.
  const functions = standaloneCode(compiler.ajv, names)
    .replaceAll(/^export const/gm, 'const')
    .replaceAll(/^const (err\d+) = \{instancePath.*\};$/gm, 'const $1 = 0;')
    .replaceAll(/^(validate\d+)\.errors = \[\{instancePath.*\}\];$/gm, '$1.errors = [0];');
  return `${functions}\nconst CHECKS = [\n${entries.join('\n')}\n];\n`;
}
