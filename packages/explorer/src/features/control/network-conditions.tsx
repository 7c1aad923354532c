// Form for the network that the chain imitates.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { percentText, STRK, shortPriceText } from '../../format/amount.js';
import { Action, act } from '../../parts/action.js';
import { Group } from '../../parts/confirm.js';
import { Choice } from '../../parts/inputs.js';
import { Problem } from '../../parts/page-states.js';
import { call, isMissing } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import type { Result } from '../../rpc/methods.js';
import { useConfig } from '../../rpc/queries.js';

type Status = Result<'devnet_getNetworkConditions'>;
type Conditions = 'off' | 'calm' | 'busy' | 'congested';

const METHOD = 'devnet_setNetworkConditions';

const OPTIONS: readonly (readonly [value: Conditions, text: string])[] = [
  ['off', 'Off'],
  ['calm', 'Calm'],
  ['busy', 'Busy'],
  ['congested', 'Congested'],
];

const SENTENCES: Readonly<Record<Conditions, string>> = {
  off: 'Prices stay as they are, and every transaction fits into the next block.',
  calm: 'Blocks are about as full as the target, so the price hardly moves.',
  busy: 'Others fill blocks above the target: the price rises, and some transactions arrive late.',
  congested:
    'Others request more than fits until the price has multiplied: low tips wait or are dropped, some transactions are lost, and blocks may be replaced.',
};

function useNetwork() {
  const beat = useLive((live) => live.beat);
  return useQuery({
    queryKey: ['now', 'network', beat],
    placeholderData: (old: Status | undefined) => old,
    queryFn: () => call('devnet_getNetworkConditions', {}),
  });
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
      <div className="line-of">
        <Choice
          label="network conditions"
          options={OPTIONS.map(([value, text]) => [value, text, SENTENCES[value]] as const)}
          value={chosen}
          change={setDraft}
        />
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
            if (status) setDraft(undefined);
          }}
        >
          Set conditions
        </Action>
      </div>
      {chosen && <p className="soft">{SENTENCES[chosen]}</p>}
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
    <div className="meta">
      <span>{current === 'own' ? 'own conditions' : current}</span>
      {congestion && (
        <span>others request {percentText(congestion.demand)} of a block at the lowest price</span>
      )}
      {conditions && <span>L2 gas {shortPriceText(BigInt(l2_gas_price), STRK)}</span>}
      {conditions && <span>seed {conditions.seed ?? 0}</span>}
    </div>
  );
}
