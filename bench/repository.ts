// Places of the repository. Benches are compiled into another folder, so they are found by the package.
import { fileURLToPath } from 'node:url';

const ENTRY = import.meta.resolve('starkbox/command');

export const COMMAND: string = fileURLToPath(ENTRY);
export const ROOT: URL = new URL('../../../', ENTRY);
export const CONTRACTS: URL = new URL('contracts/', ROOT);
