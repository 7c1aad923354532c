// Identity of a data directory, in chain.json and again in the database.

import { renameSync, writeFileSync } from 'node:fs';
import { membersOf } from '@starkbox/abi/basics';
import { codeOf } from '../../errors.js';
import { readRegularSync } from '../../files/regular-file.js';
import type { FixedOptions } from './fixed-options.js';

export interface Identity {
  /** The same in both files. */
  readonly id: string;
  readonly fixedOptions: FixedOptions;
}

/** Incremented with each change of what a directory holds. */
const FORMAT = 2;

/** A text that is no identity; the message continues a sentence after the file's name. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
}

/** Another version of Starkbox wrote it. */
export class OtherFormatError extends Error {
  override readonly name = 'OtherFormatError';
}

export function identityText({ id, fixedOptions }: Identity): string {
  return `${JSON.stringify({ format: FORMAT, id, options: fixedOptions }, null, 2)}\n`;
}

/** @throws IdentityError or OtherFormatError */
export function identityFrom(text: string): Identity {
  if (text.trim() === '') throw new IdentityError('is empty');
  const { format, id, options } = membersOf(jsonOf(text));
  if (typeof format !== 'number') throw new IdentityError('was not written by Starkbox');
  if (format !== FORMAT) throw new OtherFormatError();
  if (typeof id !== 'string') throw new IdentityError('was not written by Starkbox');
  return { id, fixedOptions: readFixedOptions(options) };
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

export function writeIdentity(path: string, identity: Identity): void {
  writeFileSync(draftOf(path), identityText(identity), { flush: true });
  renameSync(draftOf(path), path);
}
