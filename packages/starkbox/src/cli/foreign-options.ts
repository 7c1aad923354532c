// Options of other development nodes, and what to use here in their place.
import { joinWords } from '@starkbox/abi/basics';

type Tool = 'Anvil' | 'Hardhat' | 'Katana' | 'starknet-devnet';

interface Replacement {
  readonly tools: readonly Tool[];
  /** Arguments of this command. */
  readonly use?: string;
  /** What to do where no option is the same. */
  readonly advice?: string;
}

const ANVIL = ['Anvil'] as const;
const HARDHAT = ['Hardhat'] as const;
const KATANA = ['Katana'] as const;
const ANVIL_AND_KATANA = ['Anvil', 'Katana'] as const;

const NOT_HERE = 'leave it out: no option of this node does the same';
const STEP_LIMITS = "leave it out: the network's limits apply";
const PUBLIC_KEYS = 'accounts come from a number, not from a phrase';

/** By name. Options that mean the same here and there are aliases in the table of options. */
export const FOREIGN_OPTIONS: Readonly<Record<string, Replacement>> = {
  '-a': { tools: ANVIL, use: '--accounts NUMBER' },
  '-b': { tools: ANVIL_AND_KATANA, use: '--block-time SECONDS' },
  '-f': { tools: ANVIL, use: '--fork-network URL' },
  '-m': { tools: ANVIL, use: '--seed NUMBER', advice: PUBLIC_KEYS },
  '-p': { tools: ANVIL, use: '--port PORT' },
  '-s': { tools: ANVIL, use: '--init FILE' },
  '--allow-origin': { tools: ANVIL, use: '--allowed-origins SITES' },
  '--auto-impersonate': { tools: ANVIL, use: '--init FILE', advice: 'call devnet_autoImpersonate' },
  '--balance': {
    tools: ANVIL,
    use: '--initial-balance AMOUNT',
    advice: 'the amount is in wei and fri, not in ether',
  },
  '--base-fee': { tools: ANVIL, use: '--l2-gas-price-fri PRICE' },
  '--block-base-fee-per-gas': { tools: ANVIL, use: '--l2-gas-price-fri PRICE' },
  '--blockTime': { tools: ANVIL, use: '--block-time SECONDS' },
  '--blocks-on-demand': { tools: ['starknet-devnet'], use: '--block-generation-on demand' },
  '--cache-path': { tools: ANVIL, use: '--fork-cache-dir FOLDER' },
  '--chain': { tools: KATANA, use: '--chain-id NAME' },
  '--chain-type': { tools: HARDHAT, use: '--chain-id NAME' },
  '--code-size-limit': { tools: ANVIL, use: '--maximum-contract-bytecode-size FELTS' },
  '--db-dir': { tools: KATANA, use: '--data-dir FOLDER' },
  '--dev': { tools: KATANA, advice: 'leave it out: this node always has funded accounts' },
  '--dev.accounts': { tools: KATANA, use: '--accounts NUMBER' },
  '--dev.no-account-validation': {
    tools: KATANA,
    use: '--init FILE',
    advice: 'call devnet_autoImpersonate',
  },
  '--dev.no-fee': { tools: KATANA, use: '--no-fee' },
  '--dev.seed': { tools: KATANA, use: '--seed NUMBER' },
  '--disable-fee': { tools: KATANA, use: '--no-fee' },
  '--disable-validate': {
    tools: KATANA,
    use: '--init FILE',
    advice: 'call devnet_autoImpersonate',
  },
  '--dump-state': { tools: ANVIL, use: '--dump-on exit --dump-path FILE' },
  '--explorer': { tools: KATANA, use: '--ui' },
  '--fork': { tools: HARDHAT, use: '--fork-network URL' },
  '--fork-block-number': { tools: ['Anvil', 'Hardhat', 'Katana'], use: '--fork-block BLOCK' },
  '--fork-chain-id': {
    tools: ANVIL,
    advice: 'leave it out: a fork has the chain id of its network',
  },
  '--fork-transaction-hash': { tools: ANVIL, use: '--fork-transaction HASH' },
  '--fork.block': { tools: KATANA, use: '--fork-block BLOCK' },
  '--fork.provider': { tools: KATANA, use: '--fork-network URL' },
  '--gas-limit': { tools: ANVIL, advice: 'leave it out: blocks have no limit' },
  '--genesis': { tools: KATANA, use: '--init FILE' },
  '--gpo.l1-eth-data-gas-price': { tools: KATANA, use: '--data-gas-price WEI' },
  '--gpo.l1-eth-gas-price': { tools: KATANA, use: '--gas-price WEI' },
  '--gpo.l1-strk-data-gas-price': { tools: KATANA, use: '--data-gas-price-fri FRI' },
  '--gpo.l1-strk-gas-price': { tools: KATANA, use: '--gas-price-fri FRI' },
  '--gpo.l2-eth-gas-price': { tools: KATANA, use: '--l2-gas-price WEI' },
  '--gpo.l2-strk-gas-price': { tools: KATANA, use: '--l2-gas-price-fri FRI' },
  '--hardfork': { tools: ANVIL, advice: NOT_HERE },
  '--hide-predeployed-accounts': { tools: ['starknet-devnet'], use: '--no-banner' },
  '--hostname': { tools: HARDHAT, use: '--host ADDRESS' },
  '--http.addr': { tools: KATANA, use: '--host ADDRESS' },
  '--http.cors_origins': { tools: KATANA, use: '--allowed-origins SITES' },
  '--http.port': { tools: KATANA, use: '--port PORT' },
  '--invoke-max-steps': { tools: KATANA, advice: STEP_LIMITS },
  '--json': { tools: ANVIL, use: '--log-format json' },
  '--json-log': { tools: KATANA, use: '--log-format json' },
  '--load-path': { tools: ['starknet-devnet'], use: '--dump-path FILE' },
  '--load-state': { tools: ANVIL, use: '--dump-path FILE' },
  '--log.format': { tools: KATANA, use: '--log-format json' },
  '--max-transactions': { tools: ANVIL, advice: 'leave it out: blocks have no limit' },
  '--messaging': { tools: KATANA, use: '--l1 URL' },
  '--metrics': { tools: KATANA, use: '--metrics-host ADDRESS' },
  '--metrics.addr': { tools: KATANA, use: '--metrics-host ADDRESS' },
  '--metrics.port': { tools: KATANA, use: '--metrics-port PORT' },
  '--mixed-mining': { tools: ANVIL, advice: NOT_HERE },
  '--mnemonic': { tools: ANVIL, use: '--seed NUMBER', advice: PUBLIC_KEYS },
  '--mnemonic-random': { tools: ANVIL, advice: 'leave --seed out: accounts are then random' },
  '--mnemonic-seed-unsafe': { tools: ANVIL, use: '--seed NUMBER' },
  '--no-cors': { tools: ANVIL, use: '--allowed-origins SITES' },
  '--no-mine': { tools: ANVIL, use: '--block-generation-on demand' },
  '--no-mining': { tools: ANVIL_AND_KATANA, use: '--block-generation-on demand' },
  '--no-request-size-limit': { tools: ANVIL, use: '--request-body-size-limit BYTES' },
  '--no-storage-caching': { tools: ANVIL, use: '--fork-upstream-caching false' },
  '--number': { tools: ANVIL, advice: NOT_HERE },
  '--order': { tools: ANVIL, use: '--block-generation-on mempool --mempool-order tip' },
  '--prune-history': { tools: ANVIL, use: '--state-archive-capacity none' },
  '--retries': {
    tools: ANVIL,
    advice: 'leave it out: a fork tries six times and follows Retry-After',
  },
  '--rpc-url': { tools: ANVIL_AND_KATANA, use: '--fork-network URL' },
  '--silent': { tools: ANVIL_AND_KATANA, use: '--quiet' },
  '--state': {
    tools: ANVIL,
    use: '--data-dir FOLDER',
    advice: 'or --dump-path FILE --dump-on exit --dump-format image',
  },
  '--steps-tracing': { tools: ANVIL, use: '--print-traces' },
  '--timestamp': { tools: ANVIL, use: '--start-time SECONDS' },
  '--total-accounts': { tools: KATANA, use: '--accounts NUMBER' },
  '--validate-max-steps': { tools: KATANA, advice: STEP_LIMITS },
  '--verbosity': { tools: ANVIL, use: '--log-level LEVEL' },
};

/** Completes "unknown option …", for an option of another node. */
export function foreignOption(name: string): string | undefined {
  const replacement = Object.hasOwn(FOREIGN_OPTIONS, name) ? FOREIGN_OPTIONS[name] : undefined;
  if (replacement === undefined) return undefined;
  const { tools, use, advice } = replacement;
  const hints = [
    ...(use === undefined ? [] : [`use '${use}'`]),
    ...(advice === undefined ? [] : [advice]),
  ];
  return ` of ${joinWords(tools, 'and')}: ${hints.join('; ')}`;
}
