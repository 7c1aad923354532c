// Server of the wallet's script.
import { isIP } from 'node:net';
import { fileURLToPath } from 'node:url';
import { PACKAGE_FOLDER } from '../../files/package-folder.js';
import { readBuilt } from './built-files.js';
import type { Reply } from './reply.js';

export const WALLET_PATH = '/wallet.js';

/** Where the build puts it; the same path from `src` and from `dist`. */
const FILE = fileURLToPath(new URL('dist/wallet/wallet.js', PACKAGE_FOLDER));

export class WalletScript {
  readonly #file: string;

  constructor(file: string = FILE) {
    this.#file = file;
  }

  /** @param accepted the header Accept-Encoding */
  async serve(accepted: string): Promise<Reply> {
    const built = await readBuilt(this.#file, accepted);
    return built
      ? { status: 200, headers: { ...HEADERS, ...built.headers }, body: built.body }
      : NOT_BUILT;
  }
}

const HEADERS = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'no-cache',
  // Pages of any port of this machine include it, also those that require this header.
  'cross-origin-resource-policy': 'cross-origin',
};

const NOT_BUILT: Reply = {
  status: 503,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'The wallet was not built into this installation. In the repository, `npm run build:wallet` builds it.\n',
};

/** Whether a connection comes from this machine. */
export function isLocalPeer(address: string | undefined): boolean {
  const bare = address?.replace(/^::ffff:/i, '') ?? '';
  return bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}
