// Files in browsers: there are none, except for those that packages bring with them.
import { EMBEDDED } from './embedded.js';

/** What a caller gets that opens a file. */
class NoFiles extends Error {
  readonly code = 'ENOENT';

  constructor() {
    super('a browser has no files: pass the content instead');
  }
}

function refuse(): never {
  throw new NoFiles();
}

async function reject(): Promise<never> {
  throw new NoFiles();
}

const DOCUMENT = /\/documents\/(?<name>.*)$/;

/** Reads an OpenRPC document. */
export function readFileSync(location: unknown): string {
  const name = DOCUMENT.exec(String(location))?.groups?.['name'] ?? '';
  return EMBEDDED[name] ?? refuse();
}

/** Lists the OpenRPC documents. */
export function readdirSync(): readonly string[] {
  return Object.keys(EMBEDDED).filter((name) => !name.includes('/'));
}

/** Of a file that does not exist. */
export function statSync(): undefined {
  return undefined;
}

export function existsSync(): boolean {
  return false;
}

export {
  refuse as accessSync,
  refuse as closeSync,
  refuse as fstatSync,
  refuse as ftruncateSync,
  refuse as lstatSync,
  refuse as mkdirSync,
  refuse as openSync,
  refuse as readSync,
  refuse as realpathSync,
  refuse as renameSync,
  refuse as rmSync,
  refuse as writeFileSync,
  refuse as writeSync,
  reject as access,
  reject as appendFile,
  reject as mkdir,
  reject as open,
  reject as readFile,
  reject as realpath,
  reject as rename,
  reject as rm,
};

/** Flags of `open`, with which no file is opened. */
export const constants = {
  O_RDONLY: 0,
  O_WRONLY: 1,
  O_RDWR: 2,
  O_CREAT: 64,
  O_TRUNC: 512,
  R_OK: 4,
  W_OK: 2,
} as const;

// Paths, as far as names of source files need them.

export const sep = '/';

export function isAbsolute(path: string): boolean {
  return path.startsWith('/');
}

export function join(...parts: readonly string[]): string {
  const whole = parts.filter((part) => part !== '').join('/');
  const root = isAbsolute(whole) ? '/' : '';
  const steps: string[] = [];
  for (const step of whole.split('/')) {
    if (step === '..' && steps.length > 0 && steps.at(-1) !== '..') steps.pop();
    else if (step === '..' && root !== '') continue;
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return `${root}${steps.join('/')}` || '.';
}

export function resolve(...parts: readonly string[]): string {
  return join('/', ...parts);
}

export function dirname(path: string): string {
  return join(path, '..');
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export const win32: object = { isAbsolute };

export function fileURLToPath(url: URL): string {
  return url.pathname;
}
