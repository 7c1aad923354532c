// List of the last console calls, to repeat them.
import { editInConsole } from '../../navigation/console-draft.js';
import { PlainButton } from '../../parts/button.js';
import { OutcomeSign, UntrustedText } from '../../parts/values.js';
import { forget, usePast } from './history.js';

const SHOWN = 20;

interface HistoryProps {
  /** Only calls of this method. */
  readonly method?: string;
  readonly restore?: (params: string) => void;
}

export function History({ method, restore }: HistoryProps) {
  const past = usePast();
  const calls = method === undefined ? past : past.filter((call) => call.method === method);
  if (calls.length === 0) return null;
  return (
    <details className="past" open={method === undefined}>
      <summary>
        {method === undefined ? 'Last calls' : 'Last calls of this method'}{' '}
        <span className="quiet">{calls.length}</span>
      </summary>
      <ul>
        {calls.slice(0, SHOWN).map(({ at, method: name, params, isError }) => (
          <li key={at}>
            <PlainButton
              onClick={() => (restore ? restore(params) : editInConsole({ method: name, params }))}
            >
              <OutcomeSign isOk={!isError} word={isError ? 'failed' : 'succeeded'} />{' '}
              {method === undefined && <UntrustedText text={name} limit={60} />}{' '}
              <span className="mono soft">
                <UntrustedText text={params.replaceAll(/\s+/g, ' ')} limit={90} />
              </span>
            </PlainButton>
          </li>
        ))}
      </ul>
      <PlainButton onClick={forget}>Clear the history</PlainButton>
    </details>
  );
}
