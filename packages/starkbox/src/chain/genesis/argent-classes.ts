// Classes of Argent accounts, which are in an optional package because of their licence.
import { readFile } from 'node:fs/promises';
import { Class } from '@starkbox/engine';
import { codeOf } from '../../errors.js';

/** The regular account and the multisig account. */
export async function argentClasses(): Promise<readonly [regular: Class, multisig: Class]> {
  const { regular, multisig } = await loadPackage();
  const unpackClass = async (file: URL): Promise<Class> => Class.unpack(await readFile(file));
  return Promise.all([unpackClass(regular), unpackClass(multisig)]);
}

async function loadPackage(): Promise<typeof import('@starkbox/argent-classes')> {
  try {
    return await import('@starkbox/argent-classes');
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(
      'the classes of Argent accounts are not installed. They are under the GPL-3.0, and therefore in a separate package: ' +
        'run `npm install @starkbox/argent-classes` where starkbox is installed, or start without ' +
        '--predeclare-argent',
      { cause: error },
    );
  }
}
