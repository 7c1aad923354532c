// Identity of a data directory, in chain.json and again in the database.

import { renameSync, writeFileSync } from 'node:fs';
import { membersOf } from '@starkbox/abi/basics';
import { codeOf } from '../../errors.js';
import { readRegularSync } from '../../files/regular-file.js';
import type { FixedOptions } from './fixed-options.js';

export interface Identity {
  readonly format: number;
  /** The same in both files; absent in directories of older versions. */
  readonly id: string | undefined;
  readonly fixedOptions: FixedOptions;
}

/** Incremented by changes that older versions cannot read; older formats are upgraded. */
export const FORMAT = 2;

/** A text that is no identity; the message continues a sentence after the file's name. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
  /** Whether another version of Starkbox can read it. */
  readonly isOtherVersion: boolean;

  constructor(message: string, isOtherVersion = false) {
    super(message);
    this.isOtherVersion = isOtherVersion;
  }
}

export function identityText({ id, fixedOptions }: Omit<Identity, 'format'>): string {
  return `${JSON.stringify({ format: FORMAT, id, options: fixedOptions }, null, 2)}\n`;
}

/** @throws IdentityError */
export function identityFrom(text: string): Identity {
  if (text.trim() === '') throw new IdentityError('is empty');
  const { format, id, options } = membersOf(jsonOf(text));
  if (typeof format !== 'number' || options === undefined)
    throw new IdentityError('was not written by Starkbox');
  if (format < 1 || format > FORMAT) {
    const reason = `is written in format ${format}; this version of Starkbox reads formats 1 to ${FORMAT}`;
    throw new IdentityError(reason, true);
  }
  return {
    format,
    id: typeof id === 'string' ? id : undefined,
    fixedOptions: readFixedOptions(options),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new IdentityError('is truncated or overwritten: it is not JSON');
  }
}

function readFixedOptions(value: unknown): FixedOptions {
  const fixed: Record<string, string | null> = {};
  for (const [name, text] of Object.entries(membersOf(value))) {
    if (typeof text !== 'string' && text !== null)
      throw new IdentityError('was not written by Starkbox');
    fixed[name] = text;
  }
  if (fixed['seed'] === undefined) throw new IdentityError('does not record the seed of the chain');
  return fixed;
}

/** @returns `undefined` if there is no such file */
export function readIdentity(path: string): Identity | undefined {
  let text: string;
  try {
    text = readRegularSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  return identityFrom(text);
}

export const draftOf = (path: string): string => `${path}.draft`;

export function writeIdentity(path: string, identity: Omit<Identity, 'format'>): void {
  writeFileSync(draftOf(path), identityText(identity), { flush: true });
  renameSync(draftOf(path), path);
}

export function equalFixedOptions(first: FixedOptions, other: FixedOptions): boolean {
  const names = new Set([...Object.keys(first), ...Object.keys(other)]);
  return [...names].every((name) => (first[name] ?? null) === (other[name] ?? null));
}
