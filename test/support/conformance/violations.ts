// Conversion of ajv errors to one line per violation, also inside unions.
import type { AnySchema, ErrorObject, ValidateFunction } from 'ajv/dist/2019.js';
import { isArray } from './json.js';

/** Compiles a member of a union, to validate it alone. */
export type Compile = (schema: AnySchema) => ValidateFunction;

interface Fault {
  readonly pointer: string;
  readonly text: string;
  /** Evidence against this member of a union being the intended one. */
  readonly weight: number;
  /** True if it may be only a consequence of another fault. */
  readonly isDerived: boolean;
}

const UNIONS: ReadonlySet<string> = new Set(['oneOf', 'anyOf']);
const UNKNOWN: ReadonlySet<string> = new Set(['additionalProperties', 'unevaluatedProperties']);
const SHOWN = 60;

/** One line for each violation: JSON path, colon, fault. */
export function describeViolations(
  errors: readonly ErrorObject[],
  compile: Compile,
  root = '$',
): readonly string[] {
  return firm(condense(errors, compile)).map(
    ({ pointer, text }) => `${toPath(root, pointer)}: ${text}`,
  );
}

/** Replaces the errors of all members of a union by those of the intended member. */
function condense(errors: readonly ErrorObject[], compile: Compile): readonly Fault[] {
  const faults: Fault[] = [];
  // The errors of the members precede that of the union, so a backward scan meets the union first.
  for (let i = errors.length - 1; i >= 0; i -= 1) {
    const error = errors[i];
    if (error === undefined) continue;
    if (UNIONS.has(error.keyword)) {
      const union = checkMembers(error, compile);
      faults.unshift(...union.faults);
      i -= union.errorCount;
    } else {
      faults.unshift(toFault(error, errors));
    }
  }
  return faults;
}

function checkMembers(
  error: ErrorObject,
  compile: Compile,
): { readonly faults: readonly Fault[]; readonly errorCount: number } {
  const members: readonly unknown[] = isArray(error.schema) ? error.schema : [];
  const answers = members.map((member): readonly ErrorObject[] => {
    if (typeof member !== 'object' || member === null) return [];
    const validate = compile(member);
    return validate(error.data) ? [] : (validate.errors ?? []);
  });
  const errorCount = answers.reduce((sum, { length }) => sum + length, 0);
  const accepting = answers.filter(({ length }) => length === 0).length;
  if (accepting > 0) {
    const text = `fits ${accepting} of ${members.length} forms, where it must fit one`;
    const fault = { pointer: error.instancePath, text, weight: 1, isDerived: false };
    return { faults: [fault], errorCount };
  }
  const candidates = answers.map((errors) => condense(errors, compile));
  const least = Math.min(...candidates.map(weigh));
  const faults = merge(candidates.filter((candidate) => weigh(candidate) === least)).map(
    (fault) => ({
      ...fault,
      pointer: error.instancePath + fault.pointer,
      // A nested fault is no evidence about the member at this level.
      weight: error.instancePath === '' ? fault.weight : 1,
    }),
  );
  return { faults, errorCount };
}

/** Merges members with one fault at the same place, such as the values of an enum. */
function merge(candidates: readonly (readonly Fault[])[]): readonly Fault[] {
  const [best = []] = candidates;
  const [first] = firm(best);
  const texts = new Set<string>();
  for (const candidate of candidates.map(firm)) {
    const [fault, ...more] = candidate;
    if (fault === undefined || fault.pointer !== first?.pointer || more.length > 0) return best;
    texts.add(fault.text);
  }
  return first === undefined ? best : [{ ...first, text: [...texts].join(', or ') }];
}

function firm(faults: readonly Fault[]): readonly Fault[] {
  return faults.filter(({ isDerived }) => !isDerived);
}

function weigh(faults: readonly Fault[]): number {
  return faults.reduce((sum, { weight }) => sum + weight, 0);
}

function toFault(error: ErrorObject, errors: readonly ErrorObject[]): Fault {
  const depth = error.instancePath.split('/').length - 1;
  return {
    pointer: error.instancePath,
    text: toText(error),
    weight: toWeight(error, depth),
    // In a composition, ajv evaluates properties only of parts that match, so that one fault makes
    // the other properties look unknown.
    isDerived:
      error.keyword === 'unevaluatedProperties' &&
      errors.some((other) => !UNKNOWN.has(other.keyword) && isWithin(other, error.instancePath)),
  };
}

function isWithin(error: ErrorObject, pointer: string): boolean {
  return error.instancePath === pointer || error.instancePath.startsWith(`${pointer}/`);
}

function toWeight({ keyword }: ErrorObject, depth: number): number {
  if (keyword === 'type' && depth === 0) return 1000;
  if (keyword === 'enum' && depth === 1) return 100;
  if ((keyword === 'required' || UNKNOWN.has(keyword)) && depth === 0) return 10;
  return 1;
}

function toText({ keyword, params, data, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return `missing property '${params['missingProperty']}'`;
    case 'additionalProperties':
      return `unknown property '${params['additionalProperty']}'`;
    case 'unevaluatedProperties':
      return `unknown property '${params['unevaluatedProperty']}'`;
    case 'enum':
      return `must be one of ${params['allowedValues'].join(', ')}, not ${show(data)}`;
    case 'not':
      return `must not be ${show(data)}`;
    default:
      return `${message ?? keyword}, not ${show(data)}`;
  }
}

function show(value: unknown): string {
  const text =
    JSON.stringify(value, (_, part: unknown) =>
      typeof part === 'bigint' ? part.toString() : part,
    ) ?? String(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function toPath(root: string, pointer: string): string {
  const steps = pointer.split('/').slice(1);
  return steps.reduce((path, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (/^\d+$/.test(name)) return `${path}[${name}]`;
    return /^[A-Za-z_$][\w$]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
  }, root);
}
