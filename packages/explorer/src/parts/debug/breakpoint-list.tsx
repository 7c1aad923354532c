// Breakpoints with their conditions, and a form that adds one by line, function or contract.
import type { Breakpoint } from '@starkbox/debugger';
import { useState } from 'react';
import { useStore } from '../../state/store.js';
import { Button, PlainButton } from '../button.js';
import { Icon } from '../icons.js';
import { Form, TextInput } from '../inputs.js';
import { UntrustedText } from '../values.js';
import {
  addBreakpoint,
  breakpoints,
  removeBreakpoint,
  setCondition,
  toggleBreakpoint,
} from './breakpoints.js';

export function BreakpointList() {
  const all = useStore(breakpoints);
  return (
    <section className="debug-panel" aria-label="Breakpoints">
      <details open={all.length > 0}>
        <summary>
          <h2>Breakpoints</h2> {all.length > 0 && <span className="quiet">{all.length}</span>}
        </summary>
        {all.length > 0 && (
          <ul className="entries">
            {all.map((breakpoint) => (
              <BreakpointRow key={breakpoint.id} of={breakpoint} />
            ))}
          </ul>
        )}
        <AddForm />
      </details>
    </section>
  );
}

function nameOf({ line, function: name, contract }: Breakpoint): string {
  if (line) return `${line.file.split('/').at(-1)}:${line.line}`;
  return name === undefined ? `contract ${contract}` : `function ${name}`;
}

function BreakpointRow({ of }: { readonly of: Breakpoint }) {
  const name = nameOf(of);
  return (
    <li className="debug-breakpoint">
      <span className="mono" title={of.line?.file}>
        <UntrustedText text={name} limit={80} />
      </span>
      <TextInput
        label={<span className="unseen">condition of {name}</span>}
        value={of.condition ?? ''}
        placeholder="always, or amount > 5"
        change={(condition) => setCondition(of.id, condition)}
      />
      <PlainButton aria-label={`Remove ${name}`} onClick={() => removeBreakpoint(of.id)}>
        <Icon name="close" />
      </PlainButton>
    </li>
  );
}

const LINE = /^(.+\.cairo):(\d{1,7})$/;

function AddForm() {
  const [text, setText] = useState('');
  const add = (): void => {
    const name = text.trim();
    if (name === '') return;
    const [, file, line] = LINE.exec(name) ?? [];
    if (file !== undefined) toggleBreakpoint(file, Number(line));
    else if (/^0x[0-9a-f]+$/i.test(name)) addBreakpoint('contract', name);
    else addBreakpoint('function', name);
    setText('');
  };
  return (
    <Form className="line-of" submit={add}>
      <TextInput
        label={<span className="unseen">new breakpoint</span>}
        value={text}
        placeholder="function, file.cairo:12 or 0x…"
        change={setText}
      />
      <Button type="submit">Add</Button>
    </Form>
  );
}
