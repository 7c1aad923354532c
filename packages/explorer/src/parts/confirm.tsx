// Groups of controls, and the confirmation before data is lost.
import { shortHash } from '@starkbox/abi/basics';
import { type ReactNode, useState } from 'react';
import { to } from '../navigation/route.js';
import { Action, act, LatestResult } from './action.js';
import { Button } from './button.js';
import { Sheet } from './dialog.js';
import { Checkbox } from './inputs.js';
import { saveFile } from './save-file.js';
import { Link } from './values.js';

/** Confirmation of an action that loses data. */
export interface Question {
  readonly title: string;
  readonly loss: ReactNode;
  readonly verb: string;
  readonly run: () => Promise<unknown>;
  /** Whether an image can be saved first. */
  readonly canKeep: boolean;
}

export interface AskProps {
  readonly ask: (question: Question) => void;
}

export function Group({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <section className="panel card" aria-label={name}>
      <h2>{name}</h2>
      {children}
    </section>
  );
}

interface ConfirmProps {
  readonly question: Question;
  readonly close: () => void;
}

export function Confirm({ question, close }: ConfirmProps) {
  const [keep, setKeep] = useState(true);
  return (
    <Sheet label={question.title} close={close}>
      <div>
        <h2>{question.title}</h2>
        <p>{question.loss}</p>
        {question.canKeep && (
          <Checkbox className="line-of" checked={keep} change={setKeep}>
            Download an image first
          </Checkbox>
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
          <Button onClick={close}>Cancel</Button>
        </div>
        <LatestResult />
      </div>
    </Sheet>
  );
}

/** Saves an image of the chain; false if the node gives none. */
export async function download(): Promise<boolean> {
  const image = await act(
    'Save an image',
    'devnet_dump',
    { format: 'image', inline: true },
    (result) => ('image' in result ? 'downloaded' : new Error('The node returned no image.')),
  );
  if (image === undefined || !('image' in image) || typeof image.image !== 'string') return false;
  const bytes = Uint8Array.from(atob(image.image), (letter) => letter.charCodeAt(0));
  saveFile(bytes, 'starkbox.image');
  return true;
}

export function Sealed({ hash }: { readonly hash: string }) {
  return (
    <>
      block <Link href={to('block', hash)}>{shortHash(hash)}</Link>
    </>
  );
}
