// The paymaster with the Python library starknet.py, which signs outside executions and has no client of a paymaster.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publicKey } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { newAccount, STRK } from '@starkbox/test-support/signing';
import { expect, onTestFinished, test } from 'vitest';
import { ARGENT, deploymentOf, SPONSORED, startPaymaster } from './dapp.js';

const SCRIPT = fileURLToPath(new URL('./starknet_py_paymaster.py', import.meta.url));
const { installedPython }: { installedPython: () => string | undefined } = await import(
  new URL('../../../../scripts/starknet-py.mjs', import.meta.url).href
);

const python = installedPython();
if (python === undefined) {
  console.warn(
    'starknet.py is not installed and was not tried with the paymaster: node scripts/starknet-py.mjs installs it.',
  );
}

test.skipIf(python === undefined)(
  'starknet.py 0.30 signs typed data of the paymaster, and the paymaster takes its typed data',
  async () => {
    const { url, node, client, balance, feeOf, dapp, close } = await startPaymaster({
      predeclareArgent: true,
    });
    onTestFinished(close);
    const [alice, bob] = node.accounts;
    if (!alice || !bob) throw new Error('there are no accounts');
    const argent = newAccount('0x5eed', {
      classHash: ARGENT,
      constructorCalldata: ['0x0', publicKey('0x5eed'), '0x1'],
    });
    await client.call('devnet_mint', { address: argent.address, amount: 100, unit: 'FRI' });
    const { account } = await dapp('starknet.js 10');
    await account(argent.address, argent.privateKey).executePaymasterTransaction([], {
      feeMode: SPONSORED,
      deploymentData: deploymentOf(argent),
    });
    const before = await balance(STRK, alice.address);
    const task = {
      url: `${url}/rpc/v0_10`,
      paymaster: `${url}/paymaster`,
      chainId: await client.call('starknet_chainId'),
      token: STRK,
      to: bob.address,
      argent: argent.address,
      argentKey: argent.privateKey,
      ...alice,
    };
    const { stdout } = await promisify(execFile)(python ?? '', [SCRIPT, JSON.stringify(task)], {
      timeout: 100_000,
    });
    const { sponsored, paid, own, argent: ofArgent, ...facts } = JSON.parse(stdout);
    expect(facts).toEqual({
      calls: 2,
      isSameHash: true,
      replayed: ERRORS.PAYMASTER_EXECUTION_ERROR.code,
      wrong: ERRORS.INVALID_SIGNATURE.code,
    });
    await Promise.all([sponsored, own, ofArgent].map(feeOf));
    expect(await balance(STRK, alice.address)).toBe(before - 3n * 5n - (await feeOf(paid)));
    expect(await balance(STRK, argent.address)).toBe(95n);
    expect(await balance(STRK, bob.address)).toBe(10n ** 21n + 20n);
  },
);
