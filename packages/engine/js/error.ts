// Knows how a failure of the engine becomes a typed error.

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
  'internal',
] as const;

/** What went wrong, in one word to branch on. */
export type FailureKind = (typeof KINDS)[number];

function isKind(word: string): word is FailureKind {
  return KINDS.some((kind) => kind === word);
}

/**
 * Every refusal of the engine.
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
  // The binding refuses values of a wrong JavaScript type before the engine sees them.
  const refused = error instanceof Error && 'code' in error && error.code !== 'GenericFailure';
  return new EngineError(refused ? 'input' : 'internal', text);
}

/** Runs a call of the binding that answers at once. */
export function now<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw typed(error);
  }
}

/** Runs a call of the binding that answers from a worker thread. */
export async function later<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw typed(error);
  }
}

/** Reads JSON that the engine wrote. Its shape is the engine's promise, held by the tests. */
export function told<T>(text: string): T {
  return JSON.parse(text);
}
