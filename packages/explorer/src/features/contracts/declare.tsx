// Form that declares a class from compiler output, by a transaction or directly.
import { type DragEvent, useId, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { disarm } from '../../format/untrusted-text.js';
import { Action, act, LastDone } from '../../parts/action.js';
import { AddressBook } from '../../parts/forms/address-book.js';
import { ErrorText } from '../../parts/page-states.js';
import { type Declare, NoClass, readClassFile, type Sierra } from '../../parts/send/class-file.js';
import { impersonated } from '../../parts/send/run.js';
import { SenderField, useSender } from '../../parts/send/sender.js';
import { boundsFrom, NO_BOUNDS } from '../../parts/send/transaction.js';
import { ClassRef, Copy, Hostile, TxRef } from '../../parts/values.js';
import { call } from '../../rpc/client.js';
import { readPrivateKey } from '../../rpc/queries.js';

interface Chosen {
  readonly name: string;
  readonly sierra: Sierra;
  readonly functions: number;
  readonly hash: string;
  readonly isKnown: boolean;
}

export function DeclarePanel() {
  return (
    <AddressBook id="declare-book">
      <DeclareForm />
    </AddressBook>
  );
}

function DeclareForm() {
  const id = useId();
  const [chosen, setChosen] = useState<Chosen | undefined>();
  const [compiled, setCompiled] = useState<string | undefined>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [isOver, setOver] = useState(false);
  const [as, setAs] = useState('account 0');
  const sender = useSender(as);

  const take = async (files: Iterable<File>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { classHash, compiledClassHash } = await import('../../parts/send/hashes.js');
      for (const file of [...files].slice(0, 4)) {
        const read = await readClassFile(file);
        if (read.kind === 'casm') setCompiled(compiledClassHash(read.casm));
        else {
          const hash = await classHash(read.sierra);
          const isKnown = await call('starknet_getClass', {
            block_id: 'pre_confirmed',
            class_hash: hash,
          }).then(
            () => true,
            () => false,
          );
          setChosen({ ...read, name: file.name, hash, isKnown });
        }
      }
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files);
  };
  const forget = (): void => {
    setChosen(undefined);
    setCompiled(undefined);
  };

  const byTransaction = async (): Promise<void> => {
    if (!chosen || compiled === undefined || sender.address === undefined) return;
    setError(undefined);
    try {
      const declare_transaction = await declaration(chosen, compiled, sender.address);
      const { isOurs, address } = sender;
      const what = `Declare as ${disarm(sender.name, 40).text}`;
      const done = isOurs
        ? await submit(what, await withSignature(declare_transaction, chosen.hash))
        : await impersonated(address, () => submit(what, declare_transaction));
      if (done) forget();
    } catch (failure) {
      setError(failure);
    }
  };
  const without = async (): Promise<void> => {
    if (!chosen) return;
    const done = await act(
      'Declare without a transaction',
      'devnet_applyStateDiff',
      { state_diff: {}, classes: [{ contract_class: chosen.sierra }] },
      ({ classes: [one] }) =>
        one ? <ClassRef of={one.class_hash} /> : new Error('The node declared no class.'),
    );
    if (done) forget();
  };

  return (
    <section className="panel stack declare" aria-label="Declare a class">
      <fieldset
        className={isOver ? 'drop is-over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        aria-label="Place for files"
      >
        <label htmlFor={id}>
          Drop a Sierra class here, and its CASM if it is to be declared by a transaction; or choose
          them
        </label>
        <input
          id={id}
          type="file"
          multiple
          accept=".json,application/json"
          onChange={(event) => void take(event.target.files ?? [])}
        />
        {isBusy && <span className="quiet">Reading and hashing…</span>}
      </fieldset>
      {error !== undefined && (
        <p className="fail" role="alert">
          ✕ {error instanceof NoClass ? error.message : <ErrorText of={error} />}
        </p>
      )}
      {compiled !== undefined && !chosen && (
        <p className="quiet">This is the CASM; its Sierra class is still missing.</p>
      )}
      {chosen && (
        <>
          <dl className="facts">
            <dt>file</dt>
            <dd>
              <Hostile text={chosen.name} limit={80} />
            </dd>
            <dt>class hash</dt>
            <dd>
              <code>{chosen.hash}</code> <Copy value={chosen.hash} what="class hash" />
              {chosen.isKnown && (
                <span className="warn">
                  {' '}
                  declared already: <ClassRef of={chosen.hash} />
                </span>
              )}
            </dd>
            <dt>size</dt>
            <dd>
              {grouped(chosen.sierra.sierra_program.length)} felts of Sierra,{' '}
              {grouped(chosen.functions)} entry points
            </dd>
            <dt>compiled class hash</dt>
            <dd>
              {compiled === undefined ? (
                <span className="quiet">needs the CASM file</span>
              ) : (
                <code>{compiled}</code>
              )}
            </dd>
          </dl>
          <div className="line-of">
            <SenderField text={as} sender={sender} change={setAs} />
            <Action
              kind="primary"
              run={byTransaction}
              refused={
                compiled === undefined
                  ? 'Choose its CASM file as well.'
                  : chosen.isKnown
                    ? 'This class is declared already.'
                    : sender.error
              }
            >
              Declare as {sender.isOurs ? '' : 'impersonated '}
              {disarm(sender.name, 40).text}
            </Action>
            <Action
              run={without}
              refused={chosen.isKnown ? 'This class is declared already.' : undefined}
            >
              Declare without a transaction
            </Action>
          </div>
        </>
      )}
      <LastDone />
    </section>
  );
}

/** The declare transaction, with resource bounds from a fee estimate. */
async function declaration(chosen: Chosen, compiled: string, sender: string): Promise<Declare> {
  const nonce = await call('starknet_getNonce', {
    block_id: 'pre_confirmed',
    contract_address: sender,
  });
  const transaction: Declare = {
    type: 'DECLARE',
    version: '0x3',
    sender_address: sender,
    compiled_class_hash: compiled,
    contract_class: chosen.sierra,
    nonce,
    signature: [],
    resource_bounds: NO_BOUNDS,
    tip: '0x0',
    paymaster_data: [],
    account_deployment_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
  };
  const [fee] = await call('starknet_estimateFee', {
    request: [transaction],
    simulation_flags: ['SKIP_VALIDATE'],
    block_id: 'pre_confirmed',
  });
  return fee ? { ...transaction, resource_bounds: boundsFrom(fee) } : transaction;
}

async function withSignature(transaction: Declare, hash: string): Promise<Declare> {
  const [chainId, key, { signedDeclare }] = await Promise.all([
    call('starknet_chainId'),
    readPrivateKey(transaction.sender_address),
    import('../../parts/send/hashes.js'),
  ]);
  if (key === undefined) throw new Error('The node does not give the key of this account.');
  return signedDeclare(transaction, hash, chainId, key);
}

async function submit(what: string, declare_transaction: Declare): Promise<boolean> {
  const done = await act(
    what,
    'starknet_addDeclareTransaction',
    { declare_transaction },
    ({ transaction_hash, class_hash }) => (
      <>
        <ClassRef of={class_hash} />, transaction <TxRef of={transaction_hash} />
      </>
    ),
  );
  return done !== undefined;
}
