// Tests of the vault. Each test has its own chain, on which the vault is deployed.
import { fixture, getExplanation, type TestChain } from '@starkbox/testing';
import { withChain } from '@starkbox/testing/vitest';
import { expect } from 'vitest';
import { VaultAbi } from '../abi/vault.js';

const ARTIFACT = 'target/dev/vault_Vault.contract_class.json';
const AMOUNT = 1000n;
const DAY = 24 * 60 * 60;

// Runs once; later runs load its result from disk. Every test starts with a copy of this chain.
const deployed = fixture(
  'vault',
  async (chain) => {
    const vault = await chain.deployContract(ARTIFACT, [chain.tokens.strk.address, 24 * 60 * 60]);
    return { vault: vault.address };
  },
  // With the folder of compiled classes, explanations of failures show lines of the source.
  { artifacts: [ARTIFACT], chain: { artifacts: 'target/dev' } },
);
const test = withChain(deployed);

/** The vault with the types of its ABI. The first account sends its transactions. */
async function vaultOf(chain: TestChain, address: string) {
  const contract = await chain.contractAt(address);
  return contract.typedv2(VaultAbi);
}

/** Approves and deposits tokens in one transaction. */
function deposit(chain: TestChain, vault: string, amount: bigint) {
  const [account] = chain.accounts;
  const token = chain.tokens.strk.address;
  return account.execute([
    { contractAddress: token, entrypoint: 'approve', calldata: [vault, amount, 0] },
    { contractAddress: vault, entrypoint: 'deposit', calldata: [amount, 0] },
  ]);
}

test('a deposit moves tokens into the vault', async ({ chain, data }) => {
  const vault = await vaultOf(chain, data.vault);
  const [account] = chain.accounts;
  const transaction = deposit(chain, data.vault, AMOUNT);
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

test('a withdrawal fails while the deposit is locked', async ({ chain, data }) => {
  const vault = await vaultOf(chain, data.vault);
  await deposit(chain, data.vault, AMOUNT);
  const withdrawal = vault.invoke('withdraw', [AMOUNT]);
  await expect(withdrawal).toRevertWith('vault: still locked');
  // The error explains the failure: the calls, the reason, and the line of the contract.
  const explanation = await withdrawal.then(() => undefined, getExplanation);
  expect(explanation?.text).toContain('src/lib.cairo');
  console.log(explanation?.text);
});

test('a withdrawal succeeds after the lock period', async ({ chain, data }) => {
  const vault = await vaultOf(chain, data.vault);
  const [account] = chain.accounts;
  await deposit(chain, data.vault, AMOUNT);
  await chain.time.increase(DAY);
  const withdrawal = vault.invoke('withdraw', [AMOUNT]);
  await expect(withdrawal).toEmit(vault, 'Withdrawn', { amount: AMOUNT });
  await expect(withdrawal).toChangeBalances(chain.tokens.strk, [[account, AMOUNT]]);
  expect(await vault.balance_of(account.address)).toBe(0n);
});
