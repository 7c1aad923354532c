// The Python library starknet.py on the path of the version that it speaks.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ERRORS } from '@starkbox/spec';
import { startNode } from '@starkbox/test-support';
import { hashed } from '@starkbox/test-support/contracts';
import { newAccount, selector } from '@starkbox/test-support/signing';
import { expect, onTestFinished, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('./starknet_py_client.py', import.meta.url));
const CONTRACTS = fileURLToPath(new URL('../../../../contracts/cairo', import.meta.url));
const { installedPython }: { installedPython: () => string | undefined } = await import(
  new URL('../../../../scripts/starknet-py.mjs', import.meta.url).href
);

const python = installedPython();
if (python === undefined) {
  console.warn(
    'starknet.py is not installed and was not checked against the node: node scripts/starknet-py.mjs installs it.',
  );
}

test.skipIf(python === undefined)(
  'starknet.py 0.30 on v0_10 deploys an account, declares, deploys, estimates, invokes and reads events',
  async () => {
    const { url, node, client, close } = await startNode({ listen: true });
    onTestFinished(close);
    const { address, ...fresh } = newAccount('0x1234', { classHash: node.accountClassHash });
    await client.call('devnet_mint', { address, amount: 1e21, unit: 'FRI' });
    const task = {
      url: `${url}/rpc/v0_10`,
      socket: `${url.replace('http', 'ws')}/ws/rpc/v0_10`,
      contracts: CONTRACTS,
      ...fresh,
    };
    const { stdout } = await promisify(execFile)(python ?? '', [SCRIPT, JSON.stringify(task)], {
      timeout: 100_000,
    });
    const { classHash } = await hashed('counter');
    expect(JSON.parse(stdout)).toEqual({
      expectedVersion: '0.10.2',
      version: '0.10.2',
      account: address,
      nonce: 1,
      classHash,
      before: 5,
      isEstimated: true,
      simulated: 1,
      after: 7,
      events: [[selector('CountRaised'), address]],
      arePagesEqual: true,
      isTraced: true,
      storage: 7,
      refusal: { code: ERRORS.CONTRACT_ERROR.code, isExplained: true },
      unknown: 24,
      heads: [5, 6],
    });
  },
);
