// Bundles of executions: opened again, in another process too, the same explanation.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkedClient } from '@starkbox/conformance';
import type { TransactionValues } from '@starkbox/engine';
import { type BundleTarget, type Methods, openBundle } from 'starkbox';
import { expect, test } from 'vitest';
import { classTextWithPlaces } from '../../../../contracts/classes.js';
import { closeAfterFile } from '../../support/closing.js';
import { startFixture } from '../../support/fixture.js';
import { contract, selector } from '../../support/signing.js';

const folder = await mkdtemp(join(tmpdir(), 'bundle-'));
closeAfterFile(() => rm(folder, { recursive: true }));

const { client, node, sender } = await startFixture({ startTime: 1_000 });
const failures = await sender.deploy(await contract('failures'), ['0x0']);
const counter = await sender.deploy(await contract('counter'), ['0x5']);
const file = 'contracts/src/failing/failures.cairo';
const sourceText = await readFile(new URL(`../../../../${file}`, import.meta.url), 'utf8');
await client.call('devnet_addArtifact', {
  artifact: JSON.parse(await classTextWithPlaces('failures')),
  sources: { [file]: sourceText },
});

type BundleRequest = Methods['devnet_getBundle']['params'];

async function reopened(name: string, request: BundleRequest) {
  const { bundle, bytes } = await client.call('devnet_getBundle', request);
  const path = join(folder, `${name}.starkbox-bundle`);
  await writeFile(path, Buffer.from(bundle, 'base64'));
  const opened = await openBundle(path);
  closeAfterFile(() => opened.chain.close());
  return { ...opened, bytes, client: checkedClient(opened.chain.handle) };
}

test('a reverted transaction', async () => {
  const hash = await sender.invoke([{ to: failures, name: 'assert_plain', calldata: ['0x1'] }]);
  await client.call('devnet_createBlock');
  const expected = await client.call('devnet_explainTransaction', { transaction_hash: hash });
  const opened = await reopened('reverted', { transaction_hash: hash });
  expect(opened.target).toEqual({ transactionHash: hash });
  expect(await opened.client.call('devnet_explainTransaction', { transaction_hash: hash })).toEqual(
    expected,
  );
});
