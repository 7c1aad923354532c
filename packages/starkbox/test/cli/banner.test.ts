// The banner on a terminal: which facts it has, and that it fits.
import { describe, expect, test } from 'vitest';
import { MARKET_ONLY } from '../../src/chain/network/conditions.js';
import { presetOf } from '../../src/chain/network/presets.js';
import {
  type BannerFacts,
  banner,
  type TerminalBanner,
  terminalBanner,
} from '../../src/cli/banner.js';
import { type Config, defaultConfig } from '../../src/config/options.js';
import type { OpenedChain } from '../../src/node/node-options.js';
import { painter } from '../../src/terminal.js';

const felt = (digit: string): string => `0x${digit.repeat(63)}`;

function factsOf(options: Partial<Config>, facts: Partial<BannerFacts> = {}): BannerFacts {
  return {
    config: defaultConfig({ seed: 7, ...options }),
    accounts: [],
    accountClassHash: felt('d'),
    tokens: {
      eth: { address: felt('1'), classHash: felt('2') },
      strk: { address: felt('3'), classHash: felt('4') },
    },
    udc: { address: felt('5'), classHash: felt('6') },
    argent: undefined,
    ...facts,
  };
}

function screenOf(
  width: number,
  opened: Partial<OpenedChain> = {},
  url = 'http://127.0.0.1:5050',
): TerminalBanner {
  return {
    paint: painter(false),
    width,
    opened: { block: 812, isContinued: false, isLoaded: false, forkBlock: undefined, ...opened },
    address: { url, metricsUrl: 'http://127.0.0.1:9090/metrics' },
  };
}

function linesOf(
  width: number,
  options: Partial<Config>,
  { accounts = 10, ...facts }: Partial<Omit<BannerFacts, 'accounts'>> & { accounts?: number } = {},
  opened: Partial<OpenedChain> = {},
  url?: string,
): readonly string[] {
  const account = { address: felt('a'), privateKey: `0x${'b'.repeat(32)}`, publicKey: felt('c') };
  const listed = Array.from({ length: accounts }, () => account);
  const text = terminalBanner(
    factsOf(options, { accounts: listed, ...facts }),
    screenOf(width, opened, url),
  );
  return text.trimEnd().split('\n');
}

const L1 = {
  url: 'http://127.0.0.1:8545',
  messagingContract: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  isManaged: true,
};
const EVERYTHING: Partial<Config> = {
  ui: true,
  rules: 'mainnet',
  dataDir: './data',
  dumpPath: 'chain.image',
  dumpOn: 'exit',
  dumpFormat: 'image',
  forkNetwork: 'https://rpc.example.org/key',
};

describe.each([80, 120, 200])('with everything on, in %i columns', (width) => {
  const argent = { regular: felt('7'), multisig: felt('8') };
  const lines = linesOf(
    width,
    EVERYTHING,
    { l1: L1, argent },
    {
      isContinued: true,
      isLoaded: true,
      forkBlock: 1234,
    },
  );

  test('it fits, and leaves a line of 20 for the address', () => {
    expect(lines.filter((line) => [...line].length > width)).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(19);
  });

  test('it says where the chain comes from and goes to, without keys of URLs', () => {
    expect(lines).toEqual(
      expect.arrayContaining([
        'data       ./data: continuing at block 812',
        'fork       https://rpc.example.org/… after block 1234',
        'dump       chain.image: loaded, at block 812, written at exit',
        'L1         http://127.0.0.1:8545/ (Anvil)',
        'messaging  contract 0x5FbDB2315678afecb367f032d93F642f64180aa3',
        'explorer   http://127.0.0.1:5050/ui, metrics http://127.0.0.1:9090/metrics',
      ]),
    );
    expect(lines[0]).toMatch(/^chain +SN_SEPOLIA .*rules mainnet$/);
  });
});

test('it shortens addresses, never keys, and names the call that has them in full', () => {
  const narrow = linesOf(80, {});
  expect(narrow.at(-1)).toMatch(/^ 9 {2}0xa+…a+ {2}0xb{32}$/);
  expect(narrow).toContain(
    'accounts   10, seed 7, in full: starkbox rpc devnet_getPredeployedAccounts',
  );
  expect(linesOf(120, {}).at(-1)).toBe(` 9  ${felt('a')}  0x${'b'.repeat(32)}`);
});

test('a command for another port is on a line of its own', () => {
  const lines = linesOf(80, {}, {}, {}, 'http://127.0.0.1:45123');
  const at = lines.indexOf('accounts   10, seed 7, in full:');
  expect(lines[at + 1]).toBe(
    '           starkbox rpc --url http://127.0.0.1:45123 getPredeployedAccounts',
  );
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test('a dump file that does not exist is not written by default', () => {
  expect(linesOf(120, { dumpPath: 'x' })).toContain(
    'dump       x does not exist, and without --dump-on it is not written automatically',
  );
});

test('it lists ten of many accounts, and none of none', () => {
  const many = linesOf(120, {}, { accounts: 50 });
  expect(many.filter((line) => /^ \d {2}0x/.test(line))).toHaveLength(10);
  expect(many.join(' ').replaceAll(/\s+/g, ' ')).toMatch(
    /accounts 10 of 50, .*in full: starkbox rpc devnet_getPredeployedAccounts /,
  );
  expect(linesOf(80, {}, { accounts: 0 }).join('\n')).not.toContain('accounts');
});

test('it has the Argent classes, if they are declared', () => {
  const argent = { regular: felt('7'), multisig: felt('8') };
  expect(linesOf(80, {}, { argent })).toContain('Argent     classes 0x777777…7777, 0x888888…8888');
});

test('it does not promise a journal without calls', () => {
  const dump = { dumpPath: 'calls.json', dumpOn: 'exit' } as const;
  expect(linesOf(80, dump)).toContain(
    'dump       calls.json: written at exit if the chain changes',
  );
});

test('network conditions and the paymaster have rows', () => {
  const networkConditions = { ...(presetOf('busy') ?? MARKET_ONLY), seed: 7 };
  const options = {
    networkConditions,
    blockGenerationOn: 'mempool:2',
    paymaster: true,
  } as const;
  const lines = linesOf(120, options, {}, {}, 'http://127.0.0.1:5050');
  expect(lines).toContain('network    busy, seed 7, blocks: mempool:2');
  expect(lines).toContain('paymaster  http://127.0.0.1:5050/paymaster');
  const market = linesOf(120, { gasMarket: true });
  expect(market).toContain('network    gas market, blocks: transaction');
});

test('accounts of other classes are listed with their class and their place in the list', () => {
  const classes = [undefined, felt('7'), felt('7'), felt('8')];
  const accounts = classes.map((classHash, index) => ({
    address: felt(String(index)),
    privateKey: '0xb',
    publicKey: '0xc',
    ...(classHash === undefined ? {} : { classHash }),
  }));
  const facts = factsOf({ accounts: 1, moreAccounts: 'argent=2,cairo0=1' }, { accounts });
  const text = terminalBanner(facts, screenOf(160));
  expect(text.match(/^(?:accounts| +\d) .*$/gm)).toEqual([
    `accounts   1, seed 7, class cairo1 (${felt('d')}), 1000 ETH and STRK each`,
    ` 0  ${felt('0')}  0xb`,
    `accounts   2, seed 7, class argent (${felt('7')}), 1000 ETH and STRK each`,
    ` 1  ${felt('1')}  0xb`,
    ` 2  ${felt('2')}  0xb`,
    `accounts   1, seed 7, class cairo0 (${felt('8')}), 1000 ETH and STRK each`,
    ` 3  ${felt('3')}  0xb`,
  ]);
  expect(banner(facts).match(/class Custom.*|address.*/g)).toEqual([
    `class Custom with hash: ${felt('d').replace('0x', '0x0')}`,
    `address |  ${felt('0').replace('0x', '0x0')}`,
    `class Custom with hash: ${felt('7').replace('0x', '0x0')}`,
    `address |  ${felt('1').replace('0x', '0x0')}`,
    `address |  ${felt('2').replace('0x', '0x0')}`,
    `class Custom with hash: ${felt('8').replace('0x', '0x0')}`,
    `address |  ${felt('3').replace('0x', '0x0')}`,
  ]);
});
