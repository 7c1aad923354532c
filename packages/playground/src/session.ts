// What the page does with its chain: deployments, calls, transactions, and what came of them.
import {
  type Abi,
  type AbiFunction,
  decodeOutputs,
  type Names,
  readAbi,
  selectorOf,
  valueText,
} from '@starkbox/abi';
import {
  decodeShortString,
  type Members,
  membersOf,
  shortAddress,
  toFelt,
} from '@starkbox/abi/basics';
import type { SourceLine } from '@starkbox/abi/internal';
import type { Chain, Explanation, PredeployedAccount } from 'starkbox/client';

/** A class of the editor: what the compiler wrote, and the text that it was compiled from. */
export interface SourceClass {
  readonly artifact: Members;
  /** The source file as the debug information names it. */
  readonly file: string;
  readonly source: string;
}

export interface FunctionCall {
  readonly address: string;
  readonly called: AbiFunction;
  readonly calldata: readonly string[];
}

export type Outcome =
  | { readonly kind: 'returned'; readonly values: readonly string[] }
  | { readonly kind: 'accepted'; readonly hash: string; readonly events: number }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly explanation: Explanation | undefined;
      /** The transaction, if a block contains it. */
      readonly hash: string | undefined;
    };

export function abiOf({ artifact }: SourceClass): Abi {
  return readAbi(artifact['abi']);
}

/** Adds the debug information and the source of a class; returns the class hash. */
export async function addSource(chain: Chain, sourceClass: SourceClass): Promise<string> {
  const { artifact, file, source } = sourceClass;
  const params = { artifact, sources: { [file]: source } };
  const { class_hash } = await chain.request('devnet_addArtifact', params);
  return class_hash;
}

export async function isDeclared(chain: Chain, class_hash: string): Promise<boolean> {
  const params = { block_id: 'latest', class_hash } as const;
  return chain.request('starknet_getClass', params).then(
    () => true,
    () => false,
  );
}

/** The contracts of a class, oldest first. */
export async function contractsOf(chain: Chain, classHash: string): Promise<readonly string[]> {
  const addresses: string[] = [];
  let cursor: string | undefined;
  do {
    const { contracts, next } = await listContracts(chain, cursor);
    for (const { contract_address, class_hash } of contracts) {
      if (class_hash === classHash) addresses.push(contract_address);
    }
    cursor = next;
  } while (cursor !== undefined);
  return addresses.toReversed();
}

function listContracts(chain: Chain, cursor: string | undefined) {
  return chain.request('devnet_listContracts', cursor === undefined ? {} : { cursor });
}

/**
 * Declares the class unless the chain has it, deploys a contract and labels it.
 *
 * @returns its address
 */
export async function deploy(
  chain: Chain,
  sourceClass: SourceClass,
  calldata: readonly string[],
  label: string,
): Promise<string> {
  await addSource(chain, sourceClass);
  const { classHash } = await chain.declare(sourceClass.artifact);
  const { address } = await chain.deploy({ classHash, calldata });
  await chain.request('devnet_setLabel', { value: address, label });
  return address;
}

/** Calls a function without a transaction. */
export async function call(
  chain: Chain,
  abi: Abi,
  { address, called, calldata }: FunctionCall,
  names: Names,
): Promise<Outcome> {
  try {
    const felts = await chain.request('starknet_call', {
      block_id: 'pre_confirmed',
      request: {
        contract_address: address,
        entry_point_selector: selectorOf(called.name),
        calldata,
      },
    });
    const values = decodeOutputs(called, felts, abi);
    const texts = feltTexts(names);
    return {
      kind: 'returned',
      values: values?.map((value) => valueText(value, texts)) ?? felts,
    };
  } catch (error) {
    return failureOf(error);
  }
}

/** Sends a transaction with one call, and waits until it is in a block. */
export async function send(
  chain: Chain,
  account: PredeployedAccount,
  { address, called, calldata }: FunctionCall,
): Promise<Outcome> {
  try {
    const { Sender } = await import('@starkbox/signing');
    sender ??= new Sender();
    const node = {
      url: chain.rpcUrl,
      call: (method: string, params?: unknown) => chain.requestRaw(method, params),
      chainId: () => chain.request('starknet_chainId'),
      abiAt: async (contract_address: string) => {
        const deployedClass = await chain.request('starknet_getClassAt', {
          block_id: 'pre_confirmed',
          contract_address,
        });
        return readAbi(membersOf(deployedClass)['abi']);
      },
    };
    const calls = [{ contract: address, selector: selectorOf(called.name), calldata }];
    const hash = await sender.invoke(node, account, calls);
    const receipt = await chain.request('starknet_getTransactionReceipt', {
      transaction_hash: hash,
    });
    if (receipt.execution_status === 'SUCCEEDED') {
      return { kind: 'accepted', hash, events: receipt.events.length };
    }
    const explanation = await chain.explain(hash);
    return { kind: 'failed', message: explanation.summary, explanation, hash };
  } catch (error) {
    return failureOf(error);
  }
}

let sender: InstanceType<typeof import('@starkbox/signing').Sender> | undefined;

/** An error of a call, with the explanation that the node sends along. */
export function failureOf(error: unknown): Outcome {
  const explained = membersOf(membersOf(error)['data'])['explained'];
  const explanation = isExplanation(explained) ? explained : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return {
    kind: 'failed',
    message: explanation?.summary ?? message,
    explanation,
    hash: undefined,
  };
}

function isExplanation(value: unknown): value is Explanation {
  const { summary, frames, stack } = membersOf(value);
  return typeof summary === 'string' && Array.isArray(frames) && Array.isArray(stack);
}

/** The line of a file at which a failure happened: of the innermost call that has one there. */
export function failedLine(explanation: Explanation, file: string): number | undefined {
  const stacks: readonly (readonly SourceLine[])[] = [
    explanation.stack,
    ...explanation.frames.toReversed().flatMap(({ stack }) => (stack ? [stack] : [])),
  ];
  for (const stack of stacks) {
    const line = stack.find((entry) => entry.file === file)?.line;
    if (line !== undefined) return line;
  }
  return undefined;
}

function feltTexts(names: Names) {
  const short = (felt: string): string => names.get(toFelt(BigInt(felt))) ?? shortAddress(felt);
  return {
    felt: (felt: string): string => {
      const text = decodeShortString(felt);
      return text === undefined ? felt : `${felt} '${text}'`;
    },
    address: short,
    classHash: shortAddress,
  };
}
