// Methods of the network that the chain imitates.
import type { NETWORK_STATUS } from '@starkbox/spec';
import type { Chain } from '../../chain/chain.js';
import { capacityOf } from '../../chain/network/capacity.js';
import {
  type NetworkConditions,
  readConditions,
  readCongestion,
} from '../../chain/network/conditions.js';
import { marketConstants } from '../../chain/network/market.js';
import { presetNameOf, presetOf } from '../../chain/network/presets.js';
import { setCongestion, setNetworkConditions } from '../../chain/network-controls.js';
import { invalidParams, reasonOf } from '../../errors.js';
import type { HandlerGroup } from '../protocol/handlers.js';

export function networkMethods(chain: Chain): HandlerGroup {
  return {
    async devnet_setNetworkConditions({ conditions }, { cause }) {
      await setNetworkConditions(chain, conditionsIn(conditions), cause);
      return networkStatus(chain);
    },

    devnet_getNetworkConditions: () => networkStatus(chain),

    async devnet_setCongestion({ congestion }, { cause }) {
      const load = congestion === null ? null : readParam(congestion, readCongestion, 'congestion');
      await setCongestion(chain, load, cause);
      return networkStatus(chain);
    },
  };
}

function conditionsIn(value: unknown): NetworkConditions | undefined {
  if (value === null) return undefined;
  if (typeof value === 'string') return presetOf(value);
  return readParam(value, readConditions, 'conditions');
}

function readParam<T>(value: unknown, read: (value: unknown, where: string) => T, name: string): T {
  try {
    return read(value, `params.${name}`);
  } catch (error) {
    if (error instanceof TypeError) return invalidParams(reasonOf(error));
    throw error;
  }
}

async function networkStatus({ world }: Chain): Promise<NETWORK_STATUS> {
  const { network, gas, blocks } = world;
  const { forecast } = await import('../../chain/network/blocks/network-block.js');
  const { target } = marketConstants(blocks.starknetVersion);
  return {
    conditions: network?.conditions ?? null,
    preset: (network && presetNameOf(network.conditions)) ?? null,
    rounds: network?.rounds ?? 0,
    submissions: network?.submissions ?? 0,
    l2_gas_price: gas.current.l2_gas_price_fri,
    next_l2_gas_price: network ? forecast({ ...world, network }) : gas.next.l2_gas_price_fri,
    gas_target: Number(target),
    gas_limit: capacityOf(network?.conditions.capacity, blocks.starknetVersion).receipt_l2_gas,
    recent_blocks:
      network?.recent
        .toArray()
        .map(({ block, price, gasUsed, backgroundGas, fullness, transactions }) => ({
          block_number: block,
          l2_gas_price: price,
          gas_used: gasUsed,
          gas_of_others: backgroundGas,
          fullness: fullness ?? null,
          transaction_count: transactions,
        })) ?? [],
  };
}
