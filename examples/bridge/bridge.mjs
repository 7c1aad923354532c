#!/usr/bin/env node
// A bridge between Ethereum and Starknet, end to end: deposit, withdrawal, a handler that refuses, a
// cancelled deposit, and fees. It speaks to both chains as a dapp does, with viem and starknet.js.
//
//   npm start                                        in one terminal: both chains
//   node bridge.mjs [STARKNET_URL] [ETHEREUM_URL]    in another terminal
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Account, Contract, hash, logger, RpcProvider } from 'starknet';
import {
  createTestClient,
  formatEther,
  getContract,
  http,
  parseEther,
  publicActions,
  walletActions,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';

const [starknetUrl = 'http://127.0.0.1:5050', ethereumUrl = 'http://127.0.0.1:8545'] =
  process.argv.slice(2);
logger.setLogLevel('ERROR');

// Two chains.

const l1 = createTestClient({
  mode: 'anvil',
  chain: foundry,
  transport: http(ethereumUrl),
  // The second account of every Anvil; the first one belongs to the postman.
  account: privateKeyToAccount(
    '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  ),
})
  .extend(publicActions)
  .extend(walletActions);

const l2 = new RpcProvider({ nodeUrl: starknetUrl, transactionRetryIntervalFallback: 20 });
const [predeployed] = await ask('devnet_getPredeployedAccounts');
const user = new Account({
  provider: l2,
  address: predeployed.address,
  signer: predeployed.private_key,
});

// The messaging contract is what connects them; then a bridge on each side, each with the address of the other.

const { messaging_contract_address: messagingAddress } = await ask('devnet_postmanLoad', {
  network_url: ethereumUrl,
});
const messaging = getContract({
  address: messagingAddress,
  abi: compiled('Messaging').abi,
  client: l1,
});

const { deploy } = await user.declareAndDeploy({
  contract: compiled('bridge.sierra'),
  // A Cairo build writes the compiled class as well, and starknet.js finds these hashes by itself.
  classHash: '0x3331bfb4a579c21030cc831ac1fe8c64fe0e8f76ed4a5bbbb1ca91799294104',
  compiledClassHash: '0x1994d301011fbff23a5503391c4b27bd9d808cabc0a4899a78733764d6e1cbe',
});
const l2Bridge = new Contract({
  abi: compiled('bridge.sierra').abi,
  address: deploy.contract_address,
  providerOrAccount: user,
});
const selector = hash.getSelectorFromName('deposit');

const { contractAddress } = await mined(
  l1.deployContract({
    ...compiled('Bridge'),
    args: [messagingAddress, BigInt(l2Bridge.address), BigInt(selector)],
  }),
);
assert(contractAddress);
const l1Bridge = getContract({
  address: contractAddress,
  abi: compiled('Bridge').abi,
  client: l1,
});
await l2Bridge.invoke('connect', [l1Bridge.address], { waitForTransaction: true });
say(`bridges: ${l1Bridge.address} on L1, ${l2Bridge.address} on L2`);

// What a message costs: the handler's work on L2, paid on L1. Without a fee there is no message.

const amount = parseEther('1');
const { overall_fee } = await l2.estimateMessageFee({
  from_address: l1Bridge.address,
  to_address: l2Bridge.address,
  entry_point_selector: selector,
  payload: [user.address, `0x${amount.toString(16)}`],
});
const fee = BigInt(overall_fee);
assert(fee > 0n);
say(`a deposit costs ${formatEther(fee)} ether`);
await assert.rejects(
  messaging.write.sendMessageToL2([BigInt(l2Bridge.address), BigInt(selector), []], { value: 0n }),
  /L1_MSG_FEE_MUST_BE_GREATER_THAN_0/,
);

// Deposit.

await mined(l1Bridge.write.deposit([BigInt(user.address), amount], { value: amount + fee }));
assert.equal(await balance(), 0n);
const { generated_l2_transactions: handled } = await ask('devnet_postmanFlush');
const receipt = await l2.waitForTransaction(handled[0]);
assert(receipt.isSuccess());
assert.equal(await balance(), amount);
say(`deposited ${formatEther(amount)} ether: ${handled[0]}`);

// Withdrawal: from L2 to an address of L1 that has nothing yet.

const recipient = '0x00000000000000000000000000000000000b21d6';
const before = await l1.getBalance({ address: recipient });
const part = amount / 4n;
await l2Bridge.invoke('withdraw', [recipient, part], { waitForTransaction: true });
await assert.rejects(
  l1Bridge.write.withdraw([recipient, part]),
  /INVALID_MESSAGE_TO_CONSUME/,
  'the message is already on L1: start the node without --l1-auto-relay',
);
await ask('devnet_postmanFlush');
await mined(l1Bridge.write.withdraw([recipient, part]));
assert.equal((await l1.getBalance({ address: recipient })) - before, part);
assert.equal(await balance(), amount - part);
await assert.rejects(l1Bridge.write.withdraw([recipient, part]), /INVALID_MESSAGE_TO_CONSUME/);
say(`withdrew ${formatEther(part)} ether to ${recipient}`);

// Anybody can send a message; the handler takes only those of its partner.

const forged = [BigInt(user.address), parseEther('1000')];
await mined(
  messaging.write.sendMessageToL2([BigInt(l2Bridge.address), BigInt(selector), forged], {
    value: fee,
  }),
);
const { generated_l2_transactions: refused } = await ask('devnet_postmanFlush');
const failure = await l2.waitForTransaction(refused[0]);
assert(failure.isReverted());
assert.match(failure.value.revert_reason ?? '', /not from my partner/);
assert.equal(await balance(), amount - part);
say('a forged deposit was refused');

// Cancellation: a deposit that does not reach L2 can be had back after a day.

const depositReceipt = await mined(
  l1Bridge.write.deposit([BigInt(user.address), amount], { value: amount + fee }),
);
const [{ args }] = await l1Bridge.getEvents.Deposited({}, { blockHash: depositReceipt.blockHash });
const deposit = [BigInt(user.address), amount, args.nonce];
await mined(l1Bridge.write.startCancellation(deposit));
await assert.rejects(l1Bridge.write.cancel(deposit), /MESSAGE_CANCELLATION_NOT_ALLOWED_YET/);
await l1.increaseTime({ seconds: 24 * 60 * 60 });
const balanceBefore = await l1.getBalance({ address: l1Bridge.address });
await mined(l1Bridge.write.cancel(deposit));
assert.equal(balanceBefore - (await l1.getBalance({ address: l1Bridge.address })), amount);
const { messages_to_l2: none } = await ask('devnet_postmanFlush');
assert.deepEqual(none, []);
assert.equal(await balance(), amount - part);
say('a deposit was cancelled, and never arrived');

/** Calls a method of the node that starknet.js has no function for. */
async function ask(method, params) {
  const response = await fetch(starknetUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

function balance() {
  return l2Bridge.call('balance_of', [user.address]);
}

/** Anvil mines at once; viem's waitForTransactionReceipt would look again with the next block only. */
async function mined(transaction) {
  const hash = await transaction;
  for (;;) {
    const receipt = await l1.getTransactionReceipt({ hash }).catch(() => undefined);
    if (receipt) {
      assert.equal(receipt.status, 'success');
      return receipt;
    }
    await delay(20);
  }
}

function compiled(name) {
  const file = new URL(`./contracts/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}

function say(text) {
  console.log(text);
}
