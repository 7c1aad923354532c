// Form for gas prices: current, initial and new values.
import { useState } from 'react';
import { ETH, priceText, readGasPrice, STRK } from '../../format/amount.js';
import { Action, act } from '../../parts/action.js';
import { Group } from '../../parts/confirm.js';
import { Checkbox } from '../../parts/inputs.js';
import { Problem } from '../../parts/page-states.js';
import { TableHead } from '../../parts/table/table.js';
import { call } from '../../rpc/client.js';
import type { Result } from '../../rpc/methods.js';
import { useConfig, useCurrent } from '../../rpc/queries.js';

const KINDS = [
  ['L2 gas', 'l2_gas_price', 'l2_gas_price'],
  ['L1 gas', 'gas_price', 'l1_gas_price'],
  ['L1 data gas', 'data_gas_price', 'l1_data_gas_price'],
] as const;
const TOKENS = [
  ['fri', STRK],
  ['wei', ETH],
] as const;

export function Prices() {
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({});
  const [seal, setSeal] = useState(true);
  const next = useCurrent(['now', 'next-prices'], () =>
    call('starknet_getBlockWithTxHashes', { block_id: 'pre_confirmed' }),
  );
  const changes = Object.entries(drafts).filter(([, text]) => text.trim() !== '');
  const read = changes.map(
    ([name, text]) => [name, readGasPrice(text, name.endsWith('fri') ? STRK : ETH)] as const,
  );
  const isBad = read.some(([, value]) => value === undefined || value === 0n);
  return (
    <Group name="Gas prices">
      {next.error && <Problem error={next.error} what="the prices" retry={next.refetch} />}
      <PriceTable
        next={next.data}
        drafts={drafts}
        change={(field, text) => setDrafts({ ...drafts, [field]: text })}
      />
      <p className="quiet">Prices are in gfri and gwei. You can also enter “25 fri” or “25 wei”.</p>
      <Checkbox className="check" checked={seal} change={setSeal}>
        Create a block with the new prices
      </Checkbox>
      <div>
        <Action
          refused={
            changes.length === 0
              ? 'Enter at least one new price.'
              : isBad
                ? 'A price is a number above zero, in gfri or gwei.'
                : undefined
          }
          run={async () => {
            const prices = await act(
              `Set ${changes.length === 1 ? 'a price' : `${changes.length} prices`}`,
              'devnet_setGasPrice',
              { ...Object.fromEntries(read), generate_block: seal },
              () => (seal ? 'in force in a new block' : 'from the next block on'),
            );
            if (prices) setDrafts({});
          }}
        >
          Set prices
        </Action>
      </div>
    </Group>
  );
}

interface PriceTableProps {
  /** The block that is being built. */
  readonly next: Result<'starknet_getBlockWithTxHashes'> | undefined;
  readonly drafts: Readonly<Record<string, string>>;
  readonly change: (field: string, text: string) => void;
}

function PriceTable({ next, drafts, change }: PriceTableProps) {
  const config = useConfig();
  return (
    <table className="price-table">
      <TableHead columns={[{ head: 'Resource' }, { head: 'Now' }, { head: 'New' }]} />
      <tbody>
        {TOKENS.map(([token, unit]) =>
          KINDS.map(([kind, name, header]) => {
            const field = `${name}_${token}` as const;
            const start = config.data?.[field];
            const price = next?.[header][token === 'fri' ? 'price_in_fri' : 'price_in_wei'];
            const isChanged =
              start !== undefined && price !== undefined && BigInt(start) !== BigInt(price);
            return (
              <tr key={field}>
                <th scope="row">
                  {kind} <span className="quiet">{unit.symbol}</span>
                </th>
                <td data-price={field}>
                  {price !== undefined && priceText(BigInt(price), unit)}
                  {isChanged && (
                    <span className="warn" title={`${priceText(BigInt(start), unit)} at the start`}>
                      {' '}
                      changed
                    </span>
                  )}
                </td>
                <td>
                  <input
                    aria-label={`New ${kind} price in ${token}`}
                    placeholder={`g${unit.base}`}
                    value={drafts[field] ?? ''}
                    onChange={(event) => change(field, event.target.value)}
                  />
                </td>
              </tr>
            );
          }),
        )}
      </tbody>
    </table>
  );
}
