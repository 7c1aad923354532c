// The command `starkbox mcp`: loads the server of the Model Context Protocol, which is built apart from the node.
import { existsSync } from 'node:fs';
import { PACKAGE_FOLDER } from '../../files/package-folder.js';
import { packageVersion } from '../../node/version.js';
import type { NODE } from './options.js';
import type { Words } from './row.js';

/**
 * Serves on stdin and stdout until stdin ends.
 *
 * @param hosts that tools may connect to besides this machine, separated by commas
 */
export async function serveMcp(
  { url, 'auth-token': token }: Words<typeof NODE>,
  hosts: string = '',
): Promise<void> {
  const bundle = new URL('dist/mcp/serve.js', PACKAGE_FOLDER);
  if (!existsSync(bundle)) {
    throw new Error(
      `${bundle.pathname} is missing: run npm run build:bundle, or install starkbox again`,
    );
  }
  const { serve }: Server = await import(bundle.href);
  const allowedHosts = hosts.split(',').flatMap((host) => host.trim() || []);
  await serve({ version: packageVersion(), url, token, allowedHosts });
}

/** What the bundle of @starkbox/mcp exports. */
interface Server {
  serve(options: {
    readonly version: string;
    readonly url: string | undefined;
    readonly token: string | undefined;
    readonly allowedHosts: readonly string[];
  }): Promise<void>;
}
