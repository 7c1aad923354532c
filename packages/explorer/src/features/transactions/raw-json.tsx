// Raw JSON of a transaction, with curl and starknet.js snippets.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { chainUrl } from '../../format/chain-path.js';
import { writeJson } from '../../format/json.js';
import { Button } from '../../parts/button.js';
import { JsonTree } from '../../parts/json-tree.js';
import { Loading, Problem } from '../../parts/page-states.js';
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

interface RawProps {
  readonly hash: string;
  readonly transaction: Transaction;
  readonly receipt: Receipt;
  readonly trace: Trace | undefined;
}

export function Raw({ hash, transaction, receipt, trace }: RawProps) {
  const partOf = (name: string, method: string, scriptMethod: string): Part => ({
    name,
    method,
    params: { transaction_hash: hash },
    script: asScript(`${scriptMethod}('${hash}')`),
  });
  return (
    <div className="stack">
      <RawPart
        part={partOf('Transaction', 'starknet_getTransactionByHash', 'getTransactionByHash')}
        value={transaction}
        isOpen
      />
      <RawPart
        part={partOf('Receipt', 'starknet_getTransactionReceipt', 'getTransactionReceipt')}
        value={receipt}
      />
      {trace && (
        <RawPart
          part={partOf('Trace', 'starknet_traceTransaction', 'getTransactionTrace')}
          value={trace}
        />
      )}
      {receipt.finality_status !== 'PRE_CONFIRMED' && <StateUpdate block={receipt.block_number} />}
    </div>
  );
}

interface RawPartProps {
  readonly part: Part;
  readonly value: object;
  readonly isOpen?: boolean;
}

function RawPart({ part: { name, method, params, script }, value, isOpen = false }: RawPartProps) {
  const [open, setOpen] = useState(isOpen);
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{name}</summary>
      {open && (
        <>
          <Asking
            name={name.toLowerCase()}
            text={() => writeJson(value, 2)}
            method={method}
            params={params}
            script={script}
          />
          <JsonTree of={value} />
        </>
      )}
    </details>
  );
}

interface AskingProps extends Part {
  readonly text: () => string;
}

function Asking({ name, text, method, params, script }: AskingProps) {
  return (
    <p className="line-of">
      <span className="quiet">copy</span> JSON <Copy value={text} what={`${name} as JSON`} />
      curl <Copy value={asCurl(method, params)} what={`${name} as curl`} />
      starknet.js <Copy value={script} what={`${name} as starknet.js`} />
      <Button
        onClick={() => saveFile(text(), `${name.replaceAll(' ', '-')}.json`, 'application/json')}
      >
        Download
      </Button>
    </p>
  );
}

/** State update of the whole block, read on demand. */
function StateUpdate({ block }: { readonly block: number }) {
  const [open, setOpen] = useState(false);
  const params = { block_id: { block_number: block } };
  const { data, error, refetch } = useQuery({
    queryKey: ['state-update', block],
    enabled: open,
    queryFn: () => call('starknet_getStateUpdate', params),
  });
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>State update of block {block}</summary>
      {error && <Problem error={error} what="the state update" retry={refetch} />}
      {open && !data && !error && <Loading what="the state update" />}
      {open && data && (
        <>
          <Asking
            name="state update"
            text={() => writeJson(data, 2)}
            method="starknet_getStateUpdate"
            params={params}
            script={asScript(`getStateUpdate(${block})`)}
          />
          <JsonTree of={data} />
        </>
      )}
    </details>
  );
}
