// The command that writes a bundle, and files that cannot be opened.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type ListeningNode, startNode } from '@starkbox/test-support';
import { closeAfterFile } from '@starkbox/test-support/closing';
import { commandOutput } from '@starkbox/test-support/command-line';
import { mint } from '@starkbox/test-support/fork/pair';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { BundleError, openBundle } from 'starkbox';
import { beforeAll, describe, expect, test } from 'vitest';

const PACKAGE = new URL('../../../starkbox/package.json', import.meta.url);
const folder = temporaryFolderOfFile();
const file = join(folder, 'mint.starkbox-bundle');
let node: ListeningNode;
let hash: string;

beforeAll(async () => {
  node = await startNode({ listen: true });
  closeAfterFile(() => node.close());
  hash = await mint(node, '0x1', 5);
  await commandOutput('bundle', hash, '--url', node.url, '--out', file);
});

describe('starkbox bundle', () => {
  test('writes a file as a whole, and names the command that opens it', async () => {
    const out = join(folder, 'new', 'folder', 'b.starkbox-bundle');
    const said = await commandOutput('bundle', hash, '--url', node.url, '--out', out);
    expect(said).toMatch(/^[\d,]+ bytes in \S+b\.starkbox-bundle\n/);
    expect(said).toContain(`  starkbox debug ${out}\n`);
    expect(readdirSync(join(folder, 'new', 'folder'))).toEqual(['b.starkbox-bundle']);
    expect(readFileSync(out)).toEqual(readFileSync(file));
    const { chain, target, name } = await openBundle(out);
    expect(target).toEqual({ transactionHash: hash });
    expect(name).toBe(`STRK.permissioned_mint-${hash.slice(2, 10)}`);
    await chain.close();
  });

  test('prints JSON', async () => {
    const out = join(folder, 'json.starkbox-bundle');
    const said = await commandOutput('bundle', hash, '--url', node.url, '--out', out, '--json');
    expect(JSON.parse(said)).toEqual({
      file: out,
      bytes: readFileSync(out).length,
      name: `STRK.permissioned_mint-${hash.slice(2, 10)}`,
    });
  });

  test('says what is wrong', async () => {
    await expect(commandOutput('bundle', '0x1', '--url', node.url)).rejects.toThrow(
      /has no transaction 0x1/,
    );
    await expect(commandOutput('bundle', 'counter', '--url', node.url)).rejects.toThrow(/hash/);
    await expect(commandOutput('bundle')).rejects.toThrow(/HASH is missing/);
    await expect(commandOutput('bundle', hash, '--url', node.url, '--out', folder)).rejects.toThrow(
      /is a directory/,
    );
  });
});

/** The good file with other bytes in front of its sections, under a right checksum of its header. */
function withHeader(change: (header: Record<string, unknown>) => object, format = 1): Buffer {
  const bytes = readFileSync(file);
  const start = Buffer.concat([bytes.subarray(0, 9), Buffer.of(format)]);
  const length = bytes.readUInt32LE(10);
  const header: Record<string, unknown> = JSON.parse(bytes.toString('utf8', 19, 18 + length));
  const content = Buffer.concat([Buffer.of(1), Buffer.from(JSON.stringify(change(header)))]);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(content.length);
  head.writeUInt32LE(crc32(content, crc32(head.subarray(0, 4), crc32(start))), 4);
  return Buffer.concat([start, head, content, bytes.subarray(18 + length)]);
}

describe('openBundle rejects', () => {
  const other = join(folder, 'other.starkbox-bundle');
  const refusal = async (content: Uint8Array | string): Promise<string> => {
    writeFileSync(other, content);
    const error: unknown = await openBundle(other).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(BundleError);
    return error instanceof Error ? error.message : '';
  };

  test('a bundle of another version, and names the version that opens it', async () => {
    const { version }: { version: string } = JSON.parse(readFileSync(PACKAGE, 'utf8'));
    const sentence = `${other} cannot be opened: starkbox 9.8.7-rc.1 wrote the bundle, and this is starkbox ${version}: open it with \`npx starkbox@9.8.7-rc.1 debug\``;
    const newer = (header: object) => ({ ...header, version: '9.8.7-rc.1' });
    expect(await refusal(withHeader(newer))).toBe(sentence);
    // A later format, whose sections this version cannot read.
    expect(await refusal(withHeader(newer, 2))).toBe(sentence);
  });

  test('a version that no command line can contain', async () => {
    const message = await refusal(withHeader((header) => ({ ...header, version: '1; rm -rf x' })));
    expect(message).toMatch(/the bundle does not name its version/);
    expect(message).not.toMatch(/rm -rf/);
  });

  test('other files, and none', async () => {
    expect(await refusal('')).toMatch(/this is not a bundle/);
    expect(await refusal('{}')).toMatch(/this is not a bundle/);
    expect(await refusal(readFileSync(file).subarray(0, 1000))).toMatch(/it ends too early/);
    await expect(openBundle(join(folder, 'missing'))).rejects.toThrow(/missing does not exist/);
    await expect(openBundle(folder)).rejects.toThrow(/is a directory, not a regular file/);
  });

  test('a file whose header was changed', async () => {
    const message = await refusal(withHeader((header) => ({ ...header, chain_id: 'SN_MAIN' })));
    expect(message).toMatch(/a checksum does not match/);
  });
});
