// The bundle command: writes a transaction of a running node into a file that a debugger opens.
import { dirname } from 'node:path';
import { fitText, withNoun } from '@starkbox/abi/basics';
import { BUNDLE_EXTENSION, checkName } from '../../bundles/content/format.js';
import { replaceDurably } from '../../files/atomic-file.js';
import { createFolder } from '../../files/create-folder.js';
import { checkReplaceable } from '../../files/regular-file.js';
import { showing } from '../../probe.js';
import type { Style } from './format.js';
import type { BUNDLE } from './options.js';
import type { Words } from './row.js';
import { ask, checkedHash, nodeOf } from './wire.js';

export async function writeBundleFile(
  { json, paint, width, progress }: Style,
  hash: string,
  { out, ...node }: Words<typeof BUNDLE>,
): Promise<string> {
  const transaction_hash = checkedHash(hash);
  const { bundle, name } = await showing(progress, 'running the transaction again', () =>
    ask(nodeOf(node), 'devnet_getBundle', { transaction_hash }),
  );
  const content = Buffer.from(bundle, 'base64');
  const file = out ?? `${checkName(name)}${BUNDLE_EXTENSION}`;
  checkReplaceable(file);
  createFolder(dirname(file));
  await replaceDurably(file, (draft) => draft.writeFile(content));
  if (json) return `${JSON.stringify({ file, bytes: content.length, name })}\n`;
  const line = `${withNoun(content.length, 'byte')} in ${paint('bold', file)}`;
  // A wrapped command cannot be copied.
  return `${fitText(line, width)}\nTo debug it, here or on another machine:\n  starkbox debug ${file}\n`;
}
