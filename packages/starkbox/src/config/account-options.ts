// Options of the accounts that exist from the start.
import { MAX_ACCOUNTS, readAccountGroups } from '../predeployed.js';
import { accepting, bigNumber, inGroup, oneOf, path, trueOrFalse, wholeNumber } from './option.js';

const U32 = 2 ** 32 - 1;

export const ACCOUNT_OPTIONS = inGroup('accounts', {
  accounts: {
    flag: '--accounts <NUMBER>',
    hasShortVariable: true,
    field: 'total_accounts',
    isFixed: true,
    default: 10,
    parse: wholeNumber(0, MAX_ACCOUNTS),
    help: 'Number of funded accounts to deploy at the start.',
    brief: 'Number of funded accounts',
  },
  accountClass: {
    flag: '--account-class <ACCOUNT_CLASS>',
    hasShortVariable: true,
    field: 'account_contract_class_hash',
    isFixed: true,
    default: 'cairo1',
    parse: oneOf('cairo0', 'cairo1'),
    help: 'Class of these accounts. Both classes are OpenZeppelin accounts.',
  },
  /** A path. Takes the place of `accountClass`. */
  accountClassCustom: {
    flag: '--account-class-custom <PATH>',
    hasShortVariable: true,
    field: 'account_contract_class_hash',
    isFixed: true,
    default: undefined,
    parse: path,
    help: 'Use the Sierra class in this JSON file for these accounts. It must have the functions __execute__ and __validate__.',
  },
  /** Groups as `argent=2,cairo0=1`. */
  moreAccounts: {
    flag: '--more-accounts <CLASS=NUMBER>',
    isFixed: true,
    default: undefined,
    defaultText: 'none',
    parse: accepting(
      `classes (cairo0, cairo1, argent) with numbers from 1 to ${MAX_ACCOUNTS}, such as argent=2,cairo0=1`,
      (text) =>
        readAccountGroups(text)
          ?.map(({ name, count }) => `${name}=${count}`)
          .join(','),
      ['cairo1=1', 'cairo0=1', 'argent=1'],
    ),
    help: 'Deploy funded accounts of other classes too, such as argent=2,cairo0=1. Their addresses follow from class and key, as if deployed. Install the package @starkbox/argent-classes for argent.',
  },
  predeclareArgent: {
    flag: '--predeclare-argent',
    hasShortVariable: true,
    isFixed: true,
    default: false,
    parse: trueOrFalse,
    help: 'Declare the classes of Argent accounts: regular 0.4.0 and multisig 0.2.0. Install the package @starkbox/argent-classes first.',
  },
  /** Of each account, in wei and in fri. */
  initialBalance: {
    flag: '--initial-balance <DECIMAL_VALUE>',
    hasShortVariable: true,
    field: 'predeployed_accounts_initial_balance',
    short: '-e',
    isFixed: true,
    default: 10n ** 21n,
    parse: bigNumber(0n),
    help: 'Initial balance of each account, in wei of ETH and in fri of STRK.',
    brief: 'Balance of each account, in wei and fri',
  },
  /** In fri. */
  fundAccounts: {
    flag: '--fund-accounts <FRI>',
    default: undefined,
    defaultText: 'off',
    parse: bigNumber(1n, 2n ** 128n - 1n),
    help: 'Give this amount of STRK to each account that sends or deploys while it holds no STRK.',
  },
  seed: {
    flag: '--seed <SEED>',
    hasShortVariable: true,
    field: 'seed',
    isFixed: true,
    get default() {
      return Math.floor(Math.random() * (U32 + 1));
    },
    defaultText: 'random',
    parse: wholeNumber(0, U32),
    help: 'Seed of the accounts. The same seed gives the same accounts.',
    brief: 'The same seed gives the same accounts',
  },
});
