// The code and debug information of a class, as debuggers read it.
import { readAbi } from '@starkbox/abi';
import { nameInAbi, nameOfClass } from '@starkbox/abi/internal';
import type { Class } from '@starkbox/engine';
import type { DEBUG_CLASS } from '@starkbox/spec';
import type { DebugInfos } from '../../debug-info/debug-infos.js';
import { reasonOf } from '../../errors.js';
import { stringify } from '../../json/json.js';
import type { Labels } from '../world/labels.js';

export async function debugClass(
  contractClass: Class,
  infos: DebugInfos,
  labels: Labels,
): Promise<DEBUG_CLASS> {
  const { hash } = contractClass;
  const abi = await contractClass.abi();
  const name = nameOfClass(hash, {
    label: labels.get(hash),
    artifact: infos.contractName(hash),
    inAbi: nameInAbi(readAbi(abi)),
  })?.name;
  const source = infos.get(hash)?.wire;
  return {
    class_hash: hash,
    ...(name === undefined ? {} : { name }),
    ...(abi.length === 0 ? {} : { abi: stringify(abi) }),
    ...(await codeOf(contractClass)),
    ...(source ? { source } : {}),
  };
}

async function codeOf(contractClass: Class): Promise<Pick<DEBUG_CLASS, 'code' | 'note'>> {
  try {
    return { code: await contractClass.variables() };
  } catch (error) {
    return { note: reasonOf(error) };
  }
}
