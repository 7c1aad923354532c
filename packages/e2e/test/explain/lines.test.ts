// Lines of the source in explanations, by artifacts that were added or lie in a folder; what contracts print.
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkedClient, overHttp } from '@starkbox/test-support';
import { closeAfterFile } from '@starkbox/test-support/closing';
import { FIXTURE, startFixture } from '@starkbox/test-support/fixture';
import { contract, deployment, read, Sender, selector } from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { createChain, type LocalChain } from 'starkbox';
import { describe, expect, test, vi } from 'vitest';
import { classTextWithPlaces, marks } from '../../../../contracts/classes.js';

const artifactOf = async (name: string): Promise<object> =>
  JSON.parse(await classTextWithPlaces(name));

/** What a stack of an explanation says first. */
function firstLine(explained: unknown) {
  const [first] = Object(explained).stack;
  return { file: first?.file, line: first?.line };
}

const { client, node, sender } = await startFixture();
const failures = await contract('failures');
const address = await sender.deploy(failures, ['0x0']);
const call = (name: string, ...calldata: readonly string[]) => ({ to: address, name, calldata });

describe('before an artifact is added', () => {
  test('a stack names functions', async () => {
    const hash = await sender.invoke([call('helper', '0x1')]);
    const { stack } = await client.call('devnet_explainTransaction', [hash]);
    expect(stack.at(-1)).toEqual({ function: 'helper' });
  });

  test('one without debug information is refused, and one that is malformed', async () => {
    for (const artifact of [
      failures.body,
      { ...(await artifactOf('counter')), ...MALFORMED },
      {},
    ]) {
      const { code } = await client.failure('devnet_addArtifact', { artifact });
      expect(code).toBe(-1);
    }
  });
});

const MALFORMED = {
  sierra_program_debug_info: {
    annotations: {
      'github.com/software-mansion/cairo-profiler': { statements_functions: { '0': 7 } },
    },
  },
};

describe('with an artifact', () => {
  test('its class and files are told', async () => {
    const artifact = await artifactOf('failures');
    const added = await client.call('devnet_addArtifact', { artifact });
    expect(added.class_hash).toBe(failures.hash);
    expect(added.files).toContain('contracts/src/failing/failures.cairo');
  });

  test('it may be almost as long as a request', async () => {
    const text = await classTextWithPlaces('variables');
    expect(text.length).toBeGreaterThan(16_000_000);
    const artifact = JSON.parse(text);
    const { url } = await node.listen({ port: 0 });
    const added = await checkedClient(overHttp(url)).call('devnet_addArtifact', { artifact });
    expect(added).toMatchObject({
      files: expect.arrayContaining(['contracts/src/variables.cairo']),
    });
  });

  test('a reverted transaction has the line that failed', async () => {
    const hash = await sender.invoke([call('helper', '0x1')]);
    const explained = await client.call('devnet_explainTransaction', [hash]);
    expect(firstLine(explained)).toEqual(marks().get('helper'));
    expect(explained.stack.map((line) => line.function.split('::').at(-1))).toEqual([
      'lowered',
      'checked',
      'helper',
    ]);
  });

  test('a transaction of an older block, or late in a block, has source lines too', async () => {
    const several = await startFixture({ blockGenerationOn: 'demand' });
    const demandSender = several.sender;
    await demandSender.declare(failures);
    const deployed = deployment(failures.hash, ['0x0'], { salt: '0x1' });
    await several.client.call('devnet_addArtifact', { artifact: await artifactOf('failures') });
    await demandSender.invoke([deployed.call]);
    const hash = await demandSender.invoke([
      { ...call('assert_plain', '0x1'), to: deployed.address },
    ]);
    const pending = await several.client.call('devnet_explainTransaction', [hash]);
    await several.client.call('devnet_createBlock');
    await several.client.call('devnet_createBlock');
    const closed = await several.client.call('devnet_explainTransaction', [hash]);
    for (const explained of [pending, closed]) {
      expect(firstLine(explained)).toEqual(marks().get('assert_plain'));
    }
  });

  test('so have failed calls, estimates and simulations', async () => {
    const request = {
      contract_address: address,
      entry_point_selector: selector('add_u8'),
      calldata: ['0xff', '0x1'],
    };
    const called = await client.failure('starknet_call', [request, 'latest']);
    expect(firstLine(Object(called.data).explained)).toEqual(marks().get('add_u8'));
    const good = await sender.invokeRequest([call('add_u8', '0x1', '0x1')]);
    const bad = await sender.invokeRequest([call('add_u8', '0xff', '0x1')], {
      nonce: `0x${(Number(good['nonce']) + 1).toString(16)}`,
    });
    const estimated = await client.failure('starknet_estimateFee', [[good, bad], [], 'latest']);
    expect(firstLine(Object(estimated.data).explained)).toEqual(marks().get('add_u8'));
  });

  test('a class of Cairo 2.8 that was compiled by another compiler has no wrong lines', async () => {
    const reverter = await sender.deploy(await contract('reverter'));
    const hash = await sender.invoke([{ to: reverter, name: 'fail_text', calldata: [] }]);
    const { stack } = await client.call('devnet_explainTransaction', [hash]);
    expect(stack.every(({ file }) => file === undefined)).toBe(true);
  });
});

test('artifacts of a folder have lines, also ones that change alone', async () => {
  const folder = temporaryFolderOfFile();
  const file = join(folder, 'app_failures.contract_class.json');
  await writeFile(file, JSON.stringify({ ...(await artifactOf('failures')), ...MALFORMED }));
  const warned: string[] = [];
  const log = {
    ...console,
    debug() {},
    info() {},
    warn: (line: object | string) => void warned.push(String(line)),
  };
  await expect(createChain({ ...FIXTURE, artifacts: join(folder, 'nowhere') })).rejects.toThrow(
    /^--artifacts \/.*\/nowhere: no such folder: run scarb build/,
  );
  const watching = await createChain({ ...FIXTURE, artifacts: folder }, { log });
  closeAfterFile(() => watching.close());
  expect(warned.join()).toContain('debug information');
  const watchingClient = checkedClient(watching.handle);
  const watchingSender = new Sender(watchingClient, watching.accounts[0]);
  const deployed = await watchingSender.deploy(failures, ['0x0']);
  const hash = await watchingSender.invoke([{ ...call('only_owner'), to: deployed }]);
  const line = async () =>
    firstLine(await watchingClient.call('devnet_explainTransaction', [hash]));
  expect(await line()).toEqual({});
  await writeFile(file, await classTextWithPlaces('failures'));
  await vi.waitUntil(async () => (await line()).line !== undefined, { timeout: 20_000 });
  expect(await line()).toEqual(marks().get('only_owner'));
});

describe('a class that was compiled with the panic backtrace', async () => {
  const backtrace = await sender.deploy(await contract('backtrace'));

  test('is declared, called, and fails like any other', async () => {
    expect(await read(client, backtrace, 'shallow', ['0xa'])).toEqual(['0xa']);
    const hash = await sender.invoke([{ to: backtrace, name: 'deep', calldata: ['0x1'] }]);
    const { panic } = await client.call('devnet_explainTransaction', [hash]);
    expect(panic?.text).toContain('u8_sub Overflow');
  });
});

describe('what a contract prints', () => {
  test('is in the log with the contract and the transaction, and in explanations', async () => {
    const lines: string[] = [];
    const log = {
      ...console,
      debug() {},
      warn() {},
      info: (line: object | string) => void lines.push(String(line)),
    };
    const printing: LocalChain = await createChain(FIXTURE, { log });
    closeAfterFile(() => printing.close());
    const printingClient = checkedClient(printing.handle);
    const printingSender = new Sender(printingClient, printing.accounts[0]);
    const prints = await printingSender.deploy(await contract('prints'));
    const printed = (name: string, ...calldata: readonly string[]) =>
      printingSender.invoke([{ to: prints, name, calldata }]);
    const good = await printed('print_values', '0x7', '0x8');
    const bad = await printed('print_then_fail', '0x3');
    await read(printingClient, prints, 'print_text');
    const said = lines.filter((line) => line.startsWith(prints));
    expect(said).toEqual([
      `${prints} printed in transaction ${good}: number 7, felt 8`,
      `${prints} printed in transaction ${good}: second line`,
      `${prints} printed in transaction ${bad}: value is 3`,
      `${prints} printed in a call: prints: a line that is longer than one felt can hold`,
    ]);
    const explained = [good, bad].map((hash) =>
      printingClient.call('devnet_explainTransaction', [hash]),
    );
    const texts = (await Promise.all(explained)).map(({ printed }) => printed);
    expect(texts).toEqual([
      [
        { contract: prints, text: 'number 7, felt 8\n' },
        { contract: prints, text: 'second line\n' },
      ],
      [{ contract: prints, text: 'value is 3\n' }],
    ]);
  });

  test('is not on the standard output', async () => {
    const command = fileURLToPath(new URL('../../../starkbox/bin/starkbox.js', import.meta.url));
    const child = spawn(process.execPath, [command, '--port', '0', '--no-banner', '--seed', '42'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    closeAfterFile(() => void child.kill('SIGKILL'));
    const texts = { out: '', err: '' };
    child.stdout.on('data', (part) => {
      texts.out += part;
    });
    const url = await new Promise<string>((resolve) => {
      child.stderr.on('data', (part) => {
        texts.err += part;
        const listeningUrl = /listening on (http:\S+)/.exec(texts.err)?.[1];
        if (listeningUrl !== undefined) resolve(listeningUrl);
      });
    });
    const commandClient = checkedClient(overHttp(url));
    const commandSender = new Sender(commandClient, node.accounts[0]);
    const prints = await commandSender.deploy(await contract('prints'));
    await commandSender.invoke([{ to: prints, name: 'print_values', calldata: ['0x7', '0x8'] }]);
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('close', resolve));
    expect(texts.err).toContain('number 7, felt 8');
    expect(texts.out).not.toContain('number 7');
  });
});
