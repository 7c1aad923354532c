// Short texts of notifications, for tests of their content and order.
import type { Notification } from '@starkbox/test-support';

/** Hashes that have a name in a test. */
export type Names = Readonly<Record<string, string>>;

/**
 * One short line a notification, such as `head 3`, `reorg 2-3` or `receipt 0x12 ACCEPTED_ON_L2`.
 *
 * @param names what to call which hash
 */
export function digest(
  notifications: readonly Notification[],
  names: Names = {},
): readonly string[] {
  return notifications.map(({ method, result }) => {
    const of = (name: string): string => String(Reflect.get(Object(result), name));
    const hash = of('transaction_hash');
    const transaction = Object.entries(names).find(([, value]) => value === hash)?.[0] ?? hash;
    switch (method.replace(/^(starknet|chain)_subscription/, '')) {
      case 'NewHeads':
        return `head ${of('block_number')}`;
      case 'Reorg':
        return `reorg ${of('starting_block_number')}-${of('ending_block_number')}`;
      case 'TransactionStatus': {
        const status: unknown = Reflect.get(Object(result), 'status');
        return `status ${transaction} ${Reflect.get(Object(status), 'finality_status')}`;
      }
      case 'NewTransaction':
        return `transaction ${transaction} ${of('finality_status')}`;
      case 'NewTransactionReceipts':
        return `receipt ${transaction} ${of('finality_status')}`;
      case 'Events':
        return `event ${transaction}/${of('event_index')} ${of('finality_status')}`;
      default:
        return method;
    }
  });
}
