// Methods that send transactions.
import type { Chain } from '../../chain/chain.js';
import type { Group } from '../protocol/handlers.js';

type WriteMethods =
  | 'starknet_addInvokeTransaction'
  | 'starknet_addDeclareTransaction'
  | 'starknet_addDeployAccountTransaction';

export function writeMethods(chain: Chain): Group<WriteMethods> {
  return {
    async starknet_addInvokeTransaction({ invoke_transaction }, { cause }) {
      const { hash } = await chain.submit(invoke_transaction, cause);
      return { transaction_hash: hash };
    },

    async starknet_addDeclareTransaction({ declare_transaction }, { cause }) {
      const { hash, declared } = await chain.submit(declare_transaction, cause);
      return { transaction_hash: hash, class_hash: declared?.hash ?? '0x0' };
    },

    async starknet_addDeployAccountTransaction({ deploy_account_transaction }, { cause }) {
      const { hash, address } = await chain.submit(deploy_account_transaction, cause);
      return { transaction_hash: hash, contract_address: address };
    },
  };
}
