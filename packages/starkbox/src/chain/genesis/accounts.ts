// Accounts derived from a seed, the minter account and the sequencer address.
import { type Class, contractAddress, publicKey, seededPrivateKeys } from '@starkbox/engine';
import {
  ACCOUNT_CLASSES,
  type AccountGroup,
  MAX_ACCOUNTS,
  type PredeployedAccount,
} from '../../predeployed.js';

/** Class for address derivation only, so that addresses do not depend on the account class. */
const ADDRESS_CLASS = '0x3fcbf77b28c96f4f2fb5bd2d176ab083a12a5e123adeb0de955d7ee228c9854';
const ADDRESS_SALT = '0x14';
const MINTER_KEY = '0x5fb2959e3011a873a7160f5bb32b0ece';

/** Recipient of the fees. */
export const SEQUENCER = '0x1000';

/** Owns 2^255 units of each token and is permitted to mint. */
export const MINTER: PredeployedAccount = {
  address: '0x1caf2df5ed5dde1ae3faef4acd72522ac3cb16e23f6dc4c7f9faed67124c511',
  privateKey: MINTER_KEY,
  publicKey: publicKey(MINTER_KEY),
};

/** More than a chain can begin with. */
const RELAYER_INDEX = 255;

export function seededAccounts(seed: number, count: number): readonly PredeployedAccount[] {
  return seededPrivateKeys(seed, count).map(accountOf);
}

/** The account that sends the transactions of a paymaster. */
export function seededRelayer(seed: number): PredeployedAccount {
  return accountOf(seededPrivateKeys(seed, RELAYER_INDEX + 1)[RELAYER_INDEX] ?? '0x1');
}

function accountOf(privateKey: string): PredeployedAccount {
  const key = publicKey(privateKey);
  const address = contractAddress({
    salt: ADDRESS_SALT,
    class_hash: ADDRESS_CLASS,
    constructor_calldata: [key],
    deployer: '0x0',
  });
  return { address, privateKey, publicKey: key };
}

/** Above the largest number of accounts of a class, and above the key of the relayer. */
const KEYS_OF_A_CLASS = MAX_ACCOUNTS + 1;

/** Accounts of a class at the addresses of their deployment, with their public keys as salt. */
export function classAccounts(
  seed: number,
  { name, count }: AccountGroup,
  { hash }: Class,
): readonly PredeployedAccount[] {
  // Each class has keys of its own, so that the number of other accounts changes none.
  const first = KEYS_OF_A_CLASS * (1 + ACCOUNT_CLASSES.indexOf(name));
  return seededPrivateKeys(seed, first + count)
    .slice(first)
    .map((privateKey) => {
      const key = publicKey(privateKey);
      const address = contractAddress({
        salt: key,
        class_hash: hash,
        // An Argent account has an owner that is a Stark key, and no guardian.
        constructor_calldata: name === 'argent' ? ['0x0', key, '0x1'] : [key],
        deployer: '0x0',
      });
      return { address, privateKey, publicKey: key, classHash: hash };
    });
}
