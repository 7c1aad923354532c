// Classes as a caller names them: the location of a file, or its content.
import { isObject, type Members } from '@starkbox/abi/basics';
import { parse } from '../json/json.js';

const ADVICE = 'Give the Sierra class that the compiler wrote (*.contract_class.json).';

/**
 * Returns the parts of a class that a declaration needs, without its debug information.
 *
 * @param read reads the text at a location
 * @throws TypeError if there is no Sierra class
 */
export async function sierraIn(
  artifact: string | URL | object,
  read: (location: string | URL) => Promise<string>,
): Promise<Members> {
  if (typeof artifact !== 'string' && !(artifact instanceof URL)) {
    return sierraOf(artifact, 'The class');
  }
  const name = String(artifact);
  const text = await read(artifact);
  return sierraOf(contentOf(text, name), name);
}

function contentOf(text: string, name: string): unknown {
  try {
    return parse(text);
  } catch {
    throw new TypeError(`${name} is not JSON. ${ADVICE}`);
  }
}

function sierraOf(content: unknown, name: string): Members {
  if (!isObject(content)) {
    const kind = content === null ? 'null' : Array.isArray(content) ? 'a list' : typeof content;
    throw new TypeError(`${name} is ${kind}. ${ADVICE}`);
  }
  if ('sierra_program' in content) {
    const { sierra_program, contract_class_version, entry_points_by_type, abi } = content;
    return { sierra_program, contract_class_version, entry_points_by_type, abi };
  }
  if ('bytecode' in content) throw new TypeError(`${name} holds CASM. ${ADVICE}`);
  if ('program' in content) throw new TypeError(`${name} holds a Cairo 0 class. ${ADVICE}`);
  throw new TypeError(`${name} holds no class. ${ADVICE}`);
}

/** Returns the ABI of a class as the compiler wrote it. */
export function abiIn({ abi }: Members): readonly unknown[] {
  const list: unknown = typeof abi === 'string' ? parse(abi) : abi;
  return Array.isArray(list) ? list : [];
}
