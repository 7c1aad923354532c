// Tests of the vault. Each test has its own chain, on which the vault is deployed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture, getExplanation, type TestChain } from '@starkbox/testing';
import { assertChangesBalances, assertEmits, assertRevertsWith } from '@starkbox/testing/matchers';
import { withChain } from '@starkbox/testing/node';
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

test(
  'a deposit moves tokens into the vault',
  withChain(deployed, async (chain, data) => {
    const vault = await vaultOf(chain, data.vault);
    const [account] = chain.accounts;
    const transaction = deposit(chain, data.vault, AMOUNT);
    const values = { account: account.address, amount: AMOUNT };
    await assertEmits(transaction, vault, 'Deposited', values);
    await assertChangesBalances(transaction, chain.tokens.strk, [
      [account, -AMOUNT],
      [vault, AMOUNT],
    ]);
    assert.equal(await vault.balance_of(account.address), AMOUNT);
  }),
);

test(
  'a withdrawal fails while the deposit is locked',
  withChain(deployed, async (chain, data) => {
    const vault = await vaultOf(chain, data.vault);
    await deposit(chain, data.vault, AMOUNT);
    const withdrawal = vault.invoke('withdraw', [AMOUNT]);
    await assertRevertsWith(withdrawal, 'vault: still locked');
    // The error explains the failure: the calls, the reason, and the line of the contract.
    const explanation = await withdrawal.then(() => undefined, getExplanation);
    assert.match(explanation?.text ?? '', /src\/lib\.cairo/);
    console.log(explanation?.text);
  }),
);

test(
  'a withdrawal succeeds after the lock period',
  withChain(deployed, async (chain, data) => {
    const vault = await vaultOf(chain, data.vault);
    const [account] = chain.accounts;
    await deposit(chain, data.vault, AMOUNT);
    await chain.time.increase(DAY);
    const withdrawal = vault.invoke('withdraw', [AMOUNT]);
    await assertEmits(withdrawal, vault, 'Withdrawn', { amount: AMOUNT });
    await assertChangesBalances(withdrawal, chain.tokens.strk, [[account, AMOUNT]]);
    assert.equal(await vault.balance_of(account.address), 0n);
  }),
);
