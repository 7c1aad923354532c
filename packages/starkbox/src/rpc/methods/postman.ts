// Methods that carry messages between L1 and L2.
import { toFelt } from '@starkbox/abi/basics';
import { ERRORS, type FLUSH_RESULT, type FLUSHED_TO_L1 } from '@starkbox/spec';
import type { Chain } from '../../chain/chain.js';
import { consumeMessage, sendToL2 } from '../../chain/l1-messages.js';
import { RpcError, refuse, shortUrl } from '../../errors.js';
import { L1Error } from '../../l1/ethereum/l1-error.js';
import { DeliveryError, type Postman } from '../../l1/postman.js';
import type { HandlerGroup } from '../protocol/handlers.js';

export function postmanMethods(chain: Chain, postman: Postman): HandlerGroup {
  return {
    async devnet_postmanLoad(params, { cause }) {
      const { network_url: url, address, messaging_contract_address = address } = params;
      const { deployer_account_private_key: key } = params;
      try {
        const connection = { url, contract: messaging_contract_address, key };
        const contract = await postman.load(connection, cause);
        return { messaging_contract_address: contract };
      } catch (error) {
        // Existing tools look for these words before the reason, and for a full stop after it.
        if (error instanceof L1Error) refuse(`Alloy error: ${asSentence(error.message)}`);
        throw error;
      }
    },

    async devnet_postmanFlush({ dry_run = false }): Promise<FLUSH_RESULT> {
      if (dry_run) {
        return {
          messages_to_l1: chain.world.messages.outgoing
            .toArray()
            .map(({ message }) => toL1(message)),
          messages_to_l2: [],
          generated_l2_transactions: [],
          l1_provider: 'dry run',
        };
      }
      try {
        const carried = await postman.flush();
        return {
          messages_to_l1: carried.toL1.map(toL1),
          messages_to_l2: carried.toL2,
          generated_l2_transactions: carried.transactions,
          l1_provider: shortUrl(carried.url),
        };
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error;
        const half =
          error.direction === 'to L1' ? 'sending messages to L1' : 'fetching messages to L2';
        throw new RpcError(ERRORS.INTERNAL_ERROR.code, `Error in ${half}: ${error.message}`);
      }
    },

    async devnet_postmanSendMessageToL2(message, { cause }) {
      const l1_contract_address = toFelt(BigInt(message.l1_contract_address));
      const { hash } = await sendToL2(chain, { ...message, l1_contract_address }, cause);
      return { transaction_hash: hash };
    },

    async devnet_postmanConsumeMessageFromL2(message, { cause }) {
      return { message_hash: await consumeMessage(chain, message, cause) };
    },
  };
}

function asSentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

/** An address of L1 has all its digits. */
function toL1(message: FLUSHED_TO_L1): FLUSHED_TO_L1 {
  return { ...message, to_address: `0x${message.to_address.slice(2).padStart(40, '0')}` };
}
