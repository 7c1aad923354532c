// Accounts of users: whether they exist, how they are deployed, and whether they can be executed from outside.
import { toFelt } from '@starkbox/abi/basics';
import { builtinClass, contractAddress, starknetKeccak } from '@starkbox/engine';
import type { PAYMASTER_DEPLOYMENT } from '@starkbox/spec';
import type { Chain } from '../chain/chain.js';
import type { ContractCall } from '../chain/minter.js';
import type { Abis } from '../chain/queries/abis.js';
import { call } from '../chain/queries/simulate.js';
import { fail, RpcError } from '../errors.js';
import { FUNCTIONS, type OutsideVersion } from './outside-execution.js';

/** Ids of the interfaces of SNIP-9. */
const INTERFACES: Readonly<Record<OutsideVersion, string>> = {
  1: '0x68cfd18b92d1907b8ba3cc324900277f5a3622099431ea85dd8089255e4181',
  2: '0x1d1144bb2138366ff28d8e9ab57456b1d332ac42196230c3a602003c89872',
};
/** The newer one first: an account with it often has both. */
const VERSIONS = [2, 1] as const;

export class UserAccounts {
  readonly #chain: Chain;
  readonly #abis: Abis;

  constructor(chain: Chain, abis: Abis) {
    this.#chain = chain;
    this.#abis = abis;
  }

  /** Class of the account of a user, which a deployment may deploy. */
  async classOf(user: string, deployment: PAYMASTER_DEPLOYMENT | undefined): Promise<string> {
    if (deployment?.address === user) return deployment.class_hash;
    const hash = await this.#chain.world.pendingState.classHashAt(user);
    if (hash !== '0x0') return hash;
    return fail('INVALID_ADDRESS', {
      reason: `No account is deployed at ${user}. Deploy it first, or send its deployment data`,
    });
  }

  /** Fails if the deployment cannot succeed at its address. */
  async checkDeployment(deployment: PAYMASTER_DEPLOYMENT): Promise<void> {
    const { address, class_hash, salt, calldata, sigdata = [] } = deployment;
    const { pendingState: state } = this.#chain.world;
    const invalid = (reason: string): never => fail('INVALID_DEPLOYMENT_DATA', { reason });
    if (sigdata.length > 0) {
      invalid('Only the universal deployer deploys accounts here, which takes no sigdata');
    }
    if (!(await state.class(class_hash))) {
      fail('INVALID_CLASS_HASH', {
        reason: `The class ${class_hash} is not declared. Declare it first`,
      });
    }
    const derived = contractAddress({
      salt,
      class_hash,
      constructor_calldata: calldata,
      deployer: '0x0',
    });
    if (derived !== address) {
      invalid(`The class, the salt and the calldata give the address ${derived}, not ${address}`);
    }
    if ((await state.classHashAt(address)) !== '0x0') {
      invalid(`An account is deployed at ${address}. Send the calls without deployment data`);
    }
  }

  /** The call that deploys an account at the address of a DEPLOY_ACCOUNT transaction. */
  deployCall({ class_hash, salt, calldata }: PAYMASTER_DEPLOYMENT): ContractCall {
    return {
      to: this.#chain.options.genesis.udc.address,
      selector: starknetKeccak('deployContract'),
      calldata: [class_hash, salt, '0x0', toFelt(calldata.length), ...calldata],
    };
  }

  /**
   * The version of SNIP-9 that an account has, by its registered interfaces or by the functions of its class.
   *
   * @param isDeployed whether the account can be called
   */
  async versionOf(user: string, classHash: string, isDeployed: boolean): Promise<OutsideVersion> {
    for (const version of VERSIONS) {
      if (isDeployed && (await this.#hasInterface(user, version))) return version;
    }
    for (const version of VERSIONS) {
      if (await this.hasFunction(classHash, FUNCTIONS[version])) return version;
    }
    return this.#rejectUnsupported(classHash, 'cannot be executed from outside (SNIP-9)');
  }

  /** Fails unless an account has a version of SNIP-9. */
  async checkVersion(
    user: string,
    classHash: string,
    isDeployed: boolean,
    version: OutsideVersion,
  ): Promise<void> {
    const newest = await this.versionOf(user, classHash, isDeployed);
    if (newest === version || (await this.hasFunction(classHash, FUNCTIONS[version]))) return;
    await this.#rejectUnsupported(classHash, `has no function ${FUNCTIONS[version]}`);
  }

  async hasFunction(classHash: string, name: string): Promise<boolean> {
    const abi = await this.#abis.of(classHash, this.#chain.world.pendingState);
    return abi?.functions.has(starknetKeccak(name)) ?? false;
  }

  /** The function of a token for balances: some have only one of its two names. */
  async balanceSelector(token: string): Promise<string> {
    const classHash = await this.#chain.world.pendingState.classHashAt(token);
    const hasSnakeCase = await this.hasFunction(classHash, 'balance_of');
    return starknetKeccak(hasSnakeCase ? 'balance_of' : 'balanceOf');
  }

  async #hasInterface(user: string, version: OutsideVersion): Promise<boolean> {
    const request = {
      contract_address: user,
      entry_point_selector: starknetKeccak('supports_interface'),
      calldata: [INTERFACES[version]],
    };
    try {
      const [isSupported] = await call(this.#chain, request, 'pre_confirmed');
      return isSupported === '0x1';
    } catch (error) {
      if (error instanceof RpcError) return false;
      throw error;
    }
  }

  async #rejectUnsupported(classHash: string, lack: string): Promise<never> {
    const { hash } = await builtinClass('account');
    return fail('CLASS_HASH_NOT_SUPPORTED', {
      reason: `An account of the class ${classHash} ${lack}. Use an account of a class that can be, such as ${hash}, which every chain of this node has`,
      class_hash: classHash,
      supported_class_hash: hash,
    });
  }
}
