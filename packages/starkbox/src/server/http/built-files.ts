// Files of a build, read in the smallest encoding that a client accepts.
import { readFile } from 'node:fs/promises';
import { codeOf } from '../../errors.js';

export interface BuiltFile {
  readonly body: Buffer;
  /** What the encoding adds to the headers of the reply. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Encodings in which a file may be present, the smallest first. */
const PACKED = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/**
 * The file in one of its encodings; undefined if there is none.
 *
 * @param accepted the header Accept-Encoding
 */
export async function readBuilt(path: string, accepted: string): Promise<BuiltFile | undefined> {
  const headers = { vary: 'accept-encoding' };
  for (const [encoding, extension] of PACKED) {
    const body = accepts(accepted, encoding) ? await contentOf(path + extension) : undefined;
    if (body) return { body, headers: { ...headers, 'content-encoding': encoding } };
  }
  const body = await contentOf(path);
  return body && { body, headers };
}

/** The content of a file; undefined if there is none. */
async function contentOf(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch((error: unknown) => {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'ENAMETOOLONG') {
      return undefined;
    }
    throw error;
  });
}

/** Whether a client accepts an encoding. */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((coding) => {
    const [name = '', ...parameters] = coding.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
