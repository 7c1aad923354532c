// The banner of a start: one form for people on a terminal, and one that tools read.
import {
  encodeShortString,
  padFelt,
  shortAddress,
  shortenMiddle,
  withShortHashes,
  wrapLine,
} from '@starkbox/abi/basics';
import { type Config, networkText } from '../config/options.js';
import { shortUrl } from '../errors.js';
import type { OpenedChain } from '../node/node-options.js';
import { readAccountGroups } from '../predeployed.js';
import type { Paint } from '../terminal.js';
import type { ProgramName } from './arguments.js';

/** The part of a node that the banner shows. */
export interface BannerFacts {
  readonly config: Config;
  readonly accounts: readonly {
    readonly address: string;
    readonly privateKey: string;
    readonly publicKey: string;
    readonly classHash?: string;
  }[];
  readonly accountClassHash: string;
  readonly tokens: { readonly eth: Contract; readonly strk: Contract };
  readonly udc: Contract;
  readonly argent: { readonly regular: string; readonly multisig: string } | undefined;
  readonly l1?:
    | { readonly url: string; readonly messagingContract: string; readonly isManaged: boolean }
    | undefined;
}

interface Contract {
  readonly address: string;
  readonly classHash: string;
}

/** Tools parse this form, which is the one of starknet-devnet: its text must not change. */
export function banner(facts: BannerFacts): string {
  const { config, accounts, tokens, udc, argent } = facts;
  const upper = (felt: string): string => `0x${felt.slice(2).toUpperCase()}`;
  const lines = [
    `Chain ID: ${config.chainId} (${encodeShortString(config.chainId)})`,
    ...(config.rules === 'off' ? [] : [`Rules: ${config.rules}`]),
    '',
    'Predeployed FeeToken',
    `ETH Address: ${upper(tokens.eth.address)}`,
    `Class Hash: ${upper(tokens.eth.classHash)}`,
    `STRK Address: ${upper(tokens.strk.address)}`,
    `Class Hash: ${upper(tokens.strk.classHash)}`,
    '',
    'Predeployed UDC',
    `Address: ${upper(udc.address)}`,
    `Class Hash: ${upper(udc.classHash)}`,
    '',
  ];
  if (argent) {
    lines.push(
      'Predeclared Argent account classes',
      `Regular class hash: ${upper(argent.regular)}`,
      `Multisig class hash: ${upper(argent.multisig)}`,
      '',
    );
  }
  if (accounts.length > 0) {
    for (const { classHash, members } of groupsOf(facts)) {
      lines.push(`Predeployed accounts using class Custom with hash: ${padFelt(classHash)}`, '');
      for (const { address, privateKey, publicKey } of members) {
        lines.push(
          `| Account address |  ${padFelt(address)}`,
          `| Private key     |  ${padFelt(privateKey)}`,
          `| Public key      |  ${padFelt(publicKey)}`,
          '',
        );
      }
    }
    lines.push(
      `Initial balance of each account: ${config.initialBalance} WEI and FRI`,
      `Seed to replicate this account sequence: ${config.seed}`,
      '',
    );
  }
  return lines.map((line) => `${line}\n`).join('');
}

type BannerAccount = BannerFacts['accounts'][number];

/** The accounts by their option: first those of the chain's class, then each group of `--more-accounts`. */
function groupsOf({ config, accounts, accountClassHash }: BannerFacts): readonly {
  readonly name: string;
  readonly classHash: string;
  /** The number of accounts before it. */
  readonly first: number;
  readonly members: readonly BannerAccount[];
}[] {
  const name = config.accountClassCustom ?? config.accountClass;
  const further = readAccountGroups(config.moreAccounts ?? '') ?? [];
  const count = accounts.length - further.reduce((sum, group) => sum + group.count, 0);
  let first = 0;
  return [{ name, count }, ...further]
    .map((group) => {
      const members = accounts.slice(first, first + group.count);
      const classHash = members[0]?.classHash ?? accountClassHash;
      const placed = { name: group.name, classHash, first, members };
      first += group.count;
      return placed;
    })
    .filter(({ members }) => members.length > 0);
}

/** What the banner on a terminal shows besides the chain. */
export interface TerminalBanner {
  readonly paint: Paint;
  readonly width: number;
  readonly opened: OpenedChain | undefined;
  readonly address: { readonly url: string; readonly metricsUrl?: string | undefined };
}

/** With the line about listening, the banner has at most this many lines for ten accounts. */
const MAX_LINES = 20;
const MAX_ACCOUNTS = 10;
const LABEL = 11;

export function terminalBanner(facts: BannerFacts, terminal: TerminalBanner): string {
  const head = headRows(facts, terminal).flatMap((row) => labelled(row, terminal));
  const accounts = accountLines(facts, terminal);
  const { tokens, udc, argent } = facts;
  const contracts = [
    ['STRK', tokens.strk.address],
    ['ETH', tokens.eth.address],
    ['UDC', udc.address],
  ] as const;
  const classes = argent
    ? [['Argent', `classes ${argent.regular}, ${argent.multisig}`] as const]
    : [];
  // The line about listening follows.
  const isTight = head.length + contracts.length + classes.length + accounts.length >= MAX_LINES;
  const short = contracts.map(([name, address]) => `${name} ${shortAddress(address)}`).join(', ');
  const rows = isTight ? [['contracts', short] as const] : [...contracts, ...classes];
  const lines = rows.flatMap((row) => labelled(row, terminal));
  return [...head, ...lines, ...accounts].map((line) => `${line}\n`).join('');
}

type Row = readonly [label: string, value: string];
type SourceRow = readonly [label: 'data' | 'fork' | 'dump', value: string];

function headRows(
  { config, l1 }: BannerFacts,
  { opened, address }: TerminalBanner,
): readonly Row[] {
  const rules = config.rules === 'off' ? '' : `, rules ${config.rules}`;
  const network = networkText(config);
  const chain = `${config.chainId} (${encodeShortString(config.chainId)})${rules}`;
  const pages = [
    ...(config.ui ? [['explorer', `${address.url}/ui`] as const] : []),
    ...(address.metricsUrl === undefined ? [] : [['metrics', address.metricsUrl] as const]),
  ];
  return [
    ['chain', chain],
    ...(network === undefined ? [] : [['network', network] as const]),
    ...sourceRows(config, opened),
    ...(l1
      ? [
          ['L1', `${shortUrl(l1.url)}${l1.isManaged ? ' (Anvil)' : ''}`] as const,
          ['messaging', `contract ${l1.messagingContract}`] as const,
        ]
      : []),
    ...(pages.length < 2
      ? pages
      : [['explorer', pages.map(([, url]) => url).join(', metrics ')] as const]),
    ...(config.paymaster ? [['paymaster', `${address.url}/paymaster`] as const] : []),
  ];
}

/** Where the chain comes from, and where it goes. */
export function sourceRows(config: Config, opened: OpenedChain | undefined): readonly SourceRow[] {
  const { dataDir, dumpPath, dumpOn, dumpFormat, forkNetwork, forkLock } = config;
  const block = opened?.block ?? 0;
  const rows: SourceRow[] = [];
  if (dataDir !== undefined) {
    rows.push([
      'data',
      `${dataDir}: ${opened?.isContinued ? `continuing at block ${block}` : 'new'}`,
    ]);
  }
  if (opened?.forkBlock !== undefined) {
    const source = forkNetwork === undefined ? forkLock : forkNetwork.split(',').map(shortUrl)[0];
    rows.push(['fork', `${source} after block ${opened.forkBlock}`]);
  }
  if (dumpPath !== undefined) {
    const loaded = opened?.isLoaded ? [`loaded, at block ${block}`] : [];
    const written = dumpOn === undefined ? [] : [writtenWhen(dumpOn, dumpFormat)];
    const facts = [...loaded, ...written].join(', ');
    rows.push(['dump', facts === '' ? `${dumpPath} ${NO_DUMP}` : `${dumpPath}: ${facts}`]);
  }
  return rows;
}

const NO_DUMP = 'does not exist, and without --dump-on it is not written automatically';

function writtenWhen(
  dumpOn: NonNullable<Config['dumpOn']>,
  dumpFormat: Config['dumpFormat'],
): string {
  if (dumpOn === 'block') return 'written after each block';
  if (dumpOn === 'request') return 'written on request';
  return dumpFormat === 'image' ? 'written at exit' : 'written at exit if the chain changes';
}

function accountLines(facts: BannerFacts, screen: TerminalBanner): readonly string[] {
  return groupsOf(facts).flatMap((group) => groupLines(facts, group, screen));
}

function groupLines(
  { config }: BannerFacts,
  { name, classHash, first, members: accounts }: ReturnType<typeof groupsOf>[number],
  { paint, width, address }: TerminalBanner,
): readonly string[] {
  const listed = accounts.slice(0, MAX_ACCOUNTS);
  const keyWidth = Math.max(...listed.map(({ privateKey }) => privateKey.length));
  const room = width - INDEX - GAP.length - keyWidth;
  const isWhole = listed.every(({ address: felt }) => felt.length <= room);
  const addressWidth = Math.min(room, Math.max(...listed.map(({ address: felt }) => felt.length)));
  const isDefault = address.url.endsWith(':5050');
  const command = isDefault
    ? 'starkbox rpc devnet_getPredeployedAccounts'
    : `starkbox rpc --url ${address.url} getPredeployedAccounts`;
  const isPartial = !isWhole || accounts.length > listed.length;
  const units = `${config.initialBalance / 10n ** 18n}`;
  const classText = `class ${name}`;
  const about = [
    `${accounts.length > listed.length ? `${listed.length} of ` : ''}${accounts.length}, seed ${config.seed}`,
    ...(isWhole
      ? [`${classText} (${classHash})`, `${units} ETH and STRK each`]
      : first > 0
        ? [classText]
        : []),
    ...(isPartial ? ['in full:'] : []),
  ].join(', ');
  const isOneLine = LABEL + about.length + 1 + command.length <= width;
  const ownLine = isPartial && !isOneLine ? [`${' '.repeat(LABEL)}${command}`] : [];
  const text = isPartial && isOneLine ? `${about} ${command}` : about;
  return [
    ...labelled(['accounts', text], { paint, width }),
    ...ownLine,
    ...listed.map(({ address: felt, privateKey }, at) => {
      const column = shortenMiddle(felt, addressWidth).padEnd(addressWidth);
      return `${paint('dim', String(first + at).padStart(INDEX - GAP.length))}${GAP}${paint('cyan', column)}${GAP}${privateKey}`;
    }),
  ];
}

const GAP = '  ';
/** Columns of the number of an account and the gap behind it. */
const INDEX = 4;

function labelled(
  [label, value]: Row,
  { paint, width }: Pick<TerminalBanner, 'paint' | 'width'>,
): readonly string[] {
  const text = withShortHashes(value, width - LABEL);
  const [first = '', ...rest] = wrapLine(text, width - LABEL, '');
  return [
    `${paint('bold', label.padEnd(LABEL))}${first}`,
    ...rest.map((line) => `${' '.repeat(LABEL)}${line}`),
  ];
}

/** Hosts that `localhost` reaches: loopback, and every address of the machine. */
const LOCAL_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '::1', '0.0.0.0', '::']);

/** The line that programs wait for; wallets accept plain HTTP from `localhost` only. */
export function listeningLine(
  name: ProgramName,
  { host, port, url }: { readonly host: string; readonly port: number; readonly url: string },
): string {
  if (name === 'starknet-devnet') {
    return `Starknet Devnet listening on ${url.replace('http://', '')}\n`;
  }
  const local = LOCAL_HOSTS.has(host) ? ` (wallets: http://localhost:${port})` : '';
  return `Starkbox listening on ${url}${local}\n`;
}
