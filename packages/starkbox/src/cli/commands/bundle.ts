// The bundle command: writes a transaction of a running node into a file that a debugger opens.
import { dirname } from 'node:path';
import { counted, fitted } from '@starkbox/abi/basics';
import { BUNDLE_EXTENSION, checkedName } from '../../bundles/content/format.js';
import { beginDraft, endDraft } from '../../files/atomic-file.js';
import { createFolder } from '../../files/create-folder.js';
import { replaceBytes } from '../../files/durable-file.js';
import { checkReplaceable } from '../../files/regular-file.js';
import { showing } from '../../probe.js';
import type { Style } from './format.js';
import { ask, checkedHash, type NodeWords, nodeOf } from './wire.js';

export interface BundleWords extends NodeWords {
  readonly out?: string;
}

export async function writeBundleFile(
  { json, paint, width, progress }: Style,
  hash: string,
  { out, ...node }: BundleWords,
): Promise<string> {
  const transaction_hash = checkedHash(hash);
  const { bundle, name } = await showing(progress, 'running the transaction again', () =>
    ask(nodeOf(node), 'devnet_getBundle', { transaction_hash }),
  );
  const content = Buffer.from(bundle, 'base64');
  const file = out ?? `${checkedName(name)}${BUNDLE_EXTENSION}`;
  await replace(file, content);
  if (json) return `${JSON.stringify({ file, bytes: content.length, name })}\n`;
  const line = `${counted(content.length, 'byte')} in ${paint('bold', file)}`;
  // A wrapped command cannot be copied.
  return `${fitted(line, width)}\nTo debug it, here or on another machine:\n  starkbox debug ${file}\n`;
}

async function replace(file: string, content: Uint8Array): Promise<void> {
  checkReplaceable(file);
  createFolder(dirname(file));
  const draft = beginDraft(file);
  try {
    await replaceBytes(file, [content], draft);
  } finally {
    endDraft(draft);
  }
}
