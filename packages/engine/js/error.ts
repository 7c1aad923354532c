// Errors of the engine, and calls of the binding that throw them.

const KINDS = [
  'input',
  'class',
  'class_too_large',
  'sierra_version',
  'compilation',
  'state',
  'state_source',
  'image',
  'call',
  'deadline',
  'cancelled',
  'internal',
] as const;

/** The kind of an error, to branch on. */
export type FailureKind = (typeof KINDS)[number];

function isKind(code: unknown): code is FailureKind {
  return KINDS.some((kind) => kind === code);
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

/** The engine gives the kind of a failure as the code of the binding's error. */
function typed(error: unknown): EngineError {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? error.code : 'GenericFailure';
  if (isKind(code)) return new EngineError(code, message);
  // The binding checks JavaScript types before it calls the engine.
  return new EngineError(code === 'GenericFailure' ? 'internal' : 'input', message);
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
