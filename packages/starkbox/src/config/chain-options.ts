// Options of the chain, its blocks and its gas prices.
import { NEWEST_VERSION, STARKNET_VERSIONS } from '../starknet-versions.js';
import {
  bigNumber,
  blockGeneration,
  chainName,
  inGroup,
  l1Acceptance,
  networkConditions,
  oneOf,
  path,
  trueOrFalse,
  wholeNumber,
} from './option.js';

const GAS_PRICE = {
  hasShortVariable: true,
  group: 'fees' as const,
  default: 10n ** 9n,
  defaultText: '1000000000; on a fork, the price in the fork block',
  parse: bigNumber(1n, 2n ** 128n - 1n),
};

export const CHAIN_OPTIONS = inGroup('chain', {
  /** As the chain itself writes it: `SN_SEPOLIA`. */
  chainId: {
    flag: '--chain-id <CHAIN_ID>',
    hasShortVariable: true,
    field: 'chain_id',
    isFixed: true,
    default: 'SN_SEPOLIA',
    defaultText: 'TESTNET',
    parse: chainName,
    help: 'Chain id. MAINNET stands for SN_MAIN and TESTNET for SN_SEPOLIA. Other names keep their case.',
    brief: 'MAINNET, TESTNET or any other name',
  },
  /** A folder. */
  artifacts: {
    flag: '--artifacts <FOLDER>',
    default: undefined,
    parse: path,
    help: 'Watch compiled contracts in this folder, such as target/dev. When a class changes, the node replaces the class of its deployed contracts and keeps their storage. Explained failures show source lines.',
    brief: 'Watch compiled contracts and replace changed classes',
  },
  liteMode: {
    flag: '--lite-mode',
    hasShortVariable: true,
    field: 'lite_mode',
    isFixed: true,
    default: false,
    parse: trueOrFalse,
    help: 'Create blocks faster, with a simple hash and without commitments.',
  },
  proofMode: {
    flag: '--proof-mode <PROOF_MODE>',
    hasShortVariable: true,
    field: 'proof_mode',
    default: 'devnet',
    parse: oneOf('full', 'devnet', 'none'),
    help: 'How the node handles proofs in transactions: devnet makes and verifies mock proofs. This version does not support full.',
  },
  /** Undefined: the version of the fork block, or the newest. */
  starknetVersion: {
    flag: '--starknet-version <VERSION>',
    isFixed: true,
    default: undefined,
    defaultText: `${NEWEST_VERSION}; on a fork, the version of the fork block`,
    parse: oneOf(...STARKNET_VERSIONS),
    help: 'Meter the execution of blocks by the constants of this version of Starknet.',
  },
  rules: {
    flag: '--rules <NETWORK>',
    field: 'rules',
    default: 'off',
    parse: oneOf('mainnet', 'sepolia', 'off'),
    help: "Reject transactions and classes that the gateway of this network rejects. The default L2 gas price in fri is then the network's minimum.",
    brief: 'Reject what mainnet or sepolia would reject',
  },
  /** A number is an interval in seconds. */
  blockGenerationOn: {
    flag: '--block-generation-on <BLOCK_GENERATION_ON>',
    aliases: ['--block-time'],
    hasShortVariable: true,
    field: 'block_generation_on',
    group: 'blocks',
    default: 'transaction',
    parse: blockGeneration,
    fraction: (seconds) => `${seconds * 1000}ms`,
    help: "When to create a block: after each transaction, on demand, or at an interval. With mempool, transactions wait until a call pre-confirms them; with mempool:2, a builder closes a block from the mempool every 2 seconds. On demand and at an interval, a transaction whose nonce is above the account's is executed at once, as in starknet-devnet; with mempool it waits, as on a network.",
    brief: 'transaction, demand, mempool or seconds',
  },
  mempoolOrder: {
    flag: '--mempool-order <MEMPOOL_ORDER>',
    group: 'blocks',
    default: 'fifo',
    parse: oneOf('fifo', 'tip', 'random'),
    help: 'Which transaction to take from the mempool next: the oldest (fifo), the highest tip, or a random choice that depends on --seed.',
  },
  /** Of the network that the chain imitates. */
  networkConditions: {
    flag: '--network-conditions <PRESET|FILE>',
    group: 'blocks',
    default: undefined,
    parse: networkConditions,
    help: 'Imitate a network: calm, busy or congested, or a JSON file with conditions. Prices move, blocks have the capacity of the network, and others compete for it.',
  },
  /** A number counts blocks; `600s` is an age in seconds. */
  l1Acceptance: {
    flag: '--l1-acceptance <BLOCKS|SECONDSs>',
    field: 'l1_acceptance',
    group: 'blocks',
    default: 'off',
    parse: l1Acceptance,
    help: 'Accept a block on L1 when this many blocks follow it (5), or when it is this many seconds old (600s).',
  },
  /** Seconds since 1970. */
  startTime: {
    flag: '--start-time <SECONDS>',
    hasShortVariable: true,
    field: 'start_time',
    group: 'blocks',
    default: undefined,
    defaultText: 'now; on a fork, one second after the fork block',
    parse: wholeNumber(0),
    help: 'Time of the first block, in seconds since 1970.',
    brief: 'Time of the first block, in seconds since 1970',
  },
  /** Whether transactions pay a fee. */
  chargeFee: {
    flag: '--no-fee',
    group: 'fees',
    default: true,
    parse: trueOrFalse,
    help: 'Execute transactions without charging a fee. Senders need no resource bounds and no balance. Receipts still show the fee.',
    brief: 'Charge no fees',
  },
  gasMarket: {
    flag: '--gas-market',
    group: 'fees',
    default: false,
    parse: trueOrFalse,
    help: "Change the price of L2 gas from block to block by the protocol's rule, and limit blocks to the capacity of the network.",
  },
  gasPriceWei: {
    ...GAS_PRICE,
    flag: '--gas-price <WEI_PER_GAS_UNIT>',
    field: 'gas_price_wei',
    help: 'Price of L1 gas, in wei.',
  },
  gasPriceFri: {
    ...GAS_PRICE,
    flag: '--gas-price-fri <FRI_PER_GAS_UNIT>',
    field: 'gas_price_fri',
    help: 'Price of L1 gas, in fri.',
  },
  dataGasPriceWei: {
    ...GAS_PRICE,
    flag: '--data-gas-price <WEI_PER_GAS_UNIT>',
    field: 'data_gas_price_wei',
    help: 'Price of L1 data gas, in wei.',
  },
  dataGasPriceFri: {
    ...GAS_PRICE,
    flag: '--data-gas-price-fri <FRI_PER_GAS_UNIT>',
    field: 'data_gas_price_fri',
    help: 'Price of L1 data gas, in fri.',
  },
  l2GasPriceWei: {
    ...GAS_PRICE,
    flag: '--l2-gas-price <WEI_PER_GAS_UNIT>',
    field: 'l2_gas_price_wei',
    help: 'Price of L2 gas, in wei.',
  },
  l2GasPriceFri: {
    ...GAS_PRICE,
    flag: '--l2-gas-price-fri <FRI_PER_GAS_UNIT>',
    field: 'l2_gas_price_fri',
    help: 'Price of L2 gas, in fri.',
  },
});
