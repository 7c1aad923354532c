// Errors of the engine, and calls of the binding that throw them.

const KINDS = [
  'input',
  'class',
  'class_too_large',
  'sierra_version',
  'compilation',
  'state',
  'origin',
  'image',
  'call',
  'deadline',
  'cancelled',
  'internal',
] as const;

/** The kind of an error, to branch on. */
export type FailureKind = (typeof KINDS)[number];

function isKind(word: string): word is FailureKind {
  return KINDS.some((kind) => kind === word);
}

/**
 * The error that every function of the engine throws.
 *
 * @example
 * try {
 *   await Class.compile(text);
 * } catch (error) {
 *   if (error instanceof EngineError && error.kind === 'class_too_large') …
 * }
 */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

function typed(error: unknown): EngineError {
  const text = error instanceof Error ? error.message : String(error);
  const colon = text.indexOf(': ');
  const kind = colon < 0 ? '' : text.slice(0, colon);
  if (isKind(kind)) return new EngineError(kind, text.slice(colon + 2));
  // The binding checks JavaScript types before it calls the engine.
  const isTypeError = error instanceof Error && 'code' in error && error.code !== 'GenericFailure';
  return new EngineError(isTypeError ? 'input' : 'internal', text);
}

/** Calls a function of the binding that returns at once. */
export function callNow<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw typed(error);
  }
}

/** Calls a function of the binding that runs on a worker thread. */
export async function callWorker<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw typed(error);
  }
}

/** Parses JSON that the engine wrote. The tests check that it has the shape `T`. */
export function parseReport<T>(text: string): T {
  return JSON.parse(text);
}
