// Export of the filtered transactions as JSON or CSV, newest first.
import { useState } from 'react';
import { csvOf } from '../../../format/csv.js';
import { writeJson } from '../../../format/json.js';
import { PlainButton } from '../../../parts/button.js';
import { ErrorText } from '../../../parts/page-states.js';
import { saveFile } from '../../../parts/save-file.js';
import {
  readTransactions,
  type TransactionFilter,
  type TransactionRow,
} from '../../../rpc/queries.js';

const MAX_COUNT = 5_000;

async function readAll(filter: TransactionFilter): Promise<readonly TransactionRow[]> {
  const rows: TransactionRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await readTransactions(filter, cursor);
    rows.push(...page.rows);
    // Older transactions belong to the origin.
    cursor = page.olderRowsHint === undefined ? page.next : undefined;
  } while (cursor !== undefined && rows.length < MAX_COUNT);
  return rows.slice(0, MAX_COUNT);
}

const COLUMNS: readonly (readonly [head: string, of: (row: TransactionRow) => unknown])[] = [
  ['transaction_hash', (row) => row.transaction_hash],
  ['block_number', (row) => row.block_number],
  ['timestamp', (row) => row.timestamp],
  ['type', (row) => row.type],
  ['execution_status', (row) => row.execution_status],
  ['finality_status', (row) => row.finality_status],
  ['sender_address', (row) => row.sender_address],
  ['contract_address', (row) => row.call?.contract_address],
  ['selector', (row) => row.call?.selector],
  ['call_count', (row) => row.call_count],
  ['l2_gas', (row) => row.l2_gas],
  ['fee', (row) => row.fee.amount],
  ['fee_unit', (row) => row.fee.unit],
  ['revert_reason', (row) => row.revert_reason],
];

const FORMS = {
  JSON: (rows: readonly TransactionRow[]) =>
    saveFile(writeJson(rows, 2), 'transactions.json', 'application/json'),
  CSV: (rows: readonly TransactionRow[]) =>
    saveFile(
      csvOf(
        COLUMNS.map(([head]) => head),
        rows.map((row) => COLUMNS.map(([, of]) => String(of(row) ?? ''))),
      ),
      'transactions.csv',
      'text/csv',
    ),
};

export function Export({ filter }: { readonly filter: TransactionFilter }) {
  const [problem, setProblem] = useState<unknown>();
  return (
    <>
      {(['JSON', 'CSV'] as const).map((form) => (
        <PlainButton
          key={form}
          title={`Save the newest ${MAX_COUNT} that match the filter as ${form}`}
          onClick={() => {
            setProblem(undefined);
            readAll(filter).then(FORMS[form], setProblem);
          }}
        >
          Save as {form}
        </PlainButton>
      ))}
      {problem !== undefined && (
        <span role="alert" className="fail">
          <ErrorText of={problem} />
        </span>
      )}
    </>
  );
}
