// Reader of files from a compiler: Sierra classes and CASM.
import { type ClassFile, NoClass, readClass } from '@starkbox/abi/internal';

const LARGEST_BYTES = 20_000_000;

/** Reads a Sierra class or a CASM file. */
export async function readClassFile(file: Blob): Promise<ClassFile> {
  if (file.size > LARGEST_BYTES) throw new NoClass('The file is larger than 20 MB.');
  let value: unknown;
  try {
    value = JSON.parse(await file.text());
  } catch {
    throw new NoClass('The file is not valid JSON.');
  }
  return readClass(value);
}
