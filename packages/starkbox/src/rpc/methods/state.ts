// Methods about the state: storage, nonces, classes, and calls of contracts.

import { PRIME, toFelt } from '@starkbox/abi/basics';
import { ERRORS } from '@starkbox/spec';
import type { Chain } from '../../chain/chain.js';
import { call } from '../../chain/queries/simulate.js';
import { classAt } from '../../chain/queries/visible-class.js';
import {
  archivedSlot,
  blockNumber,
  stateById,
  stateByNumber,
} from '../../chain/world/find-block.js';
import { fail, noContract, RpcError } from '../../errors.js';
import { HASH_CONTRACT } from '../../fork/block-hashes.js';
import { JsonText } from '../../json/json.js';
import type { HandlerGroup } from '../protocol/handlers.js';

export function stateMethods(chain: Chain): HandlerGroup {
  return {
    async starknet_getStorageAt(params, { session }) {
      const { contract_address, key, block_id, response_flags } = params;
      const { world } = chain;
      const number = blockNumber(world, block_id);
      const isPlain = !response_flags?.includes('INCLUDE_LAST_UPDATE_BLOCK');
      const old = isPlain ? archivedSlot(world, number, contract_address, key) : undefined;
      if (old !== undefined && old !== '0x0') return old;
      const state = stateByNumber(world, number, block_id);
      const value = await state.storageAt(contract_address, key);
      if (value === '0x0' && contract_address !== HASH_CONTRACT) {
        await assertExists(state, contract_address);
      }
      if (isPlain) return value;
      const since =
        state.storageSince(contract_address, key) ??
        world.archived?.storageSince(contract_address, key, number);
      const { fork } = chain.options;
      const below =
        since ?? (fork && (await fork.writtenAt(contract_address, key, session.signal)));
      return { value, last_update_block: below ?? 0 };
    },

    starknet_getStorageProof({ block_id }) {
      blockNumber(chain.world, block_id);
      // The specification's message speaks of blocks too far in the past, which is not the reason here.
      const { code } = ERRORS.STORAGE_PROOF_NOT_SUPPORTED;
      throw new RpcError(code, 'This node has no storage proofs of its blocks');
    },

    async starknet_getNonce({ block_id, contract_address }) {
      const state = stateById(chain.world, block_id);
      await assertExists(state, contract_address);
      return state.nonceAt(contract_address);
    },

    async starknet_getClassHashAt({ block_id, contract_address }) {
      return assertExists(stateById(chain.world, block_id), contract_address);
    },

    async starknet_getClassAt({ block_id, contract_address }) {
      const { world } = chain;
      const hash = await assertExists(stateById(world, block_id), contract_address);
      return new JsonText(await (await classAt(world, hash, block_id)).json());
    },

    async starknet_getClass({ block_id, class_hash }) {
      return new JsonText(await (await classAt(chain.world, class_hash, block_id)).json());
    },

    async starknet_getCompiledCasm({ class_hash }) {
      const contractClass = await classAt(chain.world, class_hash, 'latest');
      if (contractClass.kind !== 'sierra') fail('CLASS_HASH_NOT_FOUND');
      return new JsonText(withoutSigns(await contractClass.casm()));
    },

    starknet_call: ({ request, block_id }, { session }) =>
      call(chain, request, block_id, session.signal),
  };
}

/** Compilers write negative immediates of hints; the specification takes the same felts without a sign. */
function withoutSigns(casm: string): string {
  return casm.replace(
    /"Immediate":"-(0x[0-9a-f]+)"/g,
    (_, amount: string) => `"Immediate":"${toFelt(PRIME - BigInt(amount))}"`,
  );
}

/** The class hash of a contract that must be there. */
async function assertExists(state: ReturnType<typeof stateById>, address: string): Promise<string> {
  const hash = await state.classHashAt(address);
  return hash === '0x0' ? noContract(address) : hash;
}
