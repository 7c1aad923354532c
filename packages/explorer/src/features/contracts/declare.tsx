// Form that declares a class from compiler output, by a transaction or directly.
import { NoClass } from '@starkbox/abi/internal';
import { type DragEvent, useId, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { escapeText } from '../../format/untrusted-text.js';
import { Action, act, LastDone } from '../../parts/action.js';
import { AddressBook } from '../../parts/forms/address-book.js';
import { ErrorText } from '../../parts/page-states.js';
import { readClassFile } from '../../parts/send/class-file.js';
import { SenderField, useSender } from '../../parts/send/sender.js';
import { ClassRef, Copy, Fact, OutcomeSign, UntrustedText } from '../../parts/values.js';
import { call } from '../../rpc/client.js';
import { runTask } from '../../state/tasks.js';
import { type ClassToDeclare, declareAs } from './declare-transaction.js';

interface ChosenClass extends ClassToDeclare {
  readonly name: string;
  readonly functions: number;
  readonly isKnown: boolean;
}

interface DeclarePanelProps {
  /** Hash of the class that a failed transaction needs. */
  readonly missing?: string | undefined;
}

export function DeclarePanel({ missing }: DeclarePanelProps) {
  return (
    <AddressBook id="declare-book">
      <DeclareForm missing={missing} />
    </AddressBook>
  );
}

function DeclareForm({ missing }: DeclarePanelProps) {
  const files = useClassFiles();
  const { chosen, compiled, error } = files;
  const [as, setAs] = useState('account 0');
  return (
    <section className="panel stack declare" aria-label="Declare a class">
      {missing !== undefined && (
        <p>
          The failed transaction needs class <code>{missing}</code>.
        </p>
      )}
      <FilePlace isBusy={files.isBusy} take={files.take} />
      {error !== undefined && (
        <p className="fail" role="alert">
          <OutcomeSign isOk={false} word="Failed" />{' '}
          {error instanceof NoClass ? error.message : <ErrorText of={error} />}
        </p>
      )}
      {compiled !== undefined && !chosen && (
        <p className="quiet">This is the CASM; add its Sierra class.</p>
      )}
      {chosen && (
        <>
          <ClassFacts of={chosen} compiled={compiled} missing={missing} />
          <DeclareActions
            of={chosen}
            compiled={compiled}
            forget={files.forget}
            setError={files.setError}
            as={as}
            setAs={setAs}
          />
        </>
      )}
      <LastDone />
    </section>
  );
}

/** The files that were chosen, read and hashed. */
function useClassFiles() {
  const [chosen, setChosen] = useState<ChosenClass | undefined>();
  const [compiled, setCompiled] = useState<string | undefined>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const take = async (files: Iterable<File>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { classHash, compiledClassHash } = await import('@starkbox/signing');
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
  const forget = (): void => {
    setChosen(undefined);
    setCompiled(undefined);
  };
  return { chosen, compiled, error, setError, isBusy, take, forget };
}

interface FilePlaceProps {
  readonly isBusy: boolean;
  readonly take: (files: Iterable<File>) => Promise<void>;
}

function FilePlace({ isBusy, take }: FilePlaceProps) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    runTask(take(event.dataTransfer.files));
  };
  return (
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
        Drop a Sierra class here, and its CASM to declare it by a transaction; or choose files
      </label>
      <input
        id={id}
        type="file"
        multiple
        accept=".json,application/json"
        onChange={(event) => runTask(take(event.target.files ?? []))}
      />
      {isBusy && <span className="quiet">Reading and hashing…</span>}
    </fieldset>
  );
}

interface ClassFactsProps extends DeclarePanelProps {
  readonly of: ChosenClass;
  readonly compiled: string | undefined;
}

function ClassFacts({ of: chosen, compiled, missing }: ClassFactsProps) {
  return (
    <dl className="facts">
      <Fact name="file">
        <UntrustedText text={chosen.name} limit={80} />
      </Fact>
      <Fact name="class hash">
        <code>{chosen.hash}</code> <Copy value={chosen.hash} what="class hash" />
        {chosen.isKnown && (
          <span className="warn">
            {' '}
            already declared: <ClassRef of={chosen.hash} />
          </span>
        )}
        {missing !== undefined && chosen.hash !== missing && (
          <span className="warn"> not the class that the transaction needs</span>
        )}
      </Fact>
      <Fact name="size">
        {grouped(chosen.sierra.sierra_program.length)} felts of Sierra, {grouped(chosen.functions)}{' '}
        entry points
      </Fact>
      <Fact name="compiled class hash">
        {compiled === undefined ? (
          <span className="quiet">needs the CASM file</span>
        ) : (
          <code>{compiled}</code>
        )}
      </Fact>
    </dl>
  );
}

interface DeclareActionsProps {
  readonly of: ChosenClass;
  readonly compiled: string | undefined;
  readonly forget: () => void;
  readonly setError: (error: unknown) => void;
  readonly as: string;
  readonly setAs: (as: string) => void;
}

function DeclareActions(props: DeclareActionsProps) {
  const { of: chosen, compiled, forget, setError, as, setAs } = props;
  const sender = useSender(as);
  const byTransaction = async (): Promise<void> => {
    if (compiled === undefined || sender.address === undefined) return;
    setError(undefined);
    try {
      if (await declareAs(sender, sender.address, chosen, compiled)) forget();
    } catch (failure) {
      setError(failure);
    }
  };
  const without = async (): Promise<void> => {
    const declared = await act(
      'Declare without a transaction',
      'devnet_applyStateDiff',
      { state_diff: {}, classes: [{ contract_class: chosen.sierra }] },
      ({ classes: [declaredClass] }) =>
        declaredClass ? (
          <ClassRef of={declaredClass.class_hash} />
        ) : (
          new Error('The node declared no class.')
        ),
    );
    if (declared) forget();
  };
  return (
    <div className="line-of">
      <SenderField text={as} sender={sender} change={setAs} />
      <Action
        kind="primary"
        run={byTransaction}
        refused={
          compiled === undefined
            ? 'Choose its CASM file as well.'
            : chosen.isKnown
              ? 'This class is already declared.'
              : sender.error
        }
      >
        Declare as {sender.isOurs ? '' : 'impersonated '}
        {escapeText(sender.name, 40).text}
      </Action>
      <Action
        run={without}
        refused={chosen.isKnown ? 'This class is already declared.' : undefined}
      >
        Declare without a transaction
      </Action>
    </div>
  );
}
