// Options of the chain, its blocks and its gas prices.
import type { BlockGeneration } from '../block-settings.js';
import {
  bigNumber,
  blockGeneration,
  chainName,
  inGroup,
  type OptionTable,
  oneOf,
  path,
  trueOrFalse,
  wholeNumber,
} from './option.js';

const GAS_PRICE = {
  hasShortVariable: true,
  group: 'Gas prices',
  isPortable: true,
  default: 10n ** 9n,
  defaultText: '1000000000; on a fork, the price in the fork block',
  parse: bigNumber(1n, 2n ** 128n - 1n),
};

export interface ChainConfig {
  /** A folder. */
  readonly artifacts: string | undefined;
  /** As the chain itself writes it: `SN_SEPOLIA`. */
  readonly chainId: string;
  readonly liteMode: boolean;
  readonly proofMode: 'full' | 'devnet' | 'none';
  readonly rules: 'mainnet' | 'sepolia' | 'off';
  /** A number is an interval in seconds. */
  readonly blockGenerationOn: BlockGeneration;
  readonly mempoolOrder: 'fifo' | 'tip' | 'random';
  /** Seconds since 1970. */
  readonly startTime: number | undefined;
  /** Whether transactions pay a fee. */
  readonly chargeFee: boolean;
  readonly gasPriceWei: bigint;
  readonly gasPriceFri: bigint;
  readonly dataGasPriceWei: bigint;
  readonly dataGasPriceFri: bigint;
  readonly l2GasPriceWei: bigint;
  readonly l2GasPriceFri: bigint;
}

export const CHAIN_OPTIONS: OptionTable<ChainConfig> = inGroup('Chain', {
  chainId: {
    flag: '--chain-id <CHAIN_ID>',
    hasShortVariable: true,
    field: 'chain_id',
    isFixed: true,
    isPortable: true,
    default: 'SN_SEPOLIA',
    defaultText: 'TESTNET',
    parse: chainName,
    help: 'MAINNET (SN_MAIN), TESTNET (SN_SEPOLIA) or a name of your own, of up to 31 characters, kept in its case.',
  },
  artifacts: {
    flag: '--artifacts <DIR>',
    default: undefined,
    parse: path,
    help: 'Watch compiled contracts in this folder and those in it, such as target/dev: when one changes, contracts that were deployed from it get the new class and keep their storage. Explanations of failures show lines of their source.',
  },
  liteMode: {
    flag: '--lite-mode',
    hasShortVariable: true,
    field: 'lite_mode',
    isFixed: true,
    isPortable: true,
    default: false,
    parse: trueOrFalse,
    help: 'Faster blocks: with a simple hash and without commitments.',
  },
  proofMode: {
    flag: '--proof-mode <PROOF_MODE>',
    hasShortVariable: true,
    field: 'proof_mode',
    isPortable: true,
    default: 'devnet',
    parse: oneOf('full', 'devnet', 'none'),
    help: 'How proofs of transactions are handled: devnet (mock proofs) or none. full is not available yet.',
  },
  rules: {
    flag: '--rules <NETWORK>',
    field: 'rules',
    isPortable: true,
    default: 'off',
    parse: oneOf('mainnet', 'sepolia', 'off'),
    help: 'Refuse transactions and classes that the gateway of this network refuses; the default L2 gas price in fri is then its minimum.',
  },
  blockGenerationOn: {
    flag: '--block-generation-on <BLOCK_GENERATION_ON>',
    hasShortVariable: true,
    field: 'block_generation_on',
    group: 'Blocks and time',
    isPortable: true,
    default: 'transaction',
    parse: blockGeneration,
    fraction: (seconds) => `${seconds * 1000}ms`,
    help: 'When a block is created: after each transaction, on demand, or every N seconds (a number such as 5, or 500ms). With mempool, transactions wait until they are pre-confirmed by a call.',
  },
  mempoolOrder: {
    flag: '--mempool-order <MEMPOOL_ORDER>',
    group: 'Blocks and time',
    isPortable: true,
    default: 'fifo',
    parse: oneOf('fifo', 'tip', 'random'),
    help: 'Which transaction of the mempool is next: the oldest (fifo), the one with the highest tip, or a random one that follows from --seed.',
  },
  startTime: {
    flag: '--start-time <SECONDS>',
    hasShortVariable: true,
    field: 'start_time',
    group: 'Blocks and time',
    isPortable: true,
    default: undefined,
    defaultText: 'now; on a fork, one second after the fork block',
    parse: wholeNumber(0),
    help: 'Time of the first block, in seconds since 1970.',
  },
  chargeFee: {
    flag: '--no-fee',
    group: 'Gas prices',
    isPortable: true,
    default: true,
    parse: trueOrFalse,
    help: 'Execute transactions without charging a fee: neither bounds nor a balance are needed, and receipts show what it would be.',
  },
  gasPriceWei: {
    ...GAS_PRICE,
    flag: '--gas-price <WEI_PER_GAS_UNIT>',
    field: 'gas_price_wei',
    help: 'L1 gas, in wei.',
  },
  gasPriceFri: {
    ...GAS_PRICE,
    flag: '--gas-price-fri <FRI_PER_GAS_UNIT>',
    field: 'gas_price_fri',
    help: 'L1 gas, in fri.',
  },
  dataGasPriceWei: {
    ...GAS_PRICE,
    flag: '--data-gas-price <WEI_PER_GAS_UNIT>',
    field: 'data_gas_price_wei',
    help: 'L1 data gas, in wei.',
  },
  dataGasPriceFri: {
    ...GAS_PRICE,
    flag: '--data-gas-price-fri <FRI_PER_GAS_UNIT>',
    field: 'data_gas_price_fri',
    help: 'L1 data gas, in fri.',
  },
  l2GasPriceWei: {
    ...GAS_PRICE,
    flag: '--l2-gas-price <WEI_PER_GAS_UNIT>',
    field: 'l2_gas_price_wei',
    help: 'L2 gas, in wei.',
  },
  l2GasPriceFri: {
    ...GAS_PRICE,
    flag: '--l2-gas-price-fri <FRI_PER_GAS_UNIT>',
    field: 'l2_gas_price_fri',
    help: 'L2 gas, in fri.',
  },
});
