// Errors of the engine.

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
  'report_too_large',
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
  /** What failed. */
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * The engine gives the kind of a failure as the code of the binding's error.
 *
 * @internal
 */
export function toEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? error.code : 'GenericFailure';
  if (isKind(code)) return new EngineError(code, message);
  // The binding checks JavaScript types before it calls the engine.
  return new EngineError(code === 'GenericFailure' ? 'internal' : 'input', message);
}

/**
 * The error of a panic that could not be caught: its message begins with the kind of the failure.
 *
 * @internal
 */
export function toPanicError(message: string, error: Error): EngineError {
  const [, kind, text = ''] = /^(\w+): ([\s\S]*)$/.exec(message) ?? [];
  if (isKind(kind)) return new EngineError(kind, text);
  return new EngineError('internal', `the engine panicked: ${message || error.message}`);
}

/** Parses JSON that the engine wrote. The tests check that it has the shape `T`. */
export function parseReport<T>(text: string): T {
  return JSON.parse(text);
}
