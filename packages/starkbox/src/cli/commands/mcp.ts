// The command `starkbox mcp`: loads the server of the Model Context Protocol, which is built apart from the node.
import { existsSync } from 'node:fs';
import { PACKAGE_FOLDER } from '../../files/package-folder.js';
import { packageVersion } from '../../node/version.js';

/** Serves on stdin and stdout until stdin ends. */
export async function serveMcp(url: string | undefined): Promise<void> {
  const bundle = new URL('dist/mcp/serve.js', PACKAGE_FOLDER);
  if (!existsSync(bundle)) {
    throw new Error(
      `${bundle.pathname} is missing: run npm run build:bundle, or install starkbox again`,
    );
  }
  const { serve }: Server = await import(bundle.href);
  await serve({ version: packageVersion(), url });
}

/** What the bundle of @starkbox/mcp exports. */
interface Server {
  serve(options: { readonly version: string; readonly url: string | undefined }): Promise<void>;
}
