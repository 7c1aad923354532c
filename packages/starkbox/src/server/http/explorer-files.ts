// Server of the explorer's files, with their security headers.
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE_FOLDER } from '../../files/package-folder.js';
import { readBuilt } from './built-files.js';
import type { Reply } from './reply.js';

/** Where the build puts them; the same path from `src` and from `dist`. */
const FOLDER = fileURLToPath(new URL('dist/explorer', PACKAGE_FOLDER));

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Browser features that the explorer does not need; it only copies to the clipboard. */
const REFUSED = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'storage-access',
  'usb',
  'web-share',
  'window-management',
  'xr-spatial-tracking',
];

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': [...REFUSED.map((name) => `${name}=()`), 'clipboard-write=(self)'].join(
    ', ',
  ),
} as const;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

const INDEX = ['index.html'];

/** Serves every path below `/ui`. */
export class Explorer {
  readonly #folder: string;

  constructor(folder: string = FOLDER) {
    this.#folder = folder;
  }

  /** Whether a path is the explorer's. */
  static owns(path: string): boolean {
    return path === '/ui' || path.startsWith('/ui/');
  }

  /** @param accepted the header Accept-Encoding */
  async serve(path: string, accepted = ''): Promise<Reply> {
    const segments =
      path === '/ui' || path === '/ui/' ? INDEX : path.slice('/ui/'.length).split('/');
    if (segments.some(isHostile)) return NOT_FOUND;
    // Hashes and numbers have no dot; files do.
    const isFile = segments.at(-1)?.includes('.') && segments.join('/') !== 'index.html';
    if (!isFile) return (await this.#file(INDEX, accepted, 'no-cache')) ?? NOT_BUILT;
    return (
      (await this.#file(segments, accepted, 'public, max-age=31536000, immutable')) ?? NOT_FOUND
    );
  }

  async #file(
    segments: readonly string[],
    accepted: string,
    caching: string,
  ): Promise<Reply | undefined> {
    const path = join(this.#folder, ...segments);
    const headers = {
      ...HEADERS,
      'content-type': TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream',
      'cache-control': caching,
    };
    const built = await readBuilt(path, accepted);
    return built && page(200, { ...headers, ...built.headers }, built.body);
  }
}

function page(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
): Reply {
  return { status, headers, body, isPage: true };
}

function plain(status: number, text: string): Reply {
  const headers = { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' };
  return page(status, { ...headers, 'cache-control': 'no-store' }, text);
}

const NOT_FOUND = plain(404, 'UI asset not found');
const NOT_BUILT = plain(
  503,
  'The explorer was not built into this installation. In the repository, `npm run build:explorer` builds it.',
);

/** Whether a path leaves the folder or is invalid. */
function isHostile(segment: string): boolean {
  return segment === '' || segment === '.' || segment === '..' || /[\\\0]/.test(segment);
}
