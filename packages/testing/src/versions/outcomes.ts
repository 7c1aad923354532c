// Outcomes of a chain while a function runs: its transactions, and the requests that execute code.
import { readAbi, readFailure } from '@starkbox/abi';
import { shortAddress } from '@starkbox/abi/basics';
import { readMulticall, reasonOfError } from '@starkbox/abi/internal';
import type { LocalTestChain } from '../test-chain.js';

/** A transaction of a block. */
export interface TransactionOutcome {
  /** A transaction. */
  readonly kind: 'transaction';
  /** `SUCCEEDED` or `REVERTED`. */
  readonly status: string;
  /** The message of the failure, of a reverted transaction. */
  readonly reason?: string;
  /** Used L1 gas. */
  readonly l1_gas: bigint;
  /** Used L1 data gas. */
  readonly l1_data_gas: bigint;
  /** Used L2 gas. */
  readonly l2_gas: bigint;
  /** In the smallest unit of the fee token. */
  readonly fee: bigint;
}

/** A call, an estimate, a simulation, or a submission. */
export interface RequestOutcome {
  /** A request. */
  readonly kind: 'request';
  /** `ok` or `failed`. */
  readonly status: string;
  /** The message of the error, of a failed request. */
  readonly reason?: string;
}

/** A transaction or a request under one version. */
export type Outcome = TransactionOutcome | RequestOutcome;

/** An outcome and its name, such as `transfer`; several may have the same one. */
export interface LabelledOutcome {
  readonly label: string;
  readonly outcome: Outcome;
}

export interface ChainOutcomes {
  readonly outcomes: readonly LabelledOutcome[];
  /** Whether requests are missing, because the node keeps a limited number. */
  readonly areRequestsCut: boolean;
}

/** Returns a function that reads all that happens on the chain from now on, before it is closed. */
export async function watchOutcomes(chain: LocalTestChain): Promise<() => Promise<ChainOutcomes>> {
  await chain.request('devnet_recordRequests', { enabled: true, bodies: true, clear: true });
  // The first recorded request shows later whether the node still has all of them.
  const before = await chain.request('starknet_blockNumber');
  const [first] = (await chain.request('devnet_getRequests')).requests;
  return async () => {
    await chain.request('devnet_recordRequests', { enabled: false });
    const names = new FunctionNames(chain);
    const transactions = await readTransactions(chain, before + 1, names);
    const requests = await readRequests(chain, first?.id, names);
    return {
      outcomes: [...transactions, ...(requests ?? [])],
      areRequestsCut: requests === undefined,
    };
  };
}

async function readTransactions(
  chain: LocalTestChain,
  first: number,
  names: FunctionNames,
): Promise<readonly LabelledOutcome[]> {
  const latest = await chain.request('starknet_blockNumber');
  const numbers = Array.from({ length: Math.max(0, latest - first + 1) }, (_, at) => first + at);
  const outcomes: LabelledOutcome[] = [];
  for (const block_id of [
    ...numbers.map((block_number) => ({ block_number })),
    'pre_confirmed' as const,
  ]) {
    const block = await chain.request('starknet_getBlockWithReceipts', { block_id });
    for (const { transaction, receipt } of block.transactions) {
      outcomes.push({
        label: await names.ofTransaction(transaction),
        outcome: transactionOutcome(receipt),
      });
    }
  }
  return outcomes;
}

type Receipt = Awaited<ReturnType<typeof readReceipts>>['transactions'][number]['receipt'];

const readReceipts = (chain: LocalTestChain) =>
  chain.request('starknet_getBlockWithReceipts', { block_id: 'latest' });

function transactionOutcome(receipt: Receipt): TransactionOutcome {
  const { execution_resources, actual_fee, execution_status } = receipt;
  const { l1_gas, l1_data_gas, l2_gas } = execution_resources;
  const revert = 'revert_reason' in receipt ? receipt.revert_reason : undefined;
  return {
    kind: 'transaction',
    status: execution_status,
    ...(revert === undefined ? {} : { reason: readFailure(revert).message }),
    l1_gas: BigInt(l1_gas),
    l1_data_gas: BigInt(l1_data_gas),
    l2_gas: BigInt(l2_gas),
    fee: BigInt(actual_fee.amount),
  };
}

/** The requests whose outcome depends on an execution, and the words for them. */
const EXECUTING: ReadonlyMap<string, string> = new Map([
  ['starknet_call', 'call of'],
  ['devnet_call', 'call of'],
  ['starknet_estimateFee', 'estimate of'],
  ['devnet_estimateFee', 'estimate of'],
  ['starknet_simulateTransactions', 'simulation of'],
  ['devnet_simulateTransactions', 'simulation of'],
  ['starknet_addInvokeTransaction', 'submission of'],
  ['starknet_addDeclareTransaction', 'submission of'],
  ['starknet_addDeployAccountTransaction', 'submission of'],
  ['devnet_mint', 'devnet_mint'],
  ['devnet_declare', 'devnet_declare'],
  ['devnet_deploy', 'devnet_deploy'],
]);

const PAGE = 200;

/** In the order of their arrival; undefined if the node no longer has the first one. */
async function readRequests(
  chain: LocalTestChain,
  first: number | undefined,
  names: FunctionNames,
): Promise<readonly LabelledOutcome[] | undefined> {
  const ids: number[] = [];
  let before: number | undefined;
  let isComplete = false;
  while (!isComplete) {
    const page = await chain.request('devnet_getRequests', {
      limit: PAGE,
      ...(before === undefined ? {} : { before }),
    });
    ids.push(...page.requests.map(({ id }) => id));
    before = page.requests.at(-1)?.id;
    isComplete = page.requests.length < PAGE;
  }
  ids.reverse();
  if (ids[0] !== first) return undefined;
  const outcomes: LabelledOutcome[] = [];
  for (const id of ids) {
    const { row, request, response } = await chain.request('devnet_getRequest', { id });
    const words = EXECUTING.get(row.method);
    if (words === undefined) continue;
    const subject = await names.ofRequest(row.method, parsed(request));
    const reason = row.outcome === 'ok' ? undefined : reasonOf(parsed(response), row.message);
    outcomes.push({
      label: subject === undefined ? words : `${words} ${subject}`,
      outcome: {
        kind: 'request',
        status: reason === undefined ? 'ok' : 'failed',
        ...(reason === undefined ? {} : { reason }),
      },
    });
  }
  return outcomes;
}

/** Undefined for a text that the node has cut. */
function parsed(text: { readonly text: string; readonly is_whole: boolean } | undefined): unknown {
  return text?.is_whole ? JSON.parse(text.text) : undefined;
}

/** The message of a failed execution, or of the error itself. */
function reasonOf(response: unknown, message = 'failed'): string {
  const { data } = Object(Object(response).error);
  const { revert_error, execution_error } = Object(data);
  const nested = revert_error ?? execution_error;
  if (nested !== undefined) return readFailure(reasonOfError(nested)).message;
  return typeof data === 'string' ? `${message}: ${readFailure(data).message}` : message;
}

/** Names of functions, from the ABIs of the called contracts. */
class FunctionNames {
  readonly #chain: LocalTestChain;
  readonly #functions = new Map<string, Promise<ReadonlyMap<string, { readonly name: string }>>>();

  constructor(chain: LocalTestChain) {
    this.#chain = chain;
  }

  /** Of a transaction in a block, or of one in a request. */
  async ofTransaction(transaction: unknown): Promise<string> {
    const { type, calldata, contract_address, entry_point_selector } = Object(transaction);
    if (type === 'DECLARE') return 'declare';
    if (type === 'DEPLOY_ACCOUNT') return 'deploy account';
    if (type === 'L1_HANDLER') return this.#nameOf(contract_address, entry_point_selector);
    const calls = Array.isArray(calldata) ? readMulticall(calldata.map(String)) : undefined;
    if (!calls) return 'invoke';
    const names: string[] = [];
    for (const { contract, selector } of calls) names.push(await this.#nameOf(contract, selector));
    return names.length === 0 ? 'no calls' : names.join(' + ');
  }

  /** Of the first execution in a request; undefined if its parameters are not recorded. */
  async ofRequest(method: string, request: unknown): Promise<string | undefined> {
    const { params } = Object(request);
    const values: readonly unknown[] = Array.isArray(params)
      ? params
      : Object.values(Object(params));
    if (method.endsWith('_call')) {
      const call = values.find((value) => 'entry_point_selector' in Object(value));
      if (call === undefined) return undefined;
      const { contract_address, entry_point_selector } = Object(call);
      return this.#nameOf(contract_address, entry_point_selector);
    }
    const transaction = values.flat().find((value) => typeof Object(value).type === 'string');
    return transaction === undefined ? undefined : this.ofTransaction(transaction);
  }

  async #nameOf(contract: unknown, selector: unknown): Promise<string> {
    const address = String(contract);
    let functions = this.#functions.get(address);
    if (!functions) {
      functions = this.#read(address);
      this.#functions.set(address, functions);
    }
    const felt = `0x${BigInt(String(selector)).toString(16)}`;
    return (await functions).get(felt)?.name ?? `function ${shortAddress(felt)}`;
  }

  async #read(contract_address: string): Promise<ReadonlyMap<string, { readonly name: string }>> {
    try {
      const contractClass = await this.#chain.request('starknet_getClassAt', {
        block_id: 'pre_confirmed',
        contract_address,
      });
      return readAbi(contractClass.abi).functions;
    } catch {
      // A call to an address without a contract fails, and is part of the report.
      return new Map();
    }
  }
}
