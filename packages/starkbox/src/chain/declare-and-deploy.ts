// Declaration and deployment of contracts by the minting account: no account of the user changes.
import { isObject, toFelt } from '@starkbox/abi/basics';
import { type Class, contractAddress, pedersenPair, starknetKeccak } from '@starkbox/engine';
import { type BROADCASTED_CONTRACT_CLASS, ERRORS } from '@starkbox/spec';
import { fail, RpcError } from '../errors.js';
import type { Chain } from './chain.js';
import { compileClass } from './execution/apply-state-diff.js';
import { MINTER } from './genesis/accounts.js';
import { readReceipt } from './history/stored-texts.js';
import { minterDeclaration, minterInvoke } from './minter.js';
import type { Cause } from './world/cause.js';
import { findTransaction } from './world/world.js';

export interface Declaration {
  readonly compiled: Class;
  readonly compiledClassHash: string;
  /** Undefined if the class was declared before. */
  readonly transactionHash: string | undefined;
}

/** Declares a class, unless the chain has it. */
export async function declareClass(
  chain: Chain,
  definition: object,
  cause?: Cause,
): Promise<Declaration> {
  const { classLimits, rules } = chain.options;
  const contractClass = sierraOf({ ...definition });
  const limits = rules?.limitsBeside(classLimits) ?? classLimits;
  const compiled = await compileClass(contractClass, limits);
  const { hash, compiledClassHash = '0x0' } = compiled;
  await rules?.checkClass(compiled);
  if (await chain.world.pendingState.class(hash)) {
    return { compiled, compiledClassHash, transactionHash: undefined };
  }
  const transactionHash = await chain
    .submitTo(
      (world) => minterDeclaration(chain, world, contractClass, compiled),
      async (_world, transaction) => transaction,
      cause,
    )
    .catch((error: unknown) => {
      // Another call has declared it meanwhile.
      const { code } = ERRORS.CLASS_ALREADY_DECLARED;
      if (error instanceof RpcError && error.code === code) return undefined;
      throw error;
    });
  return { compiled, compiledClassHash, transactionHash };
}

const SIERRA_ADVICE = 'Give the Sierra class that the compiler wrote (*.contract_class.json).';

/** A class as a declaration carries it, without its debug information. */
function sierraOf(definition: Readonly<Record<string, unknown>>): BROADCASTED_CONTRACT_CLASS {
  const { sierra_program, contract_class_version, entry_points_by_type, abi } = definition;
  const contractClass = { sierra_program, contract_class_version, entry_points_by_type, abi };
  if (isSierra(contractClass)) return contractClass;
  const reason =
    'bytecode' in definition
      ? 'It is CASM.'
      : 'program' in definition
        ? 'It is a Cairo 0 class.'
        : 'It has no sierra_program, contract_class_version and entry_points_by_type.';
  return fail('INVALID_CONTRACT_CLASS', `${reason} ${SIERRA_ADVICE}`);
}

/** The compiler checks the members in detail. */
function isSierra(value: Readonly<Record<string, unknown>>): value is BROADCASTED_CONTRACT_CLASS {
  return (
    Array.isArray(value['sierra_program']) &&
    typeof value['contract_class_version'] === 'string' &&
    isObject(value['entry_points_by_type'])
  );
}

export interface Deployment {
  readonly classHash: string;
  readonly calldata: readonly string[];
  /** The nonce of the account by default, which is new on a branch and on a loaded chain too. */
  readonly salt: string | undefined;
}

export interface Deployed {
  readonly address: string;
  readonly transactionHash: string;
}

/** Deploys a contract by the universal deployer. A constructor that fails is a CONTRACT_ERROR. */
export async function deployContract(
  chain: Chain,
  { classHash, calldata, salt }: Deployment,
  cause?: Cause,
): Promise<Deployed> {
  const { genesis } = chain.options;
  if (!(await chain.world.pendingState.class(classHash))) {
    fail('CLASS_HASH_NOT_FOUND', `Declare the class ${classHash} first.`);
  }
  const udc = genesis.udc.address;
  let address = '0x0';
  const { transactionHash, receipt } = await chain.submitTo(
    async (world) => {
      const chosenSalt = salt ?? (await world.pendingState.nonceAt(MINTER.address));
      address = contractAddress({
        // As the universal deployer derives it for an address that depends on the deployer.
        salt: pedersenPair(MINTER.address, chosenSalt),
        class_hash: classHash,
        constructor_calldata: calldata,
        deployer: udc,
      });
      const call = {
        to: udc,
        selector: starknetKeccak('deployContract'),
        calldata: [classHash, chosenSalt, '0x1', toFelt(calldata.length), ...calldata],
      };
      return minterInvoke(chain, world, [call]);
    },
    async (world, hash) => {
      const located = findTransaction(world, hash);
      return { transactionHash: hash, receipt: located && readReceipt(located.record.receipt) };
    },
    cause,
  );
  if (receipt?.execution_status === 'REVERTED') {
    fail('CONTRACT_ERROR', {
      revert_error: receipt.revert_reason ?? '',
      transaction_hash: transactionHash,
    });
  }
  return { address, transactionHash };
}
