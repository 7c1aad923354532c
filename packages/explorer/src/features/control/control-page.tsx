// Page that controls the chain, as cards: clock, blocks, mempool, prices, balances, snapshots; losses of data apart.
import { canonicalFelt, shortHash } from '@starkbox/abi/basics';
import { useState } from 'react';
import { counted } from '../../format/amount.js';
import { to } from '../../navigation/route.js';
import { Action, act, DoneLog, LastDone } from '../../parts/action.js';
import { PlainButton } from '../../parts/button.js';
import { Confirm, Group, type Question, Sealed } from '../../parts/confirm.js';
import { Icon } from '../../parts/icons.js';
import { Checkbox, NumberInput, TextInput } from '../../parts/inputs.js';
import { Mint } from '../../parts/mint-form.js';
import { Heading, Problem } from '../../parts/page-states.js';
import { Address, Fact, Link } from '../../parts/values.js';
import { useLive } from '../../rpc/live-state.js';
import { useConfig, useStatus } from '../../rpc/queries.js';
import { runTask } from '../../state/tasks.js';
import { BlockModeCard, BlockTimeCard, wholeNumber } from './block-settings.js';
import { Clock } from './clock.js';
import { DangerCards } from './danger.js';
import { TokenBalance } from './deal.js';
import { Prices } from './gas-prices.js';
import { Mempool } from './mempool.js';
import { NetworkConditions } from './network-conditions.js';
import { SnapshotsCard } from './snapshots.js';
import '../../styles/control.css';

export function ControlPage() {
  const [question, setQuestion] = useState<Question | undefined>();
  return (
    <>
      <Heading title="Control" />
      <LastDone />
      <Unread />
      <div className="cards">
        <Clock ask={setQuestion} />
        <BlocksCard />
        <BlockModeCard />
        <BlockTimeCard />
        <NetworkConditions />
        <Prices />
        <Mempool ask={setQuestion} />
        <Faucet />
        <TokenBalance />
        <Impersonation />
        <SnapshotsCard ask={setQuestion} />
      </div>
      <DangerCards ask={setQuestion} />
      <DoneLog />
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

function BlocksCard() {
  const head = useLive((live) => live.head);
  const pending = useLive((live) => live.pending);
  return (
    <Group name="Blocks">
      <dl className="facts">
        <Fact name="Head">
          {head && <Link href={to('block', head.number)}>{head.number}</Link>}
        </Fact>
        <Fact name="Pending">{counted(pending, 'transaction')}</Fact>
      </dl>
      <div>
        <Action
          kind="primary"
          run={() =>
            act('Create a block', 'devnet_createBlock', {}, ({ block_hash }) => (
              <Sealed hash={block_hash} />
            ))
          }
        >
          Create block {head && head.number + 1}
        </Action>
      </div>
      <SeveralBlocks />
      <AcceptOnL1 head={head?.number} />
    </Group>
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
    <div className="fields">
      <NumberInput label="Number of blocks" value={count} change={setCount} />
      <NumberInput label="Seconds apart (optional)" value={interval} change={setInterval} />
      <Action
        refused={isWrong ? 'Enter a number of blocks from 1 to 10,000.' : undefined}
        run={() =>
          act(
            `Create ${number} blocks`,
            'devnet_createBlock',
            { count: number ?? 1, ...(seconds === undefined ? {} : { interval: seconds }) },
            ({ block_hash }) => <Sealed hash={block_hash} />,
          )
        }
      >
        Create blocks
      </Action>
    </div>
  );
}

function AcceptOnL1({ head }: { readonly head: number | undefined }) {
  const [last, setLast] = useState('');
  const number = wholeNumber(last);
  const isThere = number !== undefined && head !== undefined && number <= head;
  return (
    <div className="fields">
      <NumberInput label="Accept on L1 up to block" value={last} change={setLast} />
      <Action
        refused={isThere ? undefined : `Enter a block number up to ${head ?? 0}.`}
        run={() =>
          act(
            `Accept on L1 up to block ${number}`,
            'devnet_acceptOnL1',
            { starting_block_id: { block_number: number ?? 0 } },
            ({ accepted }) => `${accepted.length} blocks are accepted on L1`,
          )
        }
      >
        Accept
      </Action>
    </div>
  );
}

function Faucet() {
  const [draft, setDraft] = useState('');
  const address = canonicalFelt(draft);
  return (
    <Group name="Mint">
      <div className="fields">
        <TextInput
          label="Receiver"
          className="mono"
          value={draft}
          placeholder="0x…"
          change={setDraft}
        />
      </div>
      {address === undefined && (
        <p className="quiet">
          Enter an address, or mint to an account on <Link href={to('accounts')}>Accounts</Link>.
        </p>
      )}
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
        {status.data && all.length === 0 && (
          <span className="quiet">Send transactions of an address without its key.</span>
        )}
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
              <Icon name="close" />
            </PlainButton>
          </span>
        ))}
      </div>
      <div className="fields">
        <TextInput
          label="Address"
          className="mono"
          value={draft}
          placeholder="0x…"
          change={setDraft}
        />
        <Action
          refused={address === undefined ? 'Enter an address.' : undefined}
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
      </div>
      <Checkbox
        className="check"
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
        Impersonate any account
      </Checkbox>
    </Group>
  );
}
