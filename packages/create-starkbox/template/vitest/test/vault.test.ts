// Tests of the vault. Each test has its own chain, on which the vault is deployed.
import { fixture, type TestChain } from '@starkbox/testing';
import { withChain } from '@starkbox/testing/vitest';
import { expect } from 'vitest';
import { VaultAbi } from '../abi/vault.js';

const ARTIFACT = 'target/dev/vault_Vault.contract_class.json';
const DAY = 24 * 60 * 60;
const AMOUNT = 1000n;

// Runs once; later runs load the result from disk. Every test starts with a copy of this chain.
const deployed = fixture(
  'vault',
  async (chain) => {
    const contract = await chain.deployContract(ARTIFACT, [chain.tokens.strk.address, 86_400]);
    return { address: contract.address };
  },
  // Explanations of failures show lines of the source that belongs to these classes.
  { artifacts: [ARTIFACT], chain: { artifacts: 'target/dev' } },
);
const test = withChain(deployed);

/** The vault, typed by its ABI. Its first account sends the transactions. */
async function vaultAt(chain: TestChain, address: string) {
  return (await chain.contractAt(address)).typedv2(VaultAbi);
}

/** Approves and deposits in one transaction. */
function deposit(chain: TestChain, vault: string, amount: bigint) {
  const [account] = chain.accounts;
  return account.execute([
    {
      contractAddress: chain.tokens.strk.address,
      entrypoint: 'approve',
      calldata: [vault, amount, 0],
    },
    { contractAddress: vault, entrypoint: 'deposit', calldata: [amount, 0] },
  ]);
}

test('a deposit moves tokens into the vault', async ({ chain, data }) => {
  const vault = await vaultAt(chain, data.address);
  const [account] = chain.accounts;
  const transaction = deposit(chain, data.address, AMOUNT);
  await expect(transaction).toEmit(vault, 'Deposited', {
    account: account.address,
    amount: AMOUNT,
  });
  await expect(transaction).toChangeBalances(chain.tokens.strk, [
    [account, -AMOUNT],
    [vault, AMOUNT],
  ]);
  expect(await vault.balance_of(account.address)).toBe(AMOUNT);
});
