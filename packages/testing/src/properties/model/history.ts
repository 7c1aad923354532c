// Histories as plain data: they are shrunk, kept in a corpus and sent between workers.

/** A value of an argument: integers of contracts are bigints, and actions may have safe integers as numbers too. */
export type StepValue =
  | bigint
  | number
  | boolean
  | string
  | readonly StepValue[]
  | { readonly [member: string]: StepValue };

/** A call of a function by an actor. */
export interface CallStep {
  readonly kind: 'call';
  /** The caller. */
  readonly from: string;
  /** The address of the contract. */
  readonly to: string;
  /** The name of the function in the ABI. */
  readonly function: string;
  /** In the order of the ABI. */
  readonly arguments: readonly StepValue[];
}

/** An action of the user, by its name. */
export interface ActionStep {
  readonly kind: 'action';
  readonly name: string;
  readonly arguments: readonly StepValue[];
}

/** Time passes before the next step. */
export interface TimeStep {
  readonly kind: 'time';
  readonly seconds: number;
}

/** The pending block is closed. */
export interface BlockStep {
  readonly kind: 'block';
}

export type Step = CallStep | ActionStep | TimeStep | BlockStep;

/** Whether a value is a list: an array, a span or a tuple. */
export const isList = (value: StepValue): value is readonly StepValue[] => Array.isArray(value);

/**
 * Whether a value survives being recorded, printed and sent between threads as it is.
 */
export function isStepValue(value: unknown): value is StepValue {
  if (Array.isArray(value)) return value.every(isStepValue);
  if (typeof value === 'object' && value !== null) {
    const prototype: unknown = Object.getPrototypeOf(value);
    const isPlain = prototype === null || prototype === Object.prototype;
    return isPlain && Object.values(value).every(isStepValue);
  }
  return Number.isSafeInteger(value) || ['bigint', 'boolean', 'string'].includes(typeof value);
}

/** The steps of a run, in order. */
export type History = readonly Step[];
