// Puts the compiled checks of parameters into a bundle, in place of `precompiled.ts`.
import { join } from 'node:path';
import { declaredIn, parametersOf } from '../../packages/starkbox/dist/rpc/protocol/documents.js';
import { Compiler } from '../../packages/starkbox/dist/rpc/protocol/schema-compiler.js';
import { documentsFor, VERSION_NAMES } from '../../packages/starkbox/dist/rpc/versions/versions.js';
import { ROOT } from '../cargo.mjs';
import { checksCode } from './precompiled-checks.mjs';

const PROTOCOL = join(ROOT, 'packages', 'starkbox', 'src', 'rpc', 'protocol');
const CHECKS = '\0checks-';

/** @returns {string} the module that stands for `precompiled.ts` */
function precompiledModule() {
  const versions = VERSION_NAMES.map((name) => {
    const module = JSON.stringify(CHECKS + name);
    return `  ${name}: () => import(${module}).then(({ CHECKS }) => new Map(CHECKS)),`;
  });
  return `export const PRECOMPILED = {\n${versions.join('\n')}\n};\n`;
}

/**
 * @param {string} version of the specification
 * @returns {string}
 */
function checksModule(version) {
  const keywords = JSON.stringify(join(PROTOCOL, 'schema-compiler.js'));
  const code = checksCode({ declaredIn, parametersOf, Compiler }, documentsFor(version));
  return `import { toCanonical, toClosedCheck, toExactCheck } from ${keywords};\n${code}export { CHECKS };\n`;
}

/** @type {import('rolldown').Plugin} */
export const precompiledChecks = {
  name: 'precompiled checks',
  resolveId: (id) => (id.startsWith(CHECKS) ? id : undefined),
  load(id) {
    if (id === join(PROTOCOL, 'precompiled.ts')) return precompiledModule();
    if (!id.startsWith(CHECKS)) return undefined;
    return checksModule(id.slice(CHECKS.length));
  },
};
