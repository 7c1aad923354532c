// The name of a contract, from its artifact.
import { ARTIFACT } from './artifact.js';
import type { DebugInfo } from './debug-info.js';

/** The compiler writes a function with this name for each entry point, into the module of the contract. */
const WRAPPER = '::__wrapper__';

/** From the module of the entry points. */
export function contractIn({ functions }: Pick<DebugInfo, 'functions'>): string | undefined {
  for (const [, name] of functions) {
    const end = name.indexOf(WRAPPER);
    if (end > 0) return lastOf(name.slice(0, end));
  }
  return undefined;
}

function lastOf(path: string): string | undefined {
  return path.slice(path.lastIndexOf(':') + 1) || undefined;
}

/** Scarb names artifacts `package_Contract.contract_class.json`; by custom only contracts have capitals. */
export function contractOfFile(file: string): string | undefined {
  const [base = ''] = file.split(/[\\/]/).slice(-1);
  const stem = base.replace(ARTIFACT, '');
  return /(?:^|_)([A-Z].*)$/.exec(stem)?.[1] ?? (stem || undefined);
}
