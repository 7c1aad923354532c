// The longest lists of felts that transactions and messages may have: their hashes are computed at once.
import { invalidParams } from '../../errors.js';
import type { Handler } from './dispatcher.js';

/** The parameter that is a transaction, a message or a list of them, by method. */
const CARRIERS = {
  starknet_addInvokeTransaction: 'invoke_transaction',
  starknet_addDeclareTransaction: 'declare_transaction',
  starknet_addDeployAccountTransaction: 'deploy_account_transaction',
  starknet_estimateFee: 'request',
  starknet_simulateTransactions: 'transactions',
  starknet_proveTransaction: 'transaction',
  starknet_estimateMessageFee: 'message',
  devnet_postmanSendMessageToL2: 'payload',
  devnet_postmanConsumeMessageFromL2: 'payload',
} as const;

type Table = Readonly<Record<string, Handler | undefined>>;

/** Handlers that refuse longer lists. */
export function limitCalldata(handlers: Table, most: number): Table {
  const limited: Record<string, Handler | undefined> = { ...handlers };
  for (const [method, name] of Object.entries(CARRIERS)) {
    const handler = handlers[method];
    if (!handler) continue;
    limited[method] = (params, context) => {
      const carrier = new Map<string, unknown>(Object.entries(params)).get(name);
      check(carrier, `params.${name}`, most);
      return handler(params, context);
    };
  }
  return limited;
}

/** Of a list of transactions each is looked at, of a transaction each of its lists. */
function check(carrier: unknown, path: string, most: number): void {
  if (Array.isArray(carrier)) {
    if (typeof carrier[0] === 'object') {
      for (const [index, one] of carrier.entries()) check(one, `${path}[${index}]`, most);
    } else if (carrier.length > most) {
      invalidParams(
        `${path}: at most ${most} felts, got ${carrier.length}; --maximum-calldata-length sets the limit`,
      );
    }
  } else if (typeof carrier === 'object' && carrier !== null) {
    for (const [name, value] of Object.entries(carrier)) {
      if (Array.isArray(value)) check(value, `${path}.${name}`, most);
    }
  }
}
