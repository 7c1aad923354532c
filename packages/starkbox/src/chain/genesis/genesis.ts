// Content of the first block: classes, tokens, deployers, accounts and balances.

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
import { ADDRESS_BOUND, hex, shortString, u256Entries } from '../../felt.js';
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
import { classAccounts, MINTER, SEQUENCER, seededAccounts } from './accounts.js';
import { argentClasses } from './argent-classes.js';

const LEGACY_UDC = '0x41a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf';
/** Id of the SNIP-6 account interface. */
const SRC6 = '0x2ceccef7f994940b3962a6c67e0ba4fcd37df7d131417c604f91e03caecc1cd';
const MINTER_BALANCE = 2n ** 255n;

/** The initial state and its predeployed contracts. */
export interface Genesis {
  /** The first block is pending. */
  readonly state: State;
  readonly accounts: readonly PredeployedAccount[];
  readonly accountClass: Class;
  readonly eth: PredeployedContract;
  readonly strk: PredeployedContract;
  readonly udc: PredeployedContract;
  readonly argent: { readonly regular: string; readonly multisig: string } | undefined;
  /** Loads the account and fee token code in advance, to speed up the first transaction. */
  readonly warm: () => Promise<void>;
}

type GenesisConfig = Pick<
  Config,
  | 'accounts'
  | 'accountClass'
  | 'accountClassCustom'
  | 'initialBalance'
  | 'moreAccounts'
  | 'predeclareArgent'
  | 'seed'
  | 'stateArchive'
>;

/** @param fork the forked chain, whose existing tokens and balances are kept */
export async function createGenesis(config: GenesisConfig, fork?: Fork): Promise<Genesis> {
  const groups = readAccountGroups(config.moreAccounts ?? '') ?? [];
  const [account, accountCairo0, strk, eth, udc, udcCairo0, argent, custom] = await Promise.all([
    builtinClass('account'),
    builtinClass('account-cairo0'),
    builtinClass('strk'),
    builtinClass('eth'),
    builtinClass('udc'),
    builtinClass('udc-cairo0'),
    config.predeclareArgent || groups.some(({ name }) => name === 'argent') ? argentClasses() : [],
    config.accountClassCustom === undefined
      ? undefined
      : readAccountClass(config.accountClassCustom).catch((error: unknown) => {
          throw new AccountClassError(reasonOf(error), { cause: error });
        }),
  ]);
  const accountClass = custom ?? (config.accountClass === 'cairo0' ? accountCairo0 : account);
  const [regular = account, multisig] = argent;
  const classOf = { cairo0: accountCairo0, cairo1: account, argent: regular };
  const accounts = [
    ...seededAccounts(config.seed, config.accounts),
    ...groups.flatMap((group) => classAccounts(config.seed, group, classOf[group.name])),
  ];
  const deployed = (address: string, { hash }: Class) => ({ address, class_hash: hash });
  const empty = State.create({
    keepHistory: config.stateArchive === 'full',
    ...(fork ? { version: fork.next, source: fork.stateSource } : {}),
  });
  const holders = [MINTER, ...accounts].map(({ address }) => address);
  const existing = fork
    ? await readExistingContracts(fork, [STRK, ETH], holders, [MINTER.address, SEQUENCER])
    : NO_CONTRACTS;
  const ownTokens = [deployed(STRK, strk), deployed(ETH, eth)];
  const diff: Partial<StateDiff> = {
    deployed_contracts: [
      ...ownTokens.filter(({ address }) => !existing.has(address)),
      deployed(UDC, udc),
      deployed(LEGACY_UDC, udcCairo0),
      ...[deployed(MINTER.address, account)].filter(({ address }) => !existing.has(address)),
      ...accounts.map(({ address, classHash = accountClass.hash }) => ({
        address,
        class_hash: classHash,
      })),
    ],
    storage_diffs: [
      token(STRK, 'StarkNet Token', 'STRK', accounts, config.initialBalance, existing),
      token(ETH, 'Ether', 'ETH', accounts, config.initialBalance, existing),
      ...[MINTER, ...accounts].map((holder) => accountStorage(holder, argent[0])),
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
    argent: multisig && { regular: regular.hash, multisig: multisig.hash },
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

function accountStorage(
  { address, publicKey, classHash }: PredeployedAccount,
  argent: Class | undefined,
): StateDiff['storage_diffs'][number] {
  if (classHash !== undefined && classHash === argent?.hash) {
    return { address, storage_entries: [{ key: storageAddress('_signer'), value: publicKey }] };
  }
  return {
    address,
    storage_entries: [
      { key: storageAddress('Account_public_key'), value: publicKey },
      { key: storageAddress('SRC5_supported_interfaces', [SRC6]), value: '0x1' },
    ],
  };
}

function token(
  address: string,
  name: string,
  symbol: string,
  accounts: readonly PredeployedAccount[],
  balance: bigint,
  existing: ExistingContracts,
): StateDiff['storage_diffs'][number] {
  const isNew = ({ address }: PredeployedAccount): boolean => !existing.has(address);
  const added = BigInt(accounts.filter(isNew).length) * balance;
  const minted = isNew(MINTER) ? MINTER_BALANCE : 0n;
  const supply = existing.supply(address) + added + minted;
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
  const [word = '0x0'] = hades([slot, '0x0', shortString('ByteArray')]);
  return [
    { key: slot, value: hex(text.length) },
    { key: hex(BigInt(word) % ADDRESS_BOUND), value: shortString(text) },
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
