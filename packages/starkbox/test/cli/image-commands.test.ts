// Output of `starkbox inspect` and `starkbox diff`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { storageAddress } from '@starkbox/engine';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { beforeAll, describe, expect, test } from 'vitest';
import { classText, classTextWithPlaces } from '../../../../contracts/classes.js';
import { run } from '../../src/cli/cli.js';
import type { Difference } from '../../src/cli/commands/image-diff.js';
import { createChain } from '../../src/index.js';
import { changed, type Json, partsOf, textsIn, withTexts } from '../dump/image/sections.js';

/** Where a mapping of this name keeps what belongs to 0xa11ce. */
const heldSlot = (): string => storageAddress('held', ['0xa11ce']);
const FIRST = fileURLToPath(new URL('../dump/image/first.image', import.meta.url));
const folder = temporaryFolderOfFile();
const [A, B, names] = ['a.image', 'b.image', 'names.json'].map((name) => join(folder, name));

async function command(...argv: readonly (string | undefined)[]) {
  let [said, failed] = ['', ''];
  const outcome = await run({
    argv: argv.flatMap((word) => (word === undefined ? [] : [word])),
    env: {},
    directory: folder,
    stdout: { write: (text: string) => (said += text) },
    stderr: { write: (text: string) => (failed += text) },
  });
  return { said, failed, exitCode: 'exitCode' in outcome ? outcome.exitCode : undefined };
}

const node = await createChain({ seed: 0, startTime: 1_700_000_000, accounts: 1 });
await node.request('devnet_mint', { address: '0xa11ce', amount: 5 });
await node.requestRaw('devnet_dump', { path: A, format: 'image' });
await node.request('devnet_mint', { address: '0xa11ce', amount: 2 });
await node.request('devnet_applyStateDiff', {
  state_diff: {
    deployed_contracts: [{ address: '0xc0', class_hash: node.accountClassHash }],
    nonces: [{ contract_address: '0xc0', nonce: '0x4' }],
    storage_diffs: [
      { address: '0xc0', storage_entries: [{ key: '0x123', value: '0x9' }] },
      {
        address: node.tokens.strk.address,
        storage_entries: [{ key: storageAddress('permitted_minter'), value: '0xa11ce' }],
      },
      {
        address: node.tokens.eth.address,
        // Where `held` of 0xa11ce is.
        storage_entries: [{ key: heldSlot(), value: '0x7' }],
      },
    ],
  },
});
await node.request('devnet_impersonateAccount', { account_address: '0xc0' });
await node.requestRaw('devnet_dump', { path: B, format: 'image' });
await node.close();

describe('inspect', () => {
  test('prints what an image holds', async () => {
    const { said, exitCode } = await command('inspect', FIRST);
    expect(exitCode).toBe(0);
    for (const line of [
      /written by +starkbox 0\.1\.0, format 1/,
      /chain +SN_SEPOLIA/,
      /blocks +13, from 0 to 12/,
      /time +2023-11-14 22:13:20 UTC to 2023-11-14 22:13:50 UTC/,
      /transactions +2 with 1 event; 1 more/,
      /contracts +3\n/,
      /classes +1\n/,
      /slots +7\n/,
      /journal +1 call/,
      /state +27 kB/,
    ]) {
      expect(said).toMatch(line);
    }
  });

  test('prints the accounts, where the image records them', async () => {
    expect((await command('inspect', FIRST)).said).toMatch(/accounts +not recorded\n/);
    expect((await command('inspect', A)).said).toMatch(
      /accounts +1 account of class cairo1, seed 0\n/,
    );
  });

  test('prints the same for machines', async () => {
    const { said } = await command('inspect', FIRST, '--json');
    expect(JSON.parse(said)).toMatchObject({
      path: FIRST,
      format: 1,
      chain_id: 'SN_SEPOLIA',
      last_block: 12,
      sections: [{ name: 'moment' }, { name: 'blocks' }, { name: 'state' }, { name: 'journal' }],
    });
  });

  test('rejects what a load rejects, by the same reason', async () => {
    const parts = await partsOf(readFileSync(FIRST));
    const block = parts.blocks[2];
    if (!block) throw new Error('there is no such block');
    const texts = textsIn(block);
    const trace: Json = Object(JSON.parse(texts[3] ?? ''));
    const wrong = texts.with(3, JSON.stringify({ ...trace, function_invocation: {} }));
    const path = join(folder, 'malformed.image');
    await using loading = await createChain({ seed: 0 });
    for (const change of [
      { blocks: parts.blocks.with(2, withTexts(block, wrong)) },
      { journal: ['{"jsonrpc":"2.0","method":"devnet_dump","id":0}'] },
      { header: { ...parts.header, slots: 5 } },
    ]) {
      writeFileSync(path, await changed(parts, change));
      const { failed, exitCode } = await command('inspect', path);
      const error = await loading
        .request('devnet_load', { path })
        .catch((reason: unknown) => reason);
      const { message }: Json = Object(error);
      expect([exitCode, failed.trim()]).toEqual([
        1,
        `error: ${String(message).replace('Deserialization error: ', '')}`,
      ]);
      expect((await command('diff', path, FIRST)).exitCode).toBe(2);
    }
  });

  test('says what is wrong', async () => {
    writeFileSync(names ?? '', '{}');
    expect(await command('inspect', names)).toMatchObject({
      exitCode: 1,
      failed: expect.stringMatching(/names\.json: this is not an image/),
    });
    expect(await command('inspect', 'nowhere')).toMatchObject({
      exitCode: 1,
      failed: expect.stringMatching(/nowhere does not exist/),
    });
    for (const words of [[], [FIRST, FIRST], [FIRST, '--names', FIRST], [FIRST, '--what']]) {
      expect((await command('inspect', ...words)).exitCode).toBe(2);
    }
    expect((await command('inspect', '--help')).said).toMatch(/starkbox inspect FILE/);
  });
});

describe('names of diff', () => {
  const [before, after] = ['before.image', 'after.image'].map((name) => join(folder, name));
  const short = (text: string): string => `0x${Buffer.from(text).toString('hex')}`;
  let [owner, gold, vault] = ['', '', ''];

  beforeAll(async () => {
    const chain = await createChain({ seed: 0, accounts: 2 });
    owner = chain.accounts[1]?.address ?? '';
    await chain.requestRaw('devnet_dump', { path: before, format: 'image' });
    const { class_hash } = await chain.request('devnet_declare', {
      contract_class: JSON.parse(await classText('token')),
    });
    const deploy = async (name: string): Promise<string> => {
      const constructor_calldata = [short(name), short(name), '0x1', '0x0', owner];
      return (await chain.request('devnet_deploy', { class_hash, constructor_calldata }))
        .contract_address;
    };
    gold = await deploy('Gold');
    vault = await deploy('Silver');
    await chain.request('devnet_setLabel', { value: vault, label: 'vault' });
    await chain.requestRaw('devnet_dump', { path: after, format: 'image' });
    await chain.close();
  });

  test('are labels, then tokens; accounts have theirs as keys too', async () => {
    const { said, failed } = await command('diff', before, after, '--json');
    expect(failed).toBe('');
    const difference: Difference = JSON.parse(said);
    const named = new Map(difference.contracts.map((contract) => [contract.address, contract]));
    expect(named.get(gold)).toMatchObject({ name: 'Gold' });
    expect(named.get(vault)).toMatchObject({ name: 'vault' });
    const variables = named.get(gold)?.storage.map(({ variable }) => variable);
    expect(variables).toContain('balances[account 1]');
    const { after: hash = '' } = named.get(gold)?.class_hash ?? {};
    expect(difference.class_names).toEqual({ [hash]: 'token' });
    expect(difference.classes.added).toEqual([hash]);
  });

  test('are those of artifacts before those of tokens', async () => {
    const artifacts = join(folder, 'artifacts');
    mkdirSync(artifacts);
    const text = await classTextWithPlaces('token');
    writeFileSync(join(artifacts, 'tokens_Token.contract_class.json'), text);
    writeFileSync(join(artifacts, 'broken.contract_class.json'), '{}');
    const { said } = await command('diff', before, after, '--artifacts', artifacts);
    expect(said).toContain(`\ntoken 0x${gold.slice(2, 6)}`);
    expect(said).toContain('\nvault 0x');
  });

  test('need a folder that exists if one is named', async () => {
    const absent = join(folder, 'absent');
    expect(await command('diff', before, after, '--artifacts', absent)).toMatchObject({
      exitCode: 2,
      failed: expect.stringContaining('absent does not exist: run scarb build'),
    });
  });
});

describe('diff', () => {
  test('of equal images is none', async () => {
    const { said, exitCode } = await command('diff', A, A);
    expect(exitCode).toBe(0);
    expect(said).toMatch(/equal up to block 1, the newest\n\nno difference\n$/);
  });

  test('prints blocks, contracts, storage by name and settings', async () => {
    const { said, failed, exitCode } = await command('diff', A, B);
    expect([failed, exitCode]).toEqual(['', 1]);
    for (const line of [
      /equal up to block 1\n {2}\+ 2 {2}0x[0-9a-f]+ {2}2023-11-14 .* 1 transaction\n/,
      /STRK 0x4718f5a0/,
      /ERC20_balances\[0xa11ce\]: 5 → 7 \(\+2\)/,
      /ERC20_balances\[sequencer\]: [\d,]+ → [\d,]+ \(\+[\d,]+\)/,
      /ERC20_total_supply: /,
      /permitted_minter: .* → 0xa11ce\n/,
      /minter 0x1caf2df5.*\n {2}nonce 1 → 2/,
      /\nAccountUpgradeable 0xc0\n {2}class\n {4}\+ AccountUpgradeable 0x5b4b537e.*\n {2}nonce 0 → 4\n {2}0x123: 0x0 → 0x9/,
      /impersonated accounts: none → 0xc0/,
    ]) {
      expect(said).toMatch(line);
    }
    expect(said).not.toMatch(/time offset/);
  });

  test('backwards prints what is gone', async () => {
    const { said } = await command('diff', B, A);
    expect(said).toMatch(/equal up to block 1\n {2}- 2 /);
    expect(said).toMatch(/ERC20_balances\[0xa11ce\]: 7 → 5 \(−2\)/);
    expect(said).toMatch(
      /\nAccountUpgradeable 0xc0\n {2}class\n {4}- AccountUpgradeable 0x5b4b537e/,
    );
  });

  test('prints names that a file gives', async () => {
    writeFileSync(
      names ?? '',
      JSON.stringify({
        addresses: { '0x00A11CE': 'alice', '0xc0': 'vault' },
        variables: ['held[address]', 'other[0x1][address]'],
      }),
    );
    const { said } = await command('diff', A, B, '--names', names);
    expect(said).toMatch(/ERC20_balances\[alice\]: 5 → 7/);
    expect(said).toMatch(/permitted_minter: .* → alice\n/);
    expect(said).toMatch(/\nvault 0xc0\n/);
    expect(said).toMatch(/ETH 0x49d36570.*\n {2}held\[alice\]: 0x0 → 0x7/);
  });

  test('prints the same for machines', async () => {
    const { said, exitCode } = await command('diff', A, B, '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(said)).toMatchObject({
      blocks: { common: 1, before: { count: 0 }, after: { count: 1, first: [{ number: 2 }] } },
      classes: { added: [], removed: [] },
      contracts: expect.arrayContaining([
        expect.objectContaining({ address: '0xc0', nonce: { before: '0x0', after: '0x4' } }),
        expect.objectContaining({
          name: 'STRK',
          storage: expect.arrayContaining([
            expect.objectContaining({
              variable: 'ERC20_balances[0xa11ce]',
              wide: true,
              before: '5',
              after: '7',
            }),
          ]),
        }),
      ]),
      settings: { 'impersonated accounts': { before: 'none', after: '0xc0' } },
    });
  });

  test('of chains that have no block in common', async () => {
    const { said } = await command('diff', FIRST, A);
    expect(said).toMatch(/no block in common/);
    expect(said).toMatch(/- and 3 blocks more/);
  });

  test('says what is wrong, and with which file', async () => {
    expect(await command('diff', A, 'nowhere')).toMatchObject({
      exitCode: 2,
      failed: expect.stringMatching(/^error: nowhere does not exist/),
    });
    writeFileSync(names ?? '', '{}');
    expect(await command('diff', A, names)).toMatchObject({
      exitCode: 2,
      failed: expect.stringContaining(`error: ${names}: this is not an image`),
    });
    for (const text of [
      '[',
      '{"variables":"a"}',
      '{"variables":["a[b]"]}',
      '{"addresses":{"a":1}}',
    ]) {
      writeFileSync(names ?? '', text);
      expect(await command('diff', A, B, '--names', names)).toMatchObject({
        exitCode: 2,
        failed: expect.stringMatching(/names\.json/),
      });
    }
    expect((await command('diff', A)).exitCode).toBe(2);
  });
});
