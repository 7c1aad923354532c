// Code snippets of a call: curl, starknet.js, sncast.
import type { UserCall } from '@starkbox/abi';
import { chainUrl } from '../../format/chain-path.js';
import type { NamedCall } from '../../parts/send/batch.js';
import type { BlockId, Step } from '../../parts/send/run.js';
import { simulation } from '../../parts/send/run.js';
import { asCurl } from '../../rpc/client.js';

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const plainName = (of: NamedCall): string | undefined =>
  of.name !== undefined && /^\w{1,200}$/.test(of.name) ? of.name : undefined;

/** `starknet_call` as a curl command. */
export function readAsCurl({ contract, selector, calldata }: UserCall, block_id: BlockId): string {
  return asCurl('starknet_call', {
    request: { contract_address: contract, entry_point_selector: selector, calldata },
    block_id,
  });
}

/** A simulation as a curl command; sending needs a signature, which a snippet cannot contain. */
export async function simulationAsCurl(step: Step, block_id: BlockId): Promise<string> {
  return asCurl('starknet_simulateTransactions', await simulation([step], block_id));
}

export function asStarknetJs(call: NamedCall, isView: boolean): string {
  const name = plainName(call);
  const fields = [
    `contractAddress: '${call.contract}'`,
    name === undefined ? `entrypoint: '${call.selector}'` : `entrypoint: '${name}'`,
    `calldata: [${call.calldata.map((felt) => `'${felt}'`).join(', ')}]`,
  ].join(', ');
  return isView
    ? `await provider.callContract({ ${fields} });`
    : `await account.execute([{ ${fields} }]);`;
}

export function asSncast(call: NamedCall, isView: boolean): string {
  const name = plainName(call);
  return [
    'sncast',
    isView ? 'call' : 'invoke',
    `--url ${quoted(chainUrl('/rpc'))}`,
    `--contract-address ${call.contract}`,
    `--function ${quoted(name ?? call.selector)}`,
    ...(call.calldata.length === 0 ? [] : [`--calldata ${call.calldata.join(' ')}`]),
  ].join(' ');
}
