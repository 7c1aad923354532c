// Page that controls the chain: clock, blocks, mempool, prices, impersonation, snapshots, restart.
import { canonicalFelt, shortHash } from '@starkbox/abi';
import { useState } from 'react';
import { grouped } from '../../format/amount.js';
import { generationText } from '../../format/time.js';
import { to } from '../../navigation/route.js';
import { Action, act, DoneLog, LastDone } from '../../parts/action.js';
import { PlainButton } from '../../parts/button.js';
import { type AskProps, Confirm, Group, type Question, Sealed } from '../../parts/confirm.js';
import { Checkbox, NumberInput, TextInput } from '../../parts/inputs.js';
import { Mint } from '../../parts/mint-form.js';
import { Heading, Problem } from '../../parts/page-states.js';
import { Address, Link } from '../../parts/values.js';
import { useLive } from '../../rpc/live-state.js';
import { useConfig, useStatus } from '../../rpc/queries.js';
import { runTask } from '../../state/tasks.js';
import { BlockSettings, useBlockSettings } from './block-settings.js';
import { State } from './chain-controls.js';
import { Clock } from './clock.js';
import { TokenBalance } from './deal.js';
import { Prices } from './gas-prices.js';
import { Mempool } from './mempool.js';
import { NetworkConditions } from './network-conditions.js';

export function ControlPage() {
  const [question, setQuestion] = useState<Question | undefined>();
  return (
    <>
      <Heading title="Control" />
      <LastDone />
      <Unread />
      <div className="groups">
        <Clock ask={setQuestion} />
        <BlocksGroup ask={setQuestion} />
        <BlockSettings ask={setQuestion} />
        <Mempool ask={setQuestion} />
        <NetworkConditions />
        <Prices />
        <Faucet />
        <TokenBalance />
        <Impersonation />
        <State ask={setQuestion} />
        <DoneLog />
      </div>
      {question && <Confirm question={question} close={() => setQuestion(undefined)} />}
    </>
  );
}

/** One error for missing settings, above the controls that stay blank. */
function Unread() {
  const config = useConfig();
  const status = useStatus();
  const failed = [config, status].find(({ error }) => error);
  if (!failed) return null;
  return (
    <Problem
      error={failed.error}
      what="the state of the chain"
      retry={() => Promise.all([config.refetch(), status.refetch()])}
    />
  );
}

function BlocksGroup({ ask }: AskProps) {
  const settings = useBlockSettings();
  const head = useLive((live) => live.head);
  const pending = useLive((live) => live.pending);
  return (
    <Group name="Blocks">
      <div className="meta">
        <span>{generationText(settings.data?.block_generation_on ?? undefined)}</span>
        <span>head {head && <Link href={to('block', head.number)}>{head.number}</Link>}</span>
        <span>{grouped(pending)} pending</span>
      </div>
      <div className="line-of">
        <Action
          run={() =>
            act('Create a block', 'devnet_createBlock', {}, ({ block_hash }) => (
              <Sealed hash={block_hash} />
            ))
          }
        >
          Create block {head && head.number + 1}
        </Action>
        <ChangeFrom head={head?.number} ask={ask} />
      </div>
    </Group>
  );
}

/** Aborting blocks, or accepting them on L1, from a number that is typed. */
function ChangeFrom({ head, ask }: AskProps & { readonly head: number | undefined }) {
  const [from, setFrom] = useState('');
  const number = /^\d{1,15}$/.test(from) ? Number(from) : undefined;
  const isThere = number !== undefined && head !== undefined && number <= head;
  const refused = isThere ? undefined : `Write the number of a block, at most ${head ?? 0}.`;
  return (
    <>
      <NumberInput label="block" value={from} change={setFrom} />
      <Action
        kind="danger"
        refused={refused ?? (number === 0 ? 'The first block cannot be aborted.' : undefined)}
        run={async () =>
          ask({
            title: `Abort from block ${number}?`,
            loss: `Blocks ${number} to ${head} are lost: ${grouped((head ?? 0) - (number ?? 0) + 1)} in all.`,
            verb: `Abort from block ${number}`,
            canKeep: true,
            run: () =>
              act(
                `Abort from block ${number}`,
                'devnet_abortBlocks',
                { starting_block_id: { block_number: number ?? 0 } },
                ({ aborted }) => `${aborted.length} blocks aborted`,
              ),
          })
        }
      >
        Abort from {number ?? '…'}
      </Action>
      <Action
        refused={refused}
        run={() =>
          act(
            `Accept on L1 to block ${number}`,
            'devnet_acceptOnL1',
            { starting_block_id: { block_number: number ?? 0 } },
            ({ accepted }) => `${accepted.length} blocks are accepted on L1`,
          )
        }
      >
        Accept on L1 to {number ?? '…'}
      </Action>
    </>
  );
}

function Faucet() {
  const [draft, setDraft] = useState('');
  const address = canonicalFelt(draft);
  return (
    <Group name="Mint">
      <div className="line-of">
        <TextInput
          label="to address"
          className="mono long"
          value={draft}
          placeholder="0x…"
          change={setDraft}
        />
        <Link href={to('accounts')}>to an account</Link>
      </div>
      {address !== undefined && <Mint key={address} address={address} name={shortHash(address)} />}
    </Group>
  );
}

function Impersonation() {
  const status = useStatus();
  const [draft, setDraft] = useState('');
  const address = canonicalFelt(draft);
  const all = status.data?.impersonated_accounts ?? [];
  const isAny = status.data?.auto_impersonate ?? false;
  return (
    <Group name="Impersonate">
      <div className="line-of">
        {status.data && all.length === 0 && <span className="quiet">none</span>}
        {all.map((account) => (
          <span key={account}>
            <Address of={account} mark />
            <PlainButton
              aria-label={`Stop impersonating ${account}`}
              onClick={() =>
                runTask(
                  act(
                    'Stop impersonating',
                    'devnet_stopImpersonateAccount',
                    { account_address: account },
                    () => shortHash(account),
                  ),
                )
              }
            >
              ✕
            </PlainButton>
          </span>
        ))}
      </div>
      <div className="line-of">
        <TextInput
          label="address"
          className="mono long"
          value={draft}
          placeholder="0x…"
          change={setDraft}
        />
        <Action
          refused={address === undefined ? 'Write an address.' : undefined}
          run={async () => {
            const impersonated = await act(
              'Impersonate',
              'devnet_impersonateAccount',
              { account_address: address ?? '' },
              () => shortHash(address ?? ''),
            );
            if (impersonated) setDraft('');
          }}
        >
          Impersonate
        </Action>
        <Checkbox
          checked={isAny}
          change={() =>
            runTask(
              act(
                isAny ? 'Check signatures again' : 'Impersonate any account',
                isAny ? 'devnet_stopAutoImpersonate' : 'devnet_autoImpersonate',
                {},
                () => 'done',
              ),
            )
          }
        >
          any account
        </Checkbox>
      </div>
    </Group>
  );
}
