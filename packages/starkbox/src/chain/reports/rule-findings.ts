// Transactions of the chain that a public network would have refused.
import type { RULE_FINDING } from '@starkbox/spec';
import { MINTER } from '../genesis/accounts.js';
import { holds, senderOf } from '../history/block-keys.js';
import type { TransactionRecord } from '../history/header.js';
import { readTransaction } from '../history/stored-texts.js';
import type { PageRequest } from '../queries/list-contracts.js';
import { type Page, readPage } from '../queries/page.js';
import type { Finding, NetworkRules } from '../steps/network-rules.js';
import { pendingNumber } from '../world/find-block.js';
import { transactionAt, transactionHashesOf, type World } from '../world/world.js';

const SENT = ['INVOKE', 'DECLARE', 'DEPLOY_ACCOUNT'];

/** The findings of one transaction each, newest first. Rules about nonces hold for what was executed. */
export function listRuleFindings(
  world: World,
  rules: NetworkRules,
  request: PageRequest,
): Promise<Page<RULE_FINDING>> {
  return readPage({
    world,
    from: pendingNumber(world),
    ...request,
    blockKeys: [SENT.map(holds)],
    rowsIn: (block) =>
      transactionHashesOf(world, block).map((_, index) => async () => {
        const record = transactionAt(world, block, index);
        if (!record) return undefined;
        const [finding] = await findingsOf(world, rules, record, block);
        return finding && rowOf(record, block, index, finding);
      }),
  });
}

async function findingsOf(
  world: World,
  rules: NetworkRules,
  { transaction, receipt }: TransactionRecord,
  block: number,
): Promise<readonly Finding[]> {
  const values = readTransaction(transaction);
  // Mints are transactions of the node itself.
  if (values.type === 'L1_HANDLER' || senderOf(transaction, receipt) === MINTER.address) return [];
  const before = world.history.header(block - 1)?.prices.l2_gas_price.price_in_fri;
  const price = BigInt(before ?? 0);
  const findings = [...rules.findings(values), ...rules.priceFindings(values, price)];
  if (findings.length > 0 || values.type !== 'DECLARE') return findings;
  const declared = await world.pendingState.class(values.class_hash);
  return declared ? rules.classFindings(declared) : [];
}

function rowOf(
  { hash, transaction, receipt }: TransactionRecord,
  block: number,
  index: number,
  { rule, text }: Finding,
): RULE_FINDING {
  const sender = senderOf(transaction, receipt);
  return {
    transaction_hash: hash,
    block_number: block,
    index,
    ...(sender === undefined ? {} : { sender_address: sender }),
    rule,
    reason: text,
  };
}
