// Reader of classes from untrusted JSON: Sierra classes and CASM.
import { isObject, type Members } from './json.js';

interface SierraEntryPoint {
  readonly selector: string;
  readonly function_idx: number;
}

/** A Sierra class as a declare transaction has it. */
export interface Sierra {
  readonly sierra_program: readonly string[];
  readonly contract_class_version: string;
  readonly entry_points_by_type: {
    readonly EXTERNAL: readonly SierraEntryPoint[];
    readonly L1_HANDLER: readonly SierraEntryPoint[];
    readonly CONSTRUCTOR: readonly SierraEntryPoint[];
  };
  readonly abi: string;
}

export type SegmentLengths = number | readonly SegmentLengths[];

interface CasmEntryPoint {
  readonly selector: string;
  readonly offset: number;
  readonly builtins: readonly string[];
}

/** The parts of CASM that its hash covers. */
export interface Casm {
  readonly bytecode: readonly string[];
  readonly segments: SegmentLengths | undefined;
  readonly external: readonly CasmEntryPoint[];
  readonly l1Handler: readonly CasmEntryPoint[];
  readonly constructor_: readonly CasmEntryPoint[];
}

export type ClassFile =
  | { readonly kind: 'sierra'; readonly sierra: Sierra; readonly functions: number }
  | { readonly kind: 'casm'; readonly casm: Casm };

/** A value that is not a class; the message is shown to the user. */
export class NoClass extends Error {}

const isFelt = (value: unknown): value is string =>
  typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value);
const isFelts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isFelt);

/** Reads the JSON of a Sierra class or of CASM. Throws a `NoClass` if it is neither. */
export function readClass(value: unknown): ClassFile {
  if (!isObject(value)) throw new NoClass('The file contains no class.');
  if ('sierra_program' in value) return readSierra(value);
  if ('bytecode' in value) return { kind: 'casm', casm: readCasm(value) };
  throw new NoClass('The file is neither a Sierra class (sierra_program) nor its CASM (bytecode).');
}

function readSierra(value: Members): ClassFile {
  const { sierra_program, contract_class_version, entry_points_by_type, abi } = value;
  if (!isFelts(sierra_program) || !isObject(entry_points_by_type))
    throw new NoClass('The Sierra class is incomplete.');
  const points = (name: string) => list(entry_points_by_type[name]).map(sierraEntryPoint);
  const sierra = {
    sierra_program,
    contract_class_version:
      typeof contract_class_version === 'string' ? contract_class_version : '0.1.0',
    entry_points_by_type: {
      EXTERNAL: points('EXTERNAL'),
      L1_HANDLER: points('L1_HANDLER'),
      CONSTRUCTOR: points('CONSTRUCTOR'),
    },
    abi: abiText(abi),
  };
  return { kind: 'sierra', sierra, functions: sierra.entry_points_by_type.EXTERNAL.length };
}

/** The ABI as it is hashed. Clients that parsed the compiler's text write it without its spaces. */
function abiText(abi: unknown): string {
  if (typeof abi !== 'string') return addSpaces(JSON.stringify(abi ?? []));
  const isCompact = /^\[\{"\w+":\S/.test(abi);
  return isCompact ? addSpaces(abi) : abi;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function sierraEntryPoint(value: unknown) {
  if (isObject(value)) {
    const { selector, function_idx } = value;
    if (isFelt(selector) && typeof function_idx === 'number') return { selector, function_idx };
  }
  throw new NoClass('An entry point of the Sierra class is incomplete.');
}

function readCasm(value: Members): Casm {
  const { bytecode, entry_points_by_type, bytecode_segment_lengths } = value;
  if (!isFelts(bytecode) || !isObject(entry_points_by_type))
    throw new NoClass('The CASM is incomplete.');
  const points = (name: string) => list(entry_points_by_type[name]).map(casmEntryPoint);
  return {
    bytecode,
    segments: isLengths(bytecode_segment_lengths, 0) ? bytecode_segment_lengths : undefined,
    external: points('EXTERNAL'),
    l1Handler: points('L1_HANDLER'),
    constructor_: points('CONSTRUCTOR'),
  };
}

function isLengths(value: unknown, depth: number): value is SegmentLengths {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0;
  return depth < 32 && Array.isArray(value) && value.every((part) => isLengths(part, depth + 1));
}

function casmEntryPoint(value: unknown): CasmEntryPoint {
  if (isObject(value)) {
    const { selector, offset, builtins } = value;
    if (isFelt(selector) && typeof offset === 'number') {
      return {
        selector,
        offset,
        builtins: list(builtins).filter((builtin) => typeof builtin === 'string'),
      };
    }
  }
  throw new NoClass('An entry point of the CASM is incomplete.');
}

/** JSON with a space after each colon and comma, the form in which the ABI is hashed. */
function addSpaces(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|[:,]/g, (part) =>
    part.length === 1 && part !== '"' ? `${part} ` : part,
  );
}
