// Content of the first block: classes, tokens, deployers, accounts and balances.

import { ADDRESS_BOUND, encodeShortString, toFelt, u256Entries } from '@starkbox/abi/basics';
import {
  builtinClass,
  Class,
  hades,
  State,
  type StateDiff,
  storageAddress,
} from '@starkbox/engine';
import type { Config } from '../../config/options.js';
import { AccountClassError, reasonOf } from '../../errors.js';
import { readRegular } from '../../files/regular-file.js';
import {
  type ExistingContracts,
  NO_CONTRACTS,
  readExistingContracts,
} from '../../fork/existing-contracts.js';
import type { Fork } from '../../fork/fork.js';
import {
  ETH,
  type PredeployedAccount,
  type PredeployedContract,
  readAccountGroups,
  STRK,
  UDC,
} from '../../predeployed.js';
import { classAccounts, MINTER, SEQUENCER, seededAccounts, seededRelayer } from './accounts.js';
import { argentClasses } from './argent-classes.js';

const LEGACY_UDC = '0x41a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf';
/** Id of the SNIP-6 account interface. */
const SRC6 = '0x2ceccef7f994940b3962a6c67e0ba4fcd37df7d131417c604f91e03caecc1cd';
/** Id of version 2 of the SNIP-9 interface of outside executions. */
const SRC9_V2 = '0x1d1144bb2138366ff28d8e9ab57456b1d332ac42196230c3a602003c89872';
const MINTER_BALANCE = 2n ** 255n;
/** Of the relayer of a paymaster, in fri and in wei. */
export const RELAYER_BALANCE: bigint = 10n ** 24n;

/** The initial state and its predeployed contracts. */
export interface Genesis {
  /** The first block is pending. */
  readonly state: State;
  readonly accounts: readonly PredeployedAccount[];
  readonly accountClass: Class;
  readonly eth: PredeployedContract;
  readonly strk: PredeployedContract;
  readonly udc: PredeployedContract;
  /** Hashes of the classes that come with the packages. */
  readonly shippedClasses: ReadonlySet<string>;
  readonly argent: { readonly regular: string; readonly multisig: string } | undefined;
  /** Sends the transactions of the paymaster; undefined without one. */
  readonly relayer: RelayerAccount | undefined;
  /** Loads the account and fee token code in advance, to speed up the first transaction. */
  readonly warm: () => Promise<void>;
}

export interface RelayerAccount extends PredeployedAccount {
  /** What a chain lacks that began without a paymaster. */
  readonly setup: Pick<StateDiff, 'deployed_contracts' | 'storage_diffs'>;
}

type GenesisConfig = Pick<
  Config,
  | 'accounts'
  | 'accountClass'
  | 'accountClassCustom'
  | 'initialBalance'
  | 'moreAccounts'
  | 'paymaster'
  | 'predeclareArgent'
  | 'seed'
  | 'stateArchive'
>;

/** @param fork the forked chain, whose existing tokens and balances are kept */
export async function createGenesis(config: GenesisConfig, fork?: Fork): Promise<Genesis> {
  const groups = readAccountGroups(config.moreAccounts ?? '') ?? [];
  const hasArgent = config.predeclareArgent || groups.some(({ name }) => name === 'argent');
  const [account, accountCairo0, strk, eth, udc, udcCairo0, argent, custom] = await Promise.all([
    builtinClass('account'),
    builtinClass('account-cairo0'),
    builtinClass('strk'),
    builtinClass('eth'),
    builtinClass('udc'),
    builtinClass('udc-cairo0'),
    hasArgent ? argentClasses() : [],
    config.accountClassCustom === undefined
      ? undefined
      : readAccountClass(config.accountClassCustom).catch((error: unknown) => {
          throw new AccountClassError(reasonOf(error), { cause: error });
        }),
  ]);
  const accountClass = custom ?? (config.accountClass === 'cairo0' ? accountCairo0 : account);
  const [regular, multisig] = argent;
  const classOf = { cairo0: accountCairo0, cairo1: account, argent: regular ?? account };
  const accounts = [
    ...seededAccounts(config.seed, config.accounts),
    ...groups.flatMap((group) => classAccounts(config.seed, group, classOf[group.name])),
  ];
  const relayer = config.paymaster ? seededRelayer(config.seed) : undefined;
  const ownAccounts = relayer ? [MINTER, relayer] : [MINTER];
  const toDeployed = (address: string, { hash }: Class) => ({ address, class_hash: hash });
  const empty = State.create({
    keepHistory: config.stateArchive === 'full',
    ...(fork ? { version: fork.next, source: fork.stateSource } : {}),
  });
  const holders = [...ownAccounts, ...accounts].map(({ address }) => address);
  const existing = fork
    ? await readExistingContracts(fork, [STRK, ETH], holders, [MINTER.address, SEQUENCER])
    : NO_CONTRACTS;
  const ownTokens = [toDeployed(STRK, strk), toDeployed(ETH, eth)];
  const balances = { accounts, balance: config.initialBalance, relayer };
  const outside = config.paymaster ? await withOutsideExecution([accountClass, account]) : NONE;
  const outsideInterfaces = accounts
    .filter(({ classHash = accountClass.hash }) => outside.has(classHash))
    .map(outsideInterface);
  const diff: Partial<StateDiff> = {
    deployed_contracts: [
      ...ownTokens.filter(({ address }) => !existing.has(address)),
      toDeployed(UDC, udc),
      toDeployed(LEGACY_UDC, udcCairo0),
      ...ownAccounts
        .filter(({ address }) => !existing.has(address))
        .map(({ address }) => toDeployed(address, account)),
      ...accounts.map(({ address, classHash = accountClass.hash }) => ({
        address,
        class_hash: classHash,
      })),
    ],
    storage_diffs: [
      token(STRK, 'StarkNet Token', 'STRK', balances, existing),
      token(ETH, 'Ether', 'ETH', balances, existing),
      ...ownAccounts.map(accountStorage),
      ...accounts.map((predeployed) =>
        predeployed.classHash !== undefined && predeployed.classHash === regular?.hash
          ? argentStorage(predeployed)
          : accountStorage(predeployed),
      ),
      ...outsideInterfaces,
    ],
  };
  const classes = [account, accountCairo0, strk, eth, udc, udcCairo0, ...argent];
  return {
    state: await (await withStart(empty, fork?.start)).apply(
      diff,
      custom ? [...classes, custom] : classes,
    ),
    accounts,
    accountClass,
    eth: { address: ETH, classHash: existing.tokenClass(ETH) ?? eth.hash },
    strk: { address: STRK, classHash: existing.tokenClass(STRK) ?? strk.hash },
    udc: { address: UDC, classHash: udc.hash },
    shippedClasses: new Set(classes.map(({ hash }) => hash)),
    argent: regular && multisig ? { regular: regular.hash, multisig: multisig.hash } : undefined,
    relayer: relayer && {
      ...relayer,
      setup: {
        deployed_contracts: [toDeployed(relayer.address, account)],
        storage_diffs: [accountStorage(relayer), ...outsideInterfaces],
      },
    },
    async warm() {
      await Promise.all([accountClass.warm(), strk.warm()]);
    },
  };
}

/** The state after the changes of a block in the middle of which the fork begins. */
async function withStart(empty: State, start: Fork['start']): Promise<State> {
  let state = empty;
  for (const diff of start?.diffs ?? []) {
    const declared = new Set([
      ...diff.declared_classes.map(({ class_hash }) => class_hash),
      ...diff.deprecated_declared_classes,
    ]);
    const classes = start?.classes.filter(({ hash }) => declared.has(hash));
    await state.prefetch(diff);
    state = await state.apply(diff, classes);
  }
  return state;
}

const NONE: ReadonlySet<string> = new Set();

/** Hashes of classes whose constructor registers the interface, by which clients find out whether an account has it. */
async function withOutsideExecution(classes: readonly Class[]): Promise<ReadonlySet<string>> {
  const hashes = new Set<string>();
  for (const accountClass of classes) {
    const names = externalNames(await accountClass.abi());
    if (names.has('execute_from_outside_v2')) hashes.add(accountClass.hash);
  }
  return hashes;
}

/** The storage of an Argent account without a guardian, as its constructor writes it. */
function argentStorage({
  address,
  publicKey,
}: PredeployedAccount): StateDiff['storage_diffs'][number] {
  return { address, storage_entries: [{ key: storageAddress('_signer'), value: publicKey }] };
}

/** The storage of an account of a class of OpenZeppelin, as its constructor writes it. */
function accountStorage(account: PredeployedAccount): StateDiff['storage_diffs'][number] {
  return {
    address: account.address,
    storage_entries: [
      { key: storageAddress('Account_public_key'), value: account.publicKey },
      { key: storageAddress('SRC5_supported_interfaces', [SRC6]), value: '0x1' },
    ],
  };
}

function outsideInterface({ address }: PredeployedAccount): StateDiff['storage_diffs'][number] {
  const key = storageAddress('SRC5_supported_interfaces', [SRC9_V2]);
  return { address, storage_entries: [{ key, value: '0x1' }] };
}

interface InitialBalances {
  readonly accounts: readonly PredeployedAccount[];
  /** Of each of these accounts. */
  readonly balance: bigint;
  readonly relayer: PredeployedAccount | undefined;
}

function token(
  address: string,
  name: string,
  symbol: string,
  { accounts, balance, relayer }: InitialBalances,
  existing: ExistingContracts,
): StateDiff['storage_diffs'][number] {
  const isNew = ({ address }: PredeployedAccount): boolean => !existing.has(address);
  const added = BigInt(accounts.filter(isNew).length) * balance;
  const minted = isNew(MINTER) ? MINTER_BALANCE : 0n;
  const lent = relayer && isNew(relayer) ? RELAYER_BALANCE : 0n;
  const supply = existing.supply(address) + added + minted + lent;
  const predeployed = [
    ...byteArray('ERC20_name', name),
    ...byteArray('ERC20_symbol', symbol),
    { key: storageAddress('ERC20_decimals'), value: '0x12' },
  ];
  const isThere = existing.has(address);
  const entries = [
    ...(isThere ? [] : predeployed),
    { key: storageAddress('permitted_minter'), value: MINTER.address },
    ...accounts.flatMap((holder) => balanceEntries(holder.address, balance)),
    ...(isNew(MINTER) ? balanceEntries(MINTER.address, MINTER_BALANCE) : []),
    ...(relayer && lent > 0n ? balanceEntries(relayer.address, lent) : []),
    ...u256Entries(storageAddress('ERC20_total_supply'), supply),
  ];
  // Slots of a new token are zero by default.
  return { address, storage_entries: entries.filter(({ value }) => isThere || value !== '0x0') };
}

function balanceEntries(holder: string, amount: bigint): readonly Entry[] {
  return u256Entries(storageAddress('ERC20_balances', [holder]), amount);
}

type Entry = StateDiff['storage_diffs'][number]['storage_entries'][number];

/** Storage entries of a short ByteArray: its length, and its bytes at a derived address. */
function byteArray(variable: string, text: string): readonly Entry[] {
  const slot = storageAddress(variable);
  const [word = '0x0'] = hades([slot, '0x0', encodeShortString('ByteArray')]);
  return [
    { key: slot, value: toFelt(text.length) },
    { key: toFelt(BigInt(word) % ADDRESS_BOUND), value: encodeShortString(text) },
  ];
}

/** Reads the file of `--account-class-custom`, which must be a Sierra account class. */
async function readAccountClass(path: string): Promise<Class> {
  const custom = await Class.compile(await readRegular(path));
  const names = custom.kind === 'sierra' ? externalNames(await custom.abi()) : new Set<string>();
  const [execute, validate] = [names.has('__execute__'), names.has('__validate__')];
  if (!execute || !validate) {
    throw new Error(
      `Not a valid Sierra account artifact; has __execute__: ${execute}; has __validate__: ${validate}`,
    );
  }
  return custom;
}

/** Names of all functions in an ABI, including those in interfaces. */
function externalNames(abi: readonly unknown[], names = new Set<string>()): Set<string> {
  for (const entry of abi) {
    if (typeof entry !== 'object' || entry === null) continue;
    if ('type' in entry && entry.type === 'function' && 'name' in entry) {
      names.add(String(entry.name));
    }
    if ('items' in entry && Array.isArray(entry.items)) externalNames(entry.items, names);
  }
  return names;
}
