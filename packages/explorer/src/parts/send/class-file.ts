// Reader of compiler output: Sierra classes and CASM.
import type { Params } from '../../rpc/methods.js';

export type Declare = Params<'starknet_addDeclareTransaction'>['declare_transaction'];
/** A class as sent, with its ABI. */
export type Sierra = Declare['contract_class'] & { readonly abi: string };

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

/** A file that is not a class; the message is shown to the user. */
export class NoClass extends Error {}

const LARGEST_BYTES = 20_000_000;

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isFelt = (value: unknown): value is string =>
  typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value);
const isFelts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isFelt);

/** Reads a Sierra class or a CASM file. */
export async function readClassFile(file: Blob): Promise<ClassFile> {
  if (file.size > LARGEST_BYTES) throw new NoClass('The file is larger than 20 MB.');
  let value: unknown;
  try {
    value = JSON.parse(await file.text());
  } catch {
    throw new NoClass('The file is not valid JSON.');
  }
  if (!isFields(value)) throw new NoClass('The file contains no class.');
  if ('sierra_program' in value) return readSierra(value);
  if ('bytecode' in value) return { kind: 'casm', casm: readCasm(value) };
  throw new NoClass('The file is neither a Sierra class (sierra_program) nor its CASM (bytecode).');
}

function readSierra(value: Fields): ClassFile {
  const { sierra_program, contract_class_version, entry_points_by_type, abi } = value;
  if (!isFelts(sierra_program) || !isFields(entry_points_by_type))
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
    abi: typeof abi === 'string' ? abi : spaced(JSON.stringify(abi ?? [])),
  };
  return { kind: 'sierra', sierra, functions: sierra.entry_points_by_type.EXTERNAL.length };
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function sierraEntryPoint(value: unknown) {
  if (isFields(value)) {
    const { selector, function_idx } = value;
    if (isFelt(selector) && typeof function_idx === 'number') return { selector, function_idx };
  }
  throw new NoClass('An entry point of the Sierra class is incomplete.');
}

function readCasm(value: Fields): Casm {
  const { bytecode, entry_points_by_type, bytecode_segment_lengths } = value;
  if (!isFelts(bytecode) || !isFields(entry_points_by_type))
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
  if (isFields(value)) {
    const { selector, offset, builtins } = value;
    if (isFelt(selector) && typeof offset === 'number') {
      return {
        selector,
        offset,
        builtins: list(builtins).filter((one) => typeof one === 'string'),
      };
    }
  }
  throw new NoClass('An entry point of the CASM is incomplete.');
}

/** JSON with a space after each colon and comma, the form in which the ABI is hashed. */
export function spaced(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|[:,]/g, (part) =>
    part.length === 1 && part !== '"' ? `${part} ` : part,
  );
}
