// What reads input from outside, as a target of bulk fuzzing.

export interface Target {
  readonly name: string;
  /** Valid inputs, which are mutated. */
  readonly seeds: readonly Buffer[];
  /** How many inputs are tried at once. */
  readonly lanes: number;
  /** What is wrong with how an input was taken; undefined if nothing is. */
  readonly take: (input: Buffer) => Promise<string | undefined>;
  /** Whether an input may be tried; others do not count. */
  readonly fits?: (input: Buffer) => boolean;
  /** Another valid input of the grammar, if there is one. */
  readonly generate?: (index: number) => Buffer;
  readonly refresh?: () => Promise<void>;
  readonly close?: () => Promise<void>;
}

export const bytesOf = (text: string): Buffer => Buffer.from(text);

/** Runs a reader: an error of the kind that its users see is right, any other is a fault. */
export async function outcome(
  run: () => unknown,
  isForeseen: (error: Error) => boolean,
): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) return String(error);
    return isForeseen(error) ? undefined : (error.stack ?? String(error));
  }
}
