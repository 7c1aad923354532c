// Forms for how blocks are made: several at once, when, their time step, their sequencer, and reorganisations.
import { canonicalFelt } from '@starkbox/abi';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { grouped } from '../../format/amount.js';
import { generationText } from '../../format/time.js';
import { Action, act } from '../../parts/action.js';
import { type AskProps, Group, Sealed } from '../../parts/confirm.js';
import { NumberInput, TextInput } from '../../parts/inputs.js';
import { Problem } from '../../parts/page-states.js';
import { Address } from '../../parts/values.js';
import { call } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import type { Params, Result } from '../../rpc/methods.js';

/** The settings as they are now. */
export function useBlockSettings() {
  const beat = useLive((live) => live.beat);
  return useQuery({
    queryKey: ['now', 'block-settings', beat],
    placeholderData: (old: Result<'devnet_getBlockSettings'> | undefined) => old,
    queryFn: () => call('devnet_getBlockSettings', {}),
  });
}

export function BlockSettings({ ask }: AskProps) {
  const settings = useBlockSettings();
  const { data } = settings;
  return (
    <Group name="Block settings">
      {settings.error && (
        <Problem error={settings.error} what="the settings of blocks" retry={settings.refetch} />
      )}
      <div className="meta">
        <span>{generationText(data?.block_generation_on)}</span>
        <span>
          {data &&
            (data.time_step === null
              ? 'time passes as it really does'
              : `${grouped(data.time_step)} s from block to block`)}
        </span>
        <span>sequencer {data && <Address of={data.sequencer_address} mark />}</span>
      </div>
      <Setting
        label="block generation"
        hint="transaction, demand, mempool, 5 for seconds, 500ms or mempool:2000"
        read={(text) =>
          /^(transaction|demand|mempool(:[1-9]\d+)?|[1-9]\d*(ms)?)$/.test(text)
            ? { block_generation_on: text }
            : undefined
        }
      />
      <Setting
        label="time step"
        hint="seconds, or none"
        read={(text) => {
          if (text === 'none') return { time_step: 'none' };
          const seconds = wholeNumber(text);
          return seconds === undefined ? undefined : { time_step: seconds };
        }}
      />
      <Setting
        label="sequencer"
        hint="an address"
        read={(text) => {
          const address = canonicalFelt(text);
          return address === undefined ? undefined : { sequencer_address: address };
        }}
      />
      <SeveralBlocks />
      <Reorganise ask={ask} />
    </Group>
  );
}

interface SettingProps {
  readonly label: string;
  readonly hint: string;
  /** The parameters of a text; undefined if it means nothing. */
  readonly read: (text: string) => Params<'devnet_setBlockSettings'> | undefined;
}

function Setting({ label, hint, read }: SettingProps) {
  const [draft, setDraft] = useState('');
  const params = read(draft.trim());
  return (
    <div className="line-of">
      <TextInput
        label={label}
        value={draft}
        aria-invalid={draft !== '' && params === undefined}
        change={setDraft}
      />
      <Action
        label={`Set ${label}`}
        refused={params === undefined ? `Write ${hint}.` : undefined}
        run={async () => {
          const settings = await act(
            `Set ${label}`,
            'devnet_setBlockSettings',
            params ?? {},
            () => draft,
          );
          if (settings) setDraft('');
        }}
      >
        Set
      </Action>
      <span className="soft">{hint}</span>
    </div>
  );
}

function SeveralBlocks() {
  const [count, setCount] = useState('');
  const [interval, setInterval] = useState('');
  const number = wholeNumber(count);
  const seconds = interval === '' ? undefined : wholeNumber(interval);
  const isWrong =
    number === undefined ||
    number < 1 ||
    number > 10_000 ||
    (interval !== '' && seconds === undefined);
  return (
    <div className="line-of">
      <NumberInput label="blocks" value={count} change={setCount} />
      <NumberInput label="seconds apart" value={interval} change={setInterval} />
      <Action
        refused={
          isWrong ? 'Write a number of blocks up to 10000, and seconds if you like.' : undefined
        }
        run={() =>
          act(
            `Create ${number} blocks`,
            'devnet_createBlock',
            { count: number ?? 1, ...(seconds === undefined ? {} : { interval: seconds }) },
            ({ block_hash }) => <Sealed hash={block_hash} />,
          )
        }
      >
        Create several
      </Action>
    </div>
  );
}

function Reorganise({ ask }: AskProps) {
  const [depth, setDepth] = useState('');
  const head = useLive((live) => live.head?.number ?? 0);
  const number = wholeNumber(depth);
  const isWrong = number === undefined || number < 1 || number > head;
  return (
    <div className="line-of">
      <NumberInput label="newest blocks" value={depth} change={setDepth} />
      <Action
        kind="danger"
        refused={isWrong ? `Write a number of blocks, at most ${head}.` : undefined}
        run={async () =>
          ask({
            title: `Replace the newest ${number} blocks?`,
            loss: `Empty blocks take the place of ${grouped(number ?? 0)} blocks, whose transactions are lost.`,
            verb: 'Replace them',
            canKeep: true,
            run: () =>
              act(
                `Replace ${number} blocks`,
                'devnet_reorg',
                { depth: number ?? 1 },
                ({ blocks }) => `${blocks.length} new blocks`,
              ),
          })
        }
      >
        Replace by empty ones…
      </Action>
    </div>
  );
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,12}$/.test(text.trim()) ? Number(text) : undefined;
}
