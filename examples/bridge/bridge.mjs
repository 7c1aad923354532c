#!/usr/bin/env node
// A bridge between Ethereum and Starknet: fees, a deposit, a withdrawal, a rejected forgery and a cancelled deposit.
// It uses both chains as a dapp does, with viem and starknet.js.
//
//   npm start                                        in one terminal: both chains
//   node bridge.mjs [STARKNET_URL] [ETHEREUM_URL]    in another terminal
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'starkbox/client';
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
  // The second account of every Anvil; the node signs with the first.
  account: privateKeyToAccount(
    '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  ),
})
  .extend(publicActions)
  .extend(walletActions);

const l2 = new RpcProvider({ nodeUrl: starknetUrl, transactionRetryIntervalFallback: 20 });
// Controls the node: starknet.js has no functions for its `devnet_` methods.
const chain = await connect(starknetUrl);
const [{ address, privateKey }] = chain.accounts;
const user = new Account({ provider: l2, address, signer: privateKey });

// The messaging contract on L1 connects the chains. Each side has a bridge with the address of the other.

const { messaging_contract_address: messagingAddress } = await chain.request('devnet_postmanLoad', {
  network_url: ethereumUrl,
});
const messaging = getContract({
  address: messagingAddress,
  abi: compiled('Messaging').abi,
  client: l1,
});

const { deploy } = await user.declareAndDeploy({
  contract: compiled('bridge.sierra'),
  // With the CASM file of a Cairo build, starknet.js computes these hashes.
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

// The sender pays on L1 for the work of the handler on L2. The messaging contract rejects a message without a fee.

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
const { generated_l2_transactions: handled } = await chain.request('devnet_postmanFlush');
const receipt = await l2.waitForTransaction(handled[0]);
assert(receipt.isSuccess());
assert.equal(await balance(), amount);
say(`deposited ${formatEther(amount)} ether: ${handled[0]}`);

// Withdrawal from L2 to an L1 address without funds.

const recipient = '0x00000000000000000000000000000000000b21d6';
const before = await l1.getBalance({ address: recipient });
const part = amount / 4n;
await l2Bridge.invoke('withdraw', [recipient, part], { waitForTransaction: true });
await assert.rejects(
  l1Bridge.write.withdraw([recipient, part]),
  /INVALID_MESSAGE_TO_CONSUME/,
  'the message is already on L1: start the node without --l1-auto-relay',
);
await chain.request('devnet_postmanFlush');
await mined(l1Bridge.write.withdraw([recipient, part]));
assert.equal((await l1.getBalance({ address: recipient })) - before, part);
assert.equal(await balance(), amount - part);
await assert.rejects(l1Bridge.write.withdraw([recipient, part]), /INVALID_MESSAGE_TO_CONSUME/);
say(`withdrew ${formatEther(part)} ether to ${recipient}`);

// Anyone can send a message. The handler accepts messages from its partner only.

const forged = [BigInt(user.address), parseEther('1000')];
await mined(
  messaging.write.sendMessageToL2([BigInt(l2Bridge.address), BigInt(selector), forged], {
    value: fee,
  }),
);
const { generated_l2_transactions: rejected } = await chain.request('devnet_postmanFlush');
const failure = await l2.waitForTransaction(rejected[0]);
assert(failure.isReverted());
assert.match(failure.value.revert_reason ?? '', /not from my partner/);
assert.equal(await balance(), amount - part);
say('rejected a forged deposit');

// Cancellation: if a deposit does not reach L2, the user gets it back after a day.

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
const { messages_to_l2: none } = await chain.request('devnet_postmanFlush');
assert.deepEqual(none, []);
assert.equal(await balance(), amount - part);
say('cancelled a deposit before it arrived');
await chain.close();

function balance() {
  return l2Bridge.call('balance_of', [user.address]);
}

/** Anvil mines at once, but viem's waitForTransactionReceipt checks again only with the next block. */
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
