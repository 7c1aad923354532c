// Form for the network that the chain imitates.
import { useState } from 'react';
import { percentText, STRK, shortPriceText } from '../../format/amount.js';
import { Action, act } from '../../parts/action.js';
import { Group } from '../../parts/confirm.js';
import { Problem } from '../../parts/page-states.js';
import { Fact } from '../../parts/values.js';
import { call, isMissing } from '../../rpc/client.js';
import type { Result } from '../../rpc/methods.js';
import { useConfig, useCurrent } from '../../rpc/queries.js';
import { type Option, OptionList } from './option-list.js';

type Status = Result<'devnet_getNetworkConditions'>;
type Conditions = 'off' | 'calm' | 'busy' | 'congested';

const METHOD = 'devnet_setNetworkConditions';

const OPTIONS: readonly Option<Conditions>[] = [
  {
    value: 'off',
    name: 'Off',
    about: 'Prices stay, and every transaction fits into the next block.',
  },
  {
    value: 'calm',
    name: 'Calm',
    about: 'Blocks are about as full as the target, so the price hardly moves.',
  },
  {
    value: 'busy',
    name: 'Busy',
    about: 'Other users fill blocks above the target. The price rises; some transactions are late.',
  },
  {
    value: 'congested',
    name: 'Congested',
    about: 'Demand exceeds blocks. Low tips wait or drop out, and blocks may be replaced.',
  },
];

function useNetwork() {
  return useCurrent(['now', 'network'], () => call('devnet_getNetworkConditions', {}));
}

export function NetworkConditions() {
  const network = useNetwork();
  const config = useConfig();
  const [draft, setDraft] = useState<Conditions | undefined>();
  const { data, error } = network;
  // Where even reading is restricted, nothing can be chosen.
  if (isMissing(error)) return null;
  const current = data && currentOf(data);
  const chosen = draft ?? (current === 'own' ? undefined : current);
  const isRestricted = config.data?.server_config.restricted_methods?.includes(METHOD) ?? false;
  return (
    <Group name="Network conditions">
      {error && (
        <Problem error={error} what="the network conditions" retry={() => network.refetch()} />
      )}
      {data && <Current of={data} />}
      <OptionList
        label="Network that the chain imitates"
        options={OPTIONS}
        value={chosen}
        change={setDraft}
      />
      <div>
        <Action
          refused={refusal(isRestricted, chosen, current)}
          run={async () => {
            const conditions = chosen === undefined || chosen === 'off' ? null : chosen;
            const status = await act(
              'Set network conditions',
              METHOD,
              { conditions },
              ({ preset }) => preset ?? 'off',
            );
            if (status) setDraft((latest) => (latest === draft ? undefined : latest));
          }}
        >
          Set conditions
        </Action>
      </div>
      {isRestricted && (
        <p className="quiet">This node does not serve {METHOD} (restricted methods).</p>
      )}
    </Group>
  );
}

const currentOf = ({ conditions, preset }: Status): Conditions | 'own' =>
  conditions === null ? 'off' : (preset ?? 'own');

function refusal(
  isRestricted: boolean,
  chosen: Conditions | undefined,
  current: Conditions | 'own' | undefined,
): string | undefined {
  if (isRestricted) return 'This node does not serve the method (restricted).';
  if (chosen === undefined) return 'Choose conditions.';
  return chosen === current ? 'These are the current conditions.' : undefined;
}

function Current({ of: status }: { readonly of: Status }) {
  const { conditions, l2_gas_price } = status;
  const current = currentOf(status);
  const congestion = conditions?.congestion;
  return (
    <dl className="facts">
      {current === 'own' && <Fact name="Current">custom conditions</Fact>}
      {congestion && (
        <Fact name="Demand">{percentText(congestion.demand)} of a block at the lowest price</Fact>
      )}
      {conditions && <Fact name="L2 gas">{shortPriceText(BigInt(l2_gas_price), STRK)}</Fact>}
      {conditions && <Fact name="Seed">{conditions.seed ?? 0}</Fact>}
    </dl>
  );
}
