// Cards of the next blocks: when the node creates them, their time, and their sequencer.
import { canonicalFelt } from '@starkbox/abi/basics';
import { useState } from 'react';
import { Action, act } from '../../parts/action.js';
import { Group } from '../../parts/confirm.js';
import { NumberInput, TextInput } from '../../parts/inputs.js';
import { Problem } from '../../parts/page-states.js';
import { Address, Fact } from '../../parts/values.js';
import { call } from '../../rpc/client.js';
import type { Result } from '../../rpc/methods.js';
import { useCurrent } from '../../rpc/queries.js';
import { type BlockMode, type BlockModeDraft, blockModeText, readBlockMode } from './block-mode.js';
import { type Option, OptionList } from './option-list.js';

type Settings = Result<'devnet_getBlockSettings'>;

/** The settings as they are now. */
export function useBlockSettings() {
  return useCurrent(['now', 'block-settings'], () => call('devnet_getBlockSettings', {}));
}

export function BlockModeCard() {
  const settings = useBlockSettings();
  const { data } = settings;
  const [draft, setDraft] = useState<BlockModeDraft | undefined>();
  const current = data?.block_generation_on;
  const chosen = draft ?? (current === undefined ? undefined : readBlockMode(current));
  const text = chosen && blockModeText(chosen);
  const edit = (part: Partial<BlockModeDraft>): void => {
    if (chosen) setDraft({ ...chosen, ...part });
  };
  return (
    <Group name="Block mode">
      {settings.error && (
        <Problem error={settings.error} what="the block settings" retry={settings.refetch} />
      )}
      <OptionList
        label="When the node creates a block"
        options={chosen ? modeOptions(chosen, edit) : []}
        value={chosen?.mode}
        change={(mode) => edit({ mode })}
      />
      <Action
        refused={
          text === undefined
            ? 'Enter an interval above zero.'
            : text === current
              ? 'This is the current block mode.'
              : undefined
        }
        run={async () => {
          const changed = await act(
            'Set block mode',
            'devnet_setBlockSettings',
            { block_generation_on: text ?? 'transaction' },
            ({ block_generation_on }) => block_generation_on,
          );
          // What was chosen while the call ran stays.
          if (changed) setDraft((latest) => (latest === draft ? undefined : latest));
        }}
      >
        Set block mode
      </Action>
    </Group>
  );
}

function modeOptions(
  { seconds }: BlockModeDraft,
  edit: (part: Partial<BlockModeDraft>) => void,
): readonly Option<BlockMode>[] {
  const inputs = (
    <NumberInput
      label="Seconds between blocks"
      value={seconds}
      change={(text) => edit({ seconds: text })}
    />
  );
  return [
    {
      value: 'transaction',
      name: 'On transaction',
      about: 'Each transaction gets a block.',
    },
    {
      value: 'demand',
      name: 'On demand',
      about: 'Transactions execute at once. You create the block.',
    },
    {
      value: 'interval',
      name: 'On an interval',
      about: 'A block closes after a fixed time.',
      inputs,
    },
    {
      value: 'mempool',
      name: 'Mempool',
      about: 'Transactions wait until you execute them.',
    },
    {
      value: 'mempool-interval',
      name: 'Mempool on an interval',
      about: 'The node builds a block from waiting transactions after a fixed time.',
      inputs,
    },
  ];
}

export function BlockTimeCard() {
  const { data } = useBlockSettings();
  return (
    <Group name="Block contents">
      <TimeStep current={data?.time_step} />
      <Sequencer current={data?.sequencer_address} />
    </Group>
  );
}

type TimeMode = 'clock' | 'step';

function TimeStep({ current }: { readonly current: Settings['time_step'] | undefined }) {
  const [draft, setDraft] = useState<{ mode: TimeMode; seconds: string } | undefined>();
  const initial = {
    mode: current === null ? ('clock' as const) : ('step' as const),
    seconds: String(current ?? 12),
  };
  const chosen = draft ?? (current === undefined ? undefined : initial);
  const seconds = wholeNumber(chosen?.seconds ?? '');
  const step = chosen?.mode === 'clock' ? null : seconds;
  const options: readonly Option<TimeMode>[] = [
    { value: 'clock', name: 'Clock', about: 'Timestamps follow the clock.' },
    {
      value: 'step',
      name: 'Fixed step',
      about: 'Each block is a fixed time after its parent.',
      inputs: (
        <NumberInput
          label="Seconds per block"
          value={chosen?.seconds ?? ''}
          change={(text) => setDraft({ mode: 'step', seconds: text })}
        />
      ),
    },
  ];
  return (
    <>
      <OptionList
        label="Timestamps"
        options={options}
        value={chosen?.mode}
        change={(mode) => setDraft({ ...(chosen ?? initial), mode })}
      />
      <Action
        refused={
          step === undefined
            ? 'Enter a number of seconds.'
            : step === current
              ? 'This is the current setting.'
              : undefined
        }
        run={async () => {
          const changed = await act(
            'Set timestamps',
            'devnet_setBlockSettings',
            { time_step: step ?? 'none' },
            ({ time_step }) => (time_step === null ? 'by the clock' : `${time_step} s per block`),
          );
          // What was chosen while the call ran stays.
          if (changed) setDraft((latest) => (latest === draft ? undefined : latest));
        }}
      >
        Set timestamps
      </Action>
    </>
  );
}

function Sequencer({ current }: { readonly current: string | undefined }) {
  const [draft, setDraft] = useState('');
  const address = canonicalFelt(draft.trim());
  return (
    <>
      <dl className="facts">
        <Fact name="Sequencer">{current !== undefined && <Address of={current} mark />}</Fact>
      </dl>
      <div className="fields">
        <TextInput
          label="New sequencer"
          className="mono"
          value={draft}
          placeholder="0x…"
          aria-invalid={draft !== '' && address === undefined}
          change={setDraft}
        />
        <Action
          refused={address === undefined ? 'Enter an address.' : undefined}
          run={async () => {
            const changed = await act(
              'Set sequencer',
              'devnet_setBlockSettings',
              { sequencer_address: address ?? '' },
              () => draft,
            );
            if (changed) setDraft('');
          }}
        >
          Set sequencer
        </Action>
      </div>
    </>
  );
}

export function wholeNumber(text: string): number | undefined {
  return /^\d{1,12}$/.test(text.trim()) ? Number(text) : undefined;
}
