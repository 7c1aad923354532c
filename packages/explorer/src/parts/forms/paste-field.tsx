// Field that fills a list from pasted JSON or CSV.
import type { Abi } from '@starkbox/abi';
import { type Draft, draftOfText, InvalidInput } from '@starkbox/abi/internal';
import { useId, useState } from 'react';
import { Button } from '../button.js';

interface PasteFieldProps {
  readonly type: string;
  readonly abi: Abi;
  readonly fill: (draft: Draft) => void;
}

export function PasteField({ type, abi, fill }: PasteFieldProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [refusal, setRefusal] = useState<string | undefined>();
  const read = (): void => {
    try {
      fill(draftOfText(type, text, abi));
    } catch (error) {
      setRefusal(
        error instanceof InvalidInput ? error.message : 'The value does not fit the type.',
      );
    }
  };
  return (
    <div className="abi-field">
      <label htmlFor={id}>JSON or CSV</label>
      <div className="control">
        <textarea
          id={id}
          rows={3}
          className="mono"
          value={text}
          aria-invalid={refusal !== undefined}
          aria-describedby={`${id}-says`}
          placeholder='["0x1", "0x2"] or 1, 2, 3'
          onChange={(event) => setText(event.target.value)}
        />
        <span id={`${id}-says`} className="says">
          {refusal !== undefined && <span className="fail">{refusal}</span>}
        </span>
        <div>
          <Button onClick={read}>Fill from this</Button>
        </div>
      </div>
    </div>
  );
}
