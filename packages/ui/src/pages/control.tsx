// Knows what can be done to the chain as a whole: clock, blocks, prices, impersonation, snapshots, restart.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Action, act, DoneLog, LastDone } from '../parts/action.js';
import { Sheet } from '../parts/sheet.js';
import { Heading } from '../parts/states.js';
import { Address, Hostile, Link, useChainNow } from '../parts/values.js';
import { to } from '../route.js';
import { ETH, grouped, priceText, readAmount, STRK, type Unit } from '../values/amount.js';
import { isoText, momentText, offsetText, spanText } from '../values/clock.js';
import { canonical, shortHash } from '../values/felt.js';
import { useLive } from '../wire/live.js';
import { useConfig, useStatus } from '../wire/queries.js';
import { call, isMissing } from '../wire/rpc.js';
import { Mint } from './accounts.js';

/** A question that must be answered before something is lost. */
interface Question {
  readonly title: string;
  readonly loss: ReactNode;
  readonly verb: string;
  readonly run: () => Promise<unknown>;
  /** Whether a copy can be kept first. */
  readonly canKeep: boolean;
}

export function Control() {
  const [question, setQuestion] = useState<Question | undefined>();
  return (
    <>
      <Heading title="Control" />
      <LastDone />
      <div className="groups">
        <Clock ask={setQuestion} />
        <BlocksGroup ask={setQuestion} />
        <Prices />
        <Faucet />
        <Impersonation />
        <State ask={setQuestion} />
        <DoneLog />
      </div>
      {question && <Confirm question={question} close={() => setQuestion(undefined)} />}
    </>
  );
}

interface Asks {
  readonly ask: (question: Question) => void;
}

function Group({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <section className="panel group" aria-label={name}>
      <h2>{name}</h2>
      <div className="stack">{children}</div>
    </section>
  );
}

function Confirm({ question, close }: { readonly question: Question; readonly close: () => void }) {
  const [keep, setKeep] = useState(true);
  return (
    <Sheet label={question.title} close={close}>
      <div>
        <h2>{question.title}</h2>
        <p>{question.loss}</p>
        {question.canKeep && (
          <label className="line-of">
            <input
              type="checkbox"
              checked={keep}
              onChange={(event) => setKeep(event.target.checked)}
            />
            keep a copy first, and download it
          </label>
        )}
        <div className="line-of">
          <Action
            kind="danger"
            run={async () => {
              if (question.canKeep && keep && !(await download())) return;
              await question.run();
              close();
            }}
          >
            {question.verb}
          </Action>
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
        </div>
        <LastDone />
      </div>
    </Sheet>
  );
}

/** Saves an image of the chain; false if there is none to be had. */
async function download(): Promise<boolean> {
  const image = await act(
    'Keep a copy',
    'devnet_dump',
    { format: 'image', inline: true },
    (result) => ('image' in result ? 'downloaded' : new Error('The node gave no image.')),
  );
  if (image === undefined || !('image' in image) || typeof image.image !== 'string') return false;
  const bytes = Uint8Array.from(atob(image.image), (letter) => letter.charCodeAt(0));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = 'starkbox.image';
  link.click();
  URL.revokeObjectURL(link.href);
  return true;
}

const STEPS = [
  [3_600, '+1 h'],
  [86_400, '+1 d'],
  [604_800, '+7 d'],
] as const;

function Clock({ ask }: Asks) {
  const now = useChainNow();
  const offset = useLive((live) => live.offset);
  const [seal, setSeal] = useState(true);
  const [draft, setDraft] = useState('');
  const chosen = readMoment(draft);
  const set = (time: number) =>
    act(
      `Set clock to ${momentText(time)}`,
      'devnet_setTime',
      { time, generate_block: seal },
      ({ block_hash }) =>
        block_hash === null ? 'from the next block on' : <Sealed hash={block_hash} />,
    );
  const request = async (time: number): Promise<void> => {
    if (time >= now) {
      await set(time);
      return;
    }
    ask({
      title: 'Set the clock backwards?',
      loss: `The chain’s time goes back by ${spanText(now - time)}: later blocks will have earlier times than the present ones.`,
      verb: `Set clock to ${momentText(time)}`,
      run: () => set(time),
      canKeep: false,
    });
  };
  return (
    <Group name="Clock">
      <div className="meta">
        <span>chain {momentText(now)} UTC</span>
        <span>wall {momentText(now - offset)} UTC</span>
        <span>offset {offsetText(offset) ?? 'none'}</span>
      </div>
      <div className="line-of">
        {STEPS.map(([seconds, name]) => (
          <Action
            key={name}
            run={() =>
              seal
                ? act(
                    `Move the clock by ${name}`,
                    'devnet_increaseTime',
                    { time: seconds },
                    ({ block_hash }) => <Sealed hash={block_hash} />,
                  )
                : set(now + seconds)
            }
          >
            {name}
          </Action>
        ))}
        <label>
          <input
            type="checkbox"
            checked={seal}
            onChange={(event) => setSeal(event.target.checked)}
          />
          seal a block
        </label>
      </div>
      <div className="line-of">
        <label>
          new time
          <input
            value={draft}
            placeholder={isoText(now)}
            aria-invalid={draft !== '' && chosen === undefined}
            aria-describedby="clock-hint"
            onChange={(event) => setDraft(event.target.value)}
          />
        </label>
        <Action
          run={() => request(chosen ?? now)}
          refused={
            chosen === undefined
              ? 'Write a date such as 2026-11-16T01:00:00Z, or seconds since 1970.'
              : undefined
          }
        >
          {chosen === undefined ? 'Set clock' : `Set clock to ${momentText(chosen)}`}
        </Action>
        <span id="clock-hint" className="quiet">
          a date, or seconds since 1970
        </span>
      </div>
    </Group>
  );
}

function readMoment(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^\d{1,12}$/.test(trimmed)) return Number(trimmed);
  if (!/^\d{4}-\d{2}-\d{2}/.test(trimmed)) return undefined;
  const milliseconds = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(trimmed) ? trimmed : `${trimmed}Z`);
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000);
}

function Sealed({ hash }: { readonly hash: string }) {
  return (
    <>
      block <Link href={to('block', hash)}>{shortHash(hash)}</Link>
    </>
  );
}

function BlocksGroup({ ask }: Asks) {
  const config = useConfig();
  const head = useLive((live) => live.head);
  const pending = useLive((live) => live.pending);
  const [from, setFrom] = useState('');
  const number = /^\d{1,15}$/.test(from) ? Number(from) : undefined;
  const isThere = number !== undefined && head !== undefined && number <= head.number;
  const refused = isThere
    ? undefined
    : `Write the number of a block, at most ${head?.number ?? 0}.`;
  const mode = config.data?.block_generation_on;
  return (
    <Group name="Blocks">
      <div className="meta">
        <span>
          {mode === 'transaction'
            ? 'a block for each transaction'
            : mode === 'demand'
              ? 'blocks on demand'
              : `a block each ${mode} s`}
        </span>
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
        <label>
          block
          <input
            className="short"
            value={from}
            onChange={(event) => setFrom(event.target.value)}
            inputMode="numeric"
          />
        </label>
        <Action
          kind="danger"
          refused={refused ?? (number === 0 ? 'The first block cannot be aborted.' : undefined)}
          run={async () =>
            ask({
              title: `Abort from block ${number}?`,
              loss: `Blocks ${number} to ${head?.number} and all that is in them go: ${grouped((head?.number ?? 0) - (number ?? 0) + 1)} in all.`,
              verb: `Abort from block ${number}`,
              canKeep: true,
              run: () =>
                act(
                  `Abort from block ${number}`,
                  'devnet_abortBlocks',
                  { starting_block_id: { block_number: number ?? 0 } },
                  ({ aborted }) => `${aborted.length} blocks are gone`,
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
      </div>
    </Group>
  );
}

const KINDS = [
  ['l1', 'gas_price', 'l1_gas_price'],
  ['l1 data', 'data_gas_price', 'l1_data_gas_price'],
  ['l2', 'l2_gas_price', 'l2_gas_price'],
] as const;
const TOKENS = [
  ['fri', STRK],
  ['wei', ETH],
] as const;

function Prices() {
  const config = useConfig();
  const beat = useLive((live) => live.beat);
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({});
  const [seal, setSeal] = useState(true);
  const next = useQuery({
    queryKey: ['now', 'next-prices', beat],
    placeholderData: (old) => old,
    queryFn: () => call('starknet_getBlockWithTxHashes', { block_id: 'pre_confirmed' }),
  });
  const changes = Object.entries(drafts).filter(([, text]) => text.trim() !== '');
  const read = changes.map(
    ([name, text]) => [name, readAmountOfGas(text, name.endsWith('fri') ? STRK : ETH)] as const,
  );
  const isBad = read.some(([, value]) => value === undefined || value === 0n);
  return (
    <Group name="Gas prices">
      <table className="prices">
        <thead>
          <tr>
            <td />
            {KINDS.map(([kind]) => (
              <th key={kind} scope="col" colSpan={2}>
                {kind}: now, new
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {TOKENS.map(([token, unit]) => (
            <tr key={token}>
              <th scope="row">{token}</th>
              {KINDS.map(([kind, name, header]) => {
                const field = `${name}_${token}` as const;
                const start = config.data?.[field];
                const price =
                  next.data?.[header][token === 'fri' ? 'price_in_fri' : 'price_in_wei'];
                const isChanged =
                  start !== undefined && price !== undefined && BigInt(start) !== BigInt(price);
                return [
                  <td key={`${kind} now`} data-price={field} data-kind={kind}>
                    {price !== undefined && priceText(BigInt(price), unit)}
                    {isChanged && (
                      <span
                        className="warn"
                        title={`${priceText(BigInt(start), unit)} at the start`}
                      >
                        {' '}
                        • changed
                      </span>
                    )}
                  </td>,
                  <td key={`${kind} new`}>
                    <input
                      aria-label={`new ${kind} price in ${token}`}
                      placeholder={`g${unit.base}`}
                      value={drafts[field] ?? ''}
                      onChange={(event) => setDrafts({ ...drafts, [field]: event.target.value })}
                    />
                  </td>,
                ];
              })}
            </tr>
          ))}
        </tbody>
      </table>

      <div className="line-of">
        <Action
          refused={
            changes.length === 0
              ? 'Write at least one new price.'
              : isBad
                ? 'A price is a number above zero, in gfri or gwei.'
                : undefined
          }
          run={async () => {
            const done = await act(
              `Set ${changes.length === 1 ? 'a price' : `${changes.length} prices`}`,
              'devnet_setGasPrice',
              { ...Object.fromEntries(read), generate_block: seal },
              () => (seal ? 'in force in a new block' : 'from the next block on'),
            );
            if (done) setDrafts({});
          }}
        >
          {seal ? 'Apply in a new block' : 'Apply to the next block'}
        </Action>
        <label>
          <input
            type="checkbox"
            checked={seal}
            onChange={(event) => setSeal(event.target.checked)}
          />
          seal a block
        </label>
        <span className="quiet">in gfri and gwei; “25 fri” and “25 wei” work too</span>
      </div>
    </Group>
  );
}

/** A bare number is in billions of the base unit, as prices are shown. */
function readAmountOfGas(text: string, unit: Unit): bigint | undefined {
  return readAmount(/[a-z]\s*$/i.test(text) ? text : `${text} g${unit.base}`, unit);
}

function Faucet() {
  const [draft, setDraft] = useState('');
  const address = canonical(draft);
  return (
    <Group name="Mint">
      <div className="line-of">
        <label>
          to address
          <input
            className="mono long"
            value={draft}
            placeholder="0x…"
            onChange={(event) => setDraft(event.target.value)}
          />
        </label>
        <Link href={to('accounts')}>to an account</Link>
      </div>
      {address !== undefined && <Mint key={address} address={address} name={shortHash(address)} />}
    </Group>
  );
}

function Impersonation() {
  const status = useStatus();
  const [draft, setDraft] = useState('');
  const address = canonical(draft);
  const all = status.data?.impersonated_accounts ?? [];
  const isAny = status.data?.auto_impersonate ?? false;
  return (
    <Group name="Impersonate">
      <div className="line-of">
        {all.length === 0 && <span className="quiet">nobody</span>}
        {all.map((one) => (
          <span key={one}>
            <Address of={one} mark />
            <button
              type="button"
              className="plain"
              aria-label={`Stop impersonating ${one}`}
              onClick={() =>
                void act(
                  'Stop impersonating',
                  'devnet_stopImpersonateAccount',
                  { account_address: one },
                  () => shortHash(one),
                )
              }
            >
              ✕
            </button>
          </span>
        ))}
      </div>
      <div className="line-of">
        <label>
          address
          <input
            className="mono long"
            value={draft}
            placeholder="0x…"
            onChange={(event) => setDraft(event.target.value)}
          />
        </label>
        <Action
          refused={address === undefined ? 'Write an address.' : undefined}
          run={async () => {
            const done = await act(
              'Impersonate',
              'devnet_impersonateAccount',
              { account_address: address ?? '' },
              () => shortHash(address ?? ''),
            );
            if (done) setDraft('');
          }}
        >
          Impersonate
        </Action>
        <label>
          <input
            type="checkbox"
            checked={isAny}
            onChange={() =>
              void act(
                isAny ? 'Check signatures again' : 'Impersonate any account',
                isAny ? 'devnet_stopAutoImpersonate' : 'devnet_autoImpersonate',
                {},
                () => 'done',
              )
            }
          />
          any account
        </label>
      </div>
    </Group>
  );
}

function State({ ask }: Asks) {
  const status = useStatus();
  const [name, setName] = useState('');
  const snapshots = useQuery({
    queryKey: ['now', 'snapshots', useLive((live) => live.beat)],
    placeholderData: (old) => old,
    queryFn: async () => {
      try {
        return (await call('devnet_listSnapshots')).snapshots;
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
  });
  const head = useLive((live) => live.head?.number ?? 0);
  return (
    <Group name="State">
      <div className="line-of">
        <label>
          name
          <input value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
        </label>
        <Action
          run={async () => {
            const done = await act(
              'Take a snapshot',
              'devnet_snapshot',
              name.trim() === '' ? {} : { name: name.trim() },
              (id) => `${id}`,
            );
            if (done !== undefined) setName('');
          }}
        >
          Take a snapshot
        </Action>
        <Action run={async () => void (await download())}>Download an image</Action>
        <Action
          kind="danger"
          run={async () =>
            ask({
              title: 'Restart the chain?',
              loss: `The chain goes back to its beginning: ${grouped(status.data?.block_count ?? 0)} blocks, ${grouped(status.data?.transaction_count ?? 0)} transactions and ${snapshots.data?.length ?? 0} snapshots go.`,
              verb: 'Restart the chain',
              canKeep: true,
              run: () => act('Restart the chain', 'devnet_restart', {}, () => 'it starts anew'),
            })
          }
        >
          Restart the chain…
        </Action>
      </div>
      {snapshots.data && snapshots.data.length > 0 && (
        <ul className="story" aria-label="Snapshots">
          {snapshots.data.map((snapshot) => (
            <li key={snapshot.snapshot_id} className="line-of">
              <span>
                ◆ <code>{snapshot.snapshot_id}</code>{' '}
                {snapshot.name !== undefined && <Hostile text={snapshot.name} limit={60} />}
              </span>
              <span className="soft">
                block {snapshot.block_number}, {momentText(snapshot.timestamp)}
              </span>
              <Action
                label={`Revert to ${snapshot.snapshot_id}`}
                run={async () =>
                  ask({
                    title: `Revert to ${snapshot.snapshot_id}?`,
                    loss: `${grouped(head - snapshot.block_number)} blocks and every later snapshot go. The snapshot itself is used up by it.`,
                    verb: `Revert to ${snapshot.snapshot_id}`,
                    canKeep: true,
                    run: () =>
                      act(
                        `Revert to ${snapshot.snapshot_id}`,
                        'devnet_revert',
                        { snapshot_id: snapshot.snapshot_id },
                        (isDone) =>
                          isDone
                            ? 'done'
                            : new Error('That snapshot was already used, or is unknown.'),
                      ),
                  })
                }
              >
                Revert…
              </Action>
            </li>
          ))}
        </ul>
      )}
    </Group>
  );
}
