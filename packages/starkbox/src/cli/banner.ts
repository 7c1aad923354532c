// Banner with accounts and tokens, and the line about listening. Tools parse both, so their text must not change.

import type { Config } from '../config/options.js';
import { padded, shortString } from '../felt.js';
import type { Paint } from '../terminal.js';
import type { ProgramName } from './arguments.js';

/** The part of a node that the banner shows. */
export interface BannerFacts {
  readonly config: Pick<Config, 'chainId' | 'initialBalance' | 'rules' | 'seed'>;
  readonly accounts: readonly {
    readonly address: string;
    readonly privateKey: string;
    readonly publicKey: string;
  }[];
  readonly accountClassHash: string;
  readonly tokens: { readonly eth: Contract; readonly strk: Contract };
  readonly udc: Contract;
  readonly argent: { readonly regular: string; readonly multisig: string } | undefined;
}

interface Contract {
  readonly address: string;
  readonly classHash: string;
}

export function banner(facts: BannerFacts, paint: Paint): string {
  const { config, accounts, tokens, udc, argent } = facts;
  const title = (text: string): string => paint('bold', text);
  const upper = (felt: string): string => paint('cyan', `0x${felt.slice(2).toUpperCase()}`);
  const full = (felt: string): string => paint('cyan', padded(felt));

  const lines = [
    `${title('Chain ID:')} ${config.chainId} (${shortString(config.chainId)})`,
    ...(config.rules === 'off' ? [] : [`${title('Rules:')} ${config.rules}`]),
    '',
    title('Predeployed FeeToken'),
    `ETH Address: ${upper(tokens.eth.address)}`,
    `Class Hash: ${upper(tokens.eth.classHash)}`,
    `STRK Address: ${upper(tokens.strk.address)}`,
    `Class Hash: ${upper(tokens.strk.classHash)}`,
    '',
    title('Predeployed UDC'),
    `Address: ${upper(udc.address)}`,
    `Class Hash: ${upper(udc.classHash)}`,
    '',
  ];
  if (argent) {
    lines.push(
      title('Predeclared Argent account classes'),
      `Regular class hash: ${upper(argent.regular)}`,
      `Multisig class hash: ${upper(argent.multisig)}`,
      '',
    );
  }
  if (accounts.length > 0) {
    lines.push(
      `${title('Predeployed accounts using class Custom with hash:')} ${full(facts.accountClassHash)}`,
      '',
    );
    for (const { address, privateKey, publicKey } of accounts) {
      lines.push(
        `| Account address |  ${full(address)}`,
        `| Private key     |  ${full(privateKey)}`,
        `| Public key      |  ${full(publicKey)}`,
        '',
      );
    }
    lines.push(
      `Initial balance of each account: ${config.initialBalance} WEI and FRI`,
      `Seed to replicate this account sequence: ${config.seed}`,
      '',
    );
  }
  return lines.map((line) => `${line}\n`).join('');
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
  const local = LOCAL_HOSTS.has(host) ? ` (in wallets: http://localhost:${port})` : '';
  return `Starkbox listening on ${url}${local}\n`;
}
