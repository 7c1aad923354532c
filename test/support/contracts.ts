// Test contracts as a dapp has them: the Sierra class and the CASM of a Cairo build.
import { Class } from '@starkbox/engine';
import {
  type Account,
  type CairoAssembly,
  CallData,
  type CompiledSierra,
  Contract,
  json,
  type RawArgs,
} from 'starknet';
import { classText } from '../../contracts/classes.js';

export interface Compiled {
  readonly contract: CompiledSierra;
  readonly casm: CairoAssembly;
}

export async function compiled(name: string): Promise<Compiled> {
  const sierra = await classText(name);
  const casm = await (await Class.compile(sierra)).casm();
  return { contract: json.parse(sierra), casm: json.parse(casm) };
}

export interface Hashed {
  readonly contract: CompiledSierra;
  readonly classHash: string;
  readonly compiledClassHash: string;
}

/** The same with hashes for CASM: starknet.js takes long to hash a class, and does so again and again. */
export async function hashed(name: string): Promise<Hashed> {
  const sierra = await classText(name);
  const { hash, compiledClassHash = '' } = await Class.compile(sierra);
  return { contract: json.parse(sierra), classHash: hash, compiledClassHash };
}

/** Declares the contract where that has not been done, and deploys it. */
export async function deployed(
  account: Account,
  name: string,
  constructorArguments: RawArgs = [],
): Promise<Contract> {
  const declared = await hashed(name);
  const { abi } = declared.contract;
  const constructorCalldata = new CallData(abi).compile('constructor', constructorArguments);
  const { deploy } = await account.declareAndDeploy({ ...declared, constructorCalldata });
  return new Contract({ abi, address: deploy.contract_address, providerOrAccount: account });
}
