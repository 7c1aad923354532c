// Carries messages between L1 and L2.
import type { Chain } from '../chain/chain.js';
import { RpcError } from '../errors.js';
import { hex } from '../felt.js';
import { ERRORS, type FLUSH_RESULT } from '../spec.js';
import type { Group } from './handlers.js';

type PostmanMethods =
  | 'devnet_postmanFlush'
  | 'devnet_postmanSendMessageToL2'
  | 'devnet_postmanConsumeMessageFromL2';

export function postmanMethods(chain: Chain): Group<PostmanMethods> {
  return {
    devnet_postmanFlush({ dry_run = false }): FLUSH_RESULT {
      if (!dry_run) {
        throw new RpcError(
          ERRORS.INTERNAL_ERROR.code,
          'Error in fetching messages to L2: no L1 is connected, so only a dry run is possible.',
        );
      }
      return {
        messages_to_l1: chain.world.messages.outgoing.toArray().map(({ message }) => ({
          ...message,
          // An address of L1 has all its digits.
          to_address: `0x${message.to_address.slice(2).padStart(40, '0')}`,
        })),
        messages_to_l2: [],
        generated_l2_transactions: [],
        l1_provider: 'dry run',
      };
    },

    async devnet_postmanSendMessageToL2(message) {
      const { hash } = await chain.sendMessageToL2({
        ...message,
        l1_contract_address: hex(BigInt(message.l1_contract_address)),
      });
      return { transaction_hash: hash };
    },

    async devnet_postmanConsumeMessageFromL2(message) {
      return { message_hash: await chain.consumeMessage(message) };
    },
  };
}
