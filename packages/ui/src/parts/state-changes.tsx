// Knows how a change of state is shown: before, after, and what that means.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { grouped } from '../values/amount.js';
import { selectorOf } from '../values/keccak.js';
import type { Result } from '../wire/methods.js';
import { call } from '../wire/rpc.js';
import { Address, ClassRef, Felt } from './values.js';

type Diff =
  Result<'starknet_traceTransaction'> extends infer T
    ? T extends { readonly state_diff?: infer D }
      ? NonNullable<D>
      : never
    : never;

const MOST = 200;
/** Variables that stand alone have the hash of their name as their key. */
const VARIABLES = new Map(
  [
    'ERC20_total_supply',
    'total_supply',
    'ERC20_name',
    'ERC20_symbol',
    'Account_public_key',
    'count',
    'owner',
    'Ownable_owner',
    'balance',
    'value',
    'mode',
    'kept',
  ].map((name) => [selectorOf(name), name]),
);

export function StateChanges({ diff, before }: { readonly diff: Diff; readonly before: number }) {
  const slots = useMemo(
    () =>
      diff.storage_diffs
        .flatMap(({ address, storage_entries }) =>
          storage_entries.map(({ key, value }) => ({ address, key, value })),
        )
        .slice(0, MOST),
    [diff],
  );
  const old = useQuery({
    queryKey: ['before', before, slots],
    enabled: before >= 0,
    queryFn: async () =>
      Promise.all(
        slots.map(async ({ address, key }) => {
          try {
            const found = await call('starknet_getStorageAt', {
              block_id: { block_number: before },
              contract_address: address,
              key,
            });
            return typeof found === 'string' ? found : found.value;
          } catch {
            return undefined;
          }
        }),
      ),
  });
  const total = diff.storage_diffs.reduce(
    (sum, { storage_entries }) => sum + storage_entries.length,
    0,
  );
  return (
    <>
      <table className="table" aria-label="State changes">
        <thead>
          <tr>
            <th scope="col" className="w-name">
              Contract
            </th>
            <th scope="col">Variable</th>
            <th scope="col" className="w-state number">
              Before
            </th>
            <th scope="col" className="w-state number">
              After
            </th>
            <th scope="col" className="w-state number">
              Change
            </th>
          </tr>
        </thead>
        <tbody>
          {diff.declared_classes.map(({ class_hash }) => (
            <ClassRow key={class_hash} what="class declared" becomes={class_hash} />
          ))}
          {diff.deployed_contracts.map(({ address, class_hash }) => (
            <ClassRow key={address} of={address} what="deployed" becomes={class_hash} />
          ))}
          {diff.replaced_classes.map(({ contract_address, class_hash }) => (
            <ClassRow
              key={`replaced ${contract_address}`}
              of={contract_address}
              what="class replaced"
              becomes={class_hash}
            />
          ))}
          {diff.nonces.map(({ contract_address, nonce }) => (
            <tr key={`nonce ${contract_address}`} data-row="">
              <td>
                <Address of={contract_address} mark />
              </td>
              <td className="main">nonce</td>
              <td className="number">{grouped(BigInt(nonce) - 1n)}</td>
              <td className="number">{grouped(BigInt(nonce))}</td>
              <td className="number">+1</td>
            </tr>
          ))}
          {slots.map(({ address, key, value }, at) => {
            const was = old.data?.[at];
            return (
              <tr key={`${address} ${key}`} data-row="">
                <td>
                  <Address of={address} mark />
                </td>
                <td className="main">{VARIABLES.get(key) ?? <Felt of={key} />}</td>
                <td className="number">{was === undefined ? '–' : <Slot of={was} />}</td>
                <td className="number">
                  <Slot of={value} />
                </td>
                <td className="number">{was !== undefined && <Change from={was} to={value} />}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {total > MOST && (
        <p className="quiet">
          The first {MOST} of {grouped(total)} slots.
        </p>
      )}
      <p className="quiet">“Before” is the value at the end of the block before.</p>
    </>
  );
}

/** Numbers that people count in are shown as numbers. */
const COUNTABLE = 1n << 96n;

function Slot({ of }: { readonly of: string }) {
  const value = BigInt(of);
  return value < COUNTABLE ? <span title={of}>{grouped(value)}</span> : <Felt of={of} />;
}

function Change({ from, to }: { readonly from: string; readonly to: string }) {
  const [was, is] = [BigInt(from), BigInt(to)];
  if (was >= COUNTABLE || is >= COUNTABLE) return null;
  const by = is - was;
  return <span>{by > 0n ? `+${grouped(by)}` : grouped(by)}</span>;
}

/** A change that a class is the outcome of. */
function ClassRow({
  of,
  what,
  becomes,
}: {
  readonly of?: string;
  readonly what: string;
  readonly becomes: string;
}) {
  return (
    <tr data-row="">
      <td>{of !== undefined && <Address of={of} mark />}</td>
      <td className="main">{what}</td>
      <td />
      <td className="number">
        <ClassRef of={becomes} />
      </td>
      <td />
    </tr>
  );
}
