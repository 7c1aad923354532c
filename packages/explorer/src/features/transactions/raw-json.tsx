// Raw JSON of a transaction, with curl and starknet.js snippets.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { chainUrl } from '../../format/chain-path.js';
import { writeJson } from '../../format/json.js';
import { Json, Loading, Problem } from '../../parts/page-states.js';
import { saveFile } from '../../parts/save-file.js';
import { Copy } from '../../parts/values.js';
import { asCurl, call } from '../../rpc/client.js';
import type { Receipt, Trace, Transaction } from '../../rpc/methods.js';

interface Part {
  readonly name: string;
  readonly method: string;
  readonly params: object;
  /** The starknet.js call. */
  readonly script: string;
}

function asScript(expression: string): string {
  return [
    "import { RpcProvider } from 'starknet';",
    `const provider = new RpcProvider({ nodeUrl: '${chainUrl('/rpc')}' });`,
    `console.log(await provider.${expression});`,
  ].join('\n');
}

export function Raw({
  hash,
  transaction,
  receipt,
  trace,
}: {
  readonly hash: string;
  readonly transaction: Transaction;
  readonly receipt: Receipt;
  readonly trace: Trace | undefined;
}) {
  const params = { transaction_hash: hash };
  return (
    <div className="stack">
      <RawPart
        part={{
          name: 'Transaction',
          method: 'starknet_getTransactionByHash',
          params,
          script: asScript(`getTransactionByHash('${hash}')`),
        }}
        value={transaction}
        isOpen
      />
      <RawPart
        part={{
          name: 'Receipt',
          method: 'starknet_getTransactionReceipt',
          params,
          script: asScript(`getTransactionReceipt('${hash}')`),
        }}
        value={receipt}
      />
      {trace && (
        <RawPart
          part={{
            name: 'Trace',
            method: 'starknet_traceTransaction',
            params,
            script: asScript(`getTransactionTrace('${hash}')`),
          }}
          value={trace}
        />
      )}
      {receipt.finality_status !== 'PRE_CONFIRMED' && <StateUpdate block={receipt.block_number} />}
    </div>
  );
}

function RawPart({
  part: { name, method, params, script },
  value,
  isOpen = false,
}: {
  readonly part: Part;
  readonly value: unknown;
  readonly isOpen?: boolean;
}) {
  const [open, setOpen] = useState(isOpen);
  const text = open ? writeJson(value, 2) : '';
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{name}</summary>
      {open && (
        <>
          <Asking
            name={name.toLowerCase()}
            text={text}
            method={method}
            params={params}
            script={script}
          />
          <Json of={text} />
        </>
      )}
    </details>
  );
}

function Asking({ name, text, method, params, script }: Part & { readonly text: string }) {
  return (
    <p className="line-of">
      <span className="quiet">copy</span> JSON <Copy value={text} what={`${name} as JSON`} />
      curl <Copy value={asCurl(method, params)} what={`${name} as curl`} />
      starknet.js <Copy value={script} what={`${name} as starknet.js`} />
      <button type="button" className="button" onClick={() => save(text, name)}>
        Download
      </button>
    </p>
  );
}

function save(text: string, name: string): void {
  saveFile(text, `${name.replaceAll(' ', '-')}.json`, 'application/json');
}

/** Trace of the whole block, read on demand. */
function StateUpdate({ block }: { readonly block: number }) {
  const [open, setOpen] = useState(false);
  const params = { block_id: { block_number: block } };
  const { data, error, refetch } = useQuery({
    queryKey: ['state-update', block],
    enabled: open,
    queryFn: () => call('starknet_getStateUpdate', params),
  });
  const text = data ? writeJson(data, 2) : '';
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>State update of block {block}</summary>
      {error && <Problem error={error} what="the state update" retry={() => void refetch()} />}
      {open && !data && !error && <Loading what="the state update" />}
      {open && data && (
        <>
          <Asking
            name="state update"
            text={text}
            method="starknet_getStateUpdate"
            params={params}
            script={asScript(`getStateUpdate(${block})`)}
          />
          <Json of={text} />
        </>
      )}
    </details>
  );
}
