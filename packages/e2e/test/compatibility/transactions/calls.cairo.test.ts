// Calls: through universal deployers, into other contracts, and ones that fail.
import { ERRORS } from '@starkbox/spec';
import { startFixture } from '@starkbox/test-support/fixture';
import {
  contract,
  deployment,
  LEGACY_UDC,
  padded,
  Sender,
  selector,
  short,
  UDC,
  uniqueAddress,
} from '@starkbox/test-support/signing';
import { describe, expect, test } from 'vitest';
import { ACCOUNTS } from '../../../../../contracts/classes.js';

const { node, client } = await startFixture(ACCOUNTS);
const accountClass = node.accountClassHash;
const sender = new Sender(client, node.accounts[0]);
const reverter = await contract('reverter');
const reverterAddress = await sender.deploy(reverter);

const status = (hash: string) => client.call('starknet_getTransactionStatus', [hash]);

describe('universal deployers', () => {
  const account = () => ({
    contract_address: sender.account.address,
    class_hash: accountClass,
    selector: selector('__execute__'),
  });

  test('transactions.6 a second deployment to the same address fails in an estimate', async () => {
    const { call, address } = deployment(reverter.hash);
    expect(address).toBe(reverterAddress);
    const request = await sender.invokeRequest([call]);
    const { code, data } = await client.failure('starknet_estimateFee', [[request], [], 'latest']);
    expect(code).toBe(ERRORS.TRANSACTION_EXECUTION_ERROR.code);
    expect(data).toMatchObject({
      transaction_index: 0,
      execution_error: {
        ...account(),
        error: {
          contract_address: UDC,
          selector: selector('deployContract'),
          error: {
            contract_address: address,
            selector: '0x0',
            error: `Deployment failed: contract already deployed at address ${padded(address)}\n`,
          },
        },
      },
    });
  });

  test('transactions.6 a class that is not declared cannot be deployed', async () => {
    const { call, address } = deployment('0x1234');
    const request = await sender.invokeRequest([call]);
    const { code, data } = await client.failure('starknet_estimateFee', [[request], [], 'latest']);
    expect(code).toBe(ERRORS.TRANSACTION_EXECUTION_ERROR.code);
    expect(data).toMatchObject({
      execution_error: {
        ...account(),
        error: {
          contract_address: UDC,
          error: {
            contract_address: address,
            class_hash: '0x1234',
            selector: '0x0',
            error: `Class with hash ${padded('0x1234')} is not declared.\n`,
          },
        },
      },
    });
    expect(await status(await sender.invoke([call]))).toMatchObject({
      execution_status: 'REVERTED',
      failure_reason: expect.stringContaining('is not declared'),
    });
  });

  test.each([
    { udc: LEGACY_UDC, name: 'deployContract', salt: '0x10' },
    { udc: UDC, name: 'deployContract', salt: '0x11' },
    { udc: UDC, name: 'deploy_contract', salt: '0x12' },
  ])(
    'transactions.6 $name of $udc deploys, tied to the sender or not',
    async ({ udc, name, salt }) => {
      const free = deployment(reverter.hash, [], { salt, udc, name });
      // One deployer asks whether the address is tied to the sender, the other whether it is not.
      const isNew = name === 'deploy_contract';
      const tie = (unique: boolean) => (unique === isNew ? '0x0' : '0x1');
      const calldata = (unique: boolean) => [reverter.hash, salt, tie(unique), '0x0'];
      const hash = await sender.invoke([
        { ...free.call, calldata: calldata(false) },
        { ...free.call, calldata: calldata(true) },
      ]);
      expect(await status(hash)).toMatchObject({ execution_status: 'SUCCEEDED' });
      const tied = uniqueAddress(sender.account.address, { udc, classHash: reverter.hash, salt });
      for (const address of [free.address, tied]) {
        const at = await client.call('starknet_getClassHashAt', ['latest', address]);
        expect(at).toBe(reverter.hash);
      }
    },
  );
});

describe('calls that fail', () => {
  const failure = (contract_address: string, name: string, calldata: readonly string[] = []) =>
    client.failure('starknet_call', [
      { contract_address, entry_point_selector: selector(name), calldata },
      'latest',
    ]);

  test('transactions.7 there is no contract', async () => {
    expect(await failure('0x1234', 'get')).toMatchObject({
      code: ERRORS.CONTRACT_NOT_FOUND.code,
      data: {
        explained: { status: 'REJECTED', summary: 'Rejected: no contract is deployed at 0x1234' },
      },
    });
  });

  test.each([
    ['Cairo 1', UDC],
    ['Cairo 0', LEGACY_UDC],
  ])('transactions.7 a contract of %s has no such function', async (_kind, address) => {
    expect(await failure(address, 'no_such_function')).toMatchObject({
      code: ERRORS.ENTRYPOINT_NOT_FOUND.code,
    });
  });

  test('transactions.7 a panic in one contract called by another', async () => {
    const boom = short('boom');
    const inner = await failure(reverterAddress, 'fail', ['0x1', boom]);
    const frame = { contract_address: reverterAddress, class_hash: reverter.hash };
    expect(inner).toMatchObject({
      code: ERRORS.CONTRACT_ERROR.code,
      data: {
        revert_error: { ...frame, selector: selector('fail'), error: JSON.stringify([boom]) },
      },
    });
    const outer = await failure(reverterAddress, 'fail_via', [reverterAddress, '0x1', boom]);
    expect(outer.code).toBe(ERRORS.CONTRACT_ERROR.code);
    expect(outer.data).toMatchObject({
      revert_error: {
        ...frame,
        selector: selector('fail_via'),
        error: {
          ...frame,
          selector: selector('fail'),
          error: JSON.stringify([boom, short('ENTRYPOINT_FAILED'), boom]),
        },
      },
    });
  });
});
