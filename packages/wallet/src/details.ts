// Details of a pending request in words: the calls by name, the fee, the message to sign.
import {
  type Decoded,
  decodeInputs,
  type Names,
  namesOf,
  type UserCall,
  valueText,
} from '@starkbox/abi';
import { decodeShortString, isObject, type Members, shortAddress } from '@starkbox/abi/basics';
import { mostFee, readClass } from '@starkbox/abi/internal';
import { estimateCalls } from '@starkbox/signing';
import type { PendingRequest } from './approvals.js';
import { NodeError, type WalletNode } from './node.js';
import { callsOf, fieldsOf } from './read.js';
import type { Session } from './session.js';

export interface Section {
  readonly heading?: string;
  readonly rows: readonly (readonly [name: string, value: string])[];
}

export interface Details {
  readonly sections: readonly Section[];
  /** What a person should know before approving. */
  readonly warning?: string | undefined;
}

type Describe = (params: Members, session: Session) => Details | Promise<Details>;

interface Kind {
  readonly question: string;
  readonly describe: Describe;
}

/** The requests that need approval. */
const KINDS: Readonly<Record<string, Kind>> = {
  wallet_requestAccounts: {
    question: 'Connect this page?',
    describe: () => ({ sections: [] }),
  },
  wallet_addInvokeTransaction: { question: 'Send this transaction?', describe: describeInvoke },
  wallet_addDeclareTransaction: { question: 'Declare this class?', describe: describeDeclare },
  wallet_signTypedData: { question: 'Sign this message?', describe: describeTypedData },
  wallet_watchAsset: {
    question: 'Watch this token?',
    describe: ({ options }) => ({ sections: [{ rows: rowsOf(options) }] }),
  },
  wallet_addStarknetChain: {
    question: 'Add this network?',
    describe: (params) => ({ sections: [{ rows: rowsOf(params) }] }),
  },
  wallet_switchStarknetChain: {
    question: 'Switch to this network?',
    describe: ({ chainId }) => ({ sections: [{ rows: [['chain', chainName(chainId)]] }] }),
  },
};

export function questionOf({ method }: PendingRequest): string {
  return KINDS[method]?.question ?? method;
}

/** The details of a request, as far as the node gives them. */
export async function detailsOf(
  { method, params }: PendingRequest,
  session: Session,
): Promise<Details> {
  const describe = KINDS[method]?.describe;
  return describe ? describe(fieldsOf(params, 'params'), session) : { sections: [] };
}

function rowsOf(value: unknown): Section['rows'] {
  if (!isObject(value)) return [];
  return Object.entries(value).map(([name, of]) => [name, typeof of === 'string' ? of : json(of)]);
}

function json(value: unknown): string {
  return JSON.stringify(value, (_, of) => (typeof of === 'bigint' ? String(of) : of), 2) ?? '';
}

/** A chain id with its short string. */
function chainName(chainId: unknown): string {
  const felt = String(chainId);
  const name = decodeShortString(felt);
  return name === undefined ? felt : `${name} (${felt})`;
}

async function describeInvoke({ calls }: Members, session: Session): Promise<Details> {
  const { node } = session;
  const read = callsOf(calls);
  const { address } = await session.signer();
  const [names, estimate] = await Promise.all([
    readNames(session),
    estimateCalls(node, address, read).catch((error: unknown) => {
      if (error instanceof NodeError) return error;
      throw error;
    }),
  ]);
  const sections = await Promise.all(read.map((call) => describeCall(call, node, names)));
  if (estimate instanceof NodeError) {
    return { sections, warning: `The node rejects this transaction: ${estimate.message}.` };
  }
  const { bounds, failure } = estimate;
  const fee: Section = { rows: [['highest fee', `${strk(mostFee(bounds))} STRK`]] };
  return {
    sections: [...sections, fee],
    warning: failure === undefined ? undefined : `This transaction would be reverted: ${failure}`,
  };
}

/** Names of contracts, with the labels that the node gives. */
async function readNames(session: Session): Promise<Names> {
  const [accounts, answer] = await Promise.all([
    session.accounts(),
    session.node.call('devnet_getLabels').catch(() => undefined),
  ]);
  const rows = isObject(answer) ? answer['labels'] : undefined;
  const labels = Array.isArray(rows) ? rows.filter(isObject) : [];
  return namesOf(
    accounts,
    labels.map(({ value, label }) => [String(value), String(label)]),
  );
}

async function describeCall(
  { contract, selector, calldata }: UserCall,
  node: WalletNode,
  names: Names,
): Promise<Section> {
  const abi = await node.abiAt(contract);
  const called = abi.functions.get(selector);
  const inputs = called && decodeInputs(called, calldata, abi);
  const name = names.get(contract) ?? shortAddress(contract);
  return {
    heading: `${name}.${called?.name ?? shortAddress(selector)}`,
    rows: [
      ['contract', contract],
      ...(inputs
        ? inputs.map((input): [string, string] => [input.name, showValue(input.value, names)])
        : [['calldata', calldata.join('\n')] as const]),
    ],
  };
}

function showValue(value: Decoded, names: Names): string {
  return valueText(value, {
    felt: (felt) => {
      const text = decodeShortString(felt);
      return text === undefined ? felt : `${felt} ('${text}')`;
    },
    address: (felt) => {
      const name = names.get(felt);
      return name === undefined ? felt : `${felt} (${name})`;
    },
    classHash: (felt) => felt,
  });
}

const DECIMALS = 18;

/** An amount of fri in STRK, rounded up to six decimals. */
function strk(fri: bigint): string {
  const unit = 10n ** BigInt(DECIMALS - 6);
  const digits = String((fri + unit - 1n) / unit).padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

function describeDeclare(params: Members): Details {
  const file = readClass(params['contract_class']);
  const rows: (readonly [string, string])[] = [
    ['class', String(params['class_hash'] ?? 'without a given hash')],
    ['compiled class', String(params['compiled_class_hash'])],
  ];
  if (file.kind === 'sierra') rows.push(['functions', String(file.functions)]);
  return { sections: [{ rows }] };
}

async function describeTypedData(params: Members, session: Session): Promise<Details> {
  const domain = fieldsOf(params['domain'], 'domain');
  const chainId = domain['chainId'];
  const here = await session.node.chainId();
  const isHere = chainId === undefined || [here, decodeShortString(here)].includes(String(chainId));
  return {
    sections: [
      { heading: 'Domain', rows: rowsOf(domain) },
      { heading: String(params['primaryType']), rows: rowsOf(params['message']) },
    ],
    warning: isHere
      ? undefined
      : `The message is for the chain ${chainId}, not for ${chainName(here)}.`,
  };
}
