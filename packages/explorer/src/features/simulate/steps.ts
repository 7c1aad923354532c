// Steps of a simulation while they are edited, and their form in the page's address.
import type { UserCall } from '@starkbox/abi';
import { canonicalFelt } from '@starkbox/abi/basics';
import type { Draft, Resolve } from '@starkbox/abi/internal';
import { readAddress } from '../../parts/forms/address-book.js';
import type { Step } from '../../parts/send/run.js';

export interface CallDraft {
  readonly id: number;
  /** As typed: a name or an address. */
  readonly contract: string;
  readonly selector: string;
  /** Undefined while an input is invalid. */
  readonly calldata: readonly string[] | undefined;
  /** Drafts of the inputs; derived from the calldata where they are missing. */
  readonly drafts: readonly Draft[] | undefined;
  /** Whether the inputs are raw felts. */
  readonly isRaw: boolean;
}

export interface StepDraft {
  readonly id: number;
  readonly as: string;
  readonly calls: readonly CallDraft[];
}

export const MAX_STEPS = 50;
export const MAX_CALLS = 100;
let nextId = 1;

type NameOf = (address: string) => string;

export function newCall(of?: UserCall, nameOf: NameOf = (address) => address): CallDraft {
  return {
    id: nextId++,
    contract: of ? nameOf(of.contract) : '',
    selector: of?.selector ?? '',
    calldata: of?.calldata,
    drafts: undefined,
    isRaw: false,
  };
}

export function newStep(as: string, calls: readonly UserCall[] = [], nameOf?: NameOf): StepDraft {
  return {
    id: nextId++,
    as,
    calls: calls.length === 0 ? [newCall()] : calls.map((call) => newCall(call, nameOf)),
  };
}

/** The step with its calls, or undefined if an input is invalid. */
export function stepOf(draft: StepDraft, resolve: Resolve): Step | undefined {
  const { address: sender } = readAddress(draft.as, resolve);
  if (sender === undefined) return undefined;
  const calls: UserCall[] = [];
  for (const { contract, selector, calldata } of draft.calls) {
    const { address } = readAddress(contract, resolve);
    if (address === undefined || selector === '' || !calldata) return undefined;
    calls.push({ contract: address, selector, calldata });
  }
  return { sender, calls };
}

/** The short form for the page's address. */
export function packed(steps: readonly StepDraft[]): unknown {
  return steps.map(({ as, calls }) => [
    as,
    calls.map(({ contract, selector, calldata }) => [contract, selector, calldata ?? []]),
  ]);
}

/** Reads the short form, which is untrusted. */
export function unpacked(value: unknown): readonly StepDraft[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_STEPS).flatMap((step: unknown) => {
    if (!Array.isArray(step)) return [];
    const [as, calls]: readonly unknown[] = step;
    if (typeof as !== 'string' || !Array.isArray(calls)) return [];
    const read = calls.slice(0, MAX_CALLS).flatMap((call: unknown) => {
      if (!Array.isArray(call)) return [];
      const [contract, selectorText, felts]: readonly unknown[] = call;
      const selector = typeof selectorText === 'string' ? (canonicalFelt(selectorText) ?? '') : '';
      if (typeof contract !== 'string' || !Array.isArray(felts)) return [];
      const calldata = felts.flatMap((felt: unknown) => {
        const read = typeof felt === 'string' ? canonicalFelt(felt) : undefined;
        return read === undefined ? [] : [read];
      });
      return [{ contract: contract.slice(0, 100), selector, calldata }];
    });
    return [newStep(as.slice(0, 100), read)];
  });
}
