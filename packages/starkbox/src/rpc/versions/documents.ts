// Documents of older versions: those of the newest one, changed by one file for each step back.

import { readFileSync } from 'node:fs';
import { isObject, listOf, type Members, membersOf } from '@starkbox/abi/basics';
import { DOCUMENTS } from '@starkbox/spec/documents';
import { parse } from '../../json/json.js';
import { type Documents, readDocuments, referred } from '../protocol/documents.js';
import type { Version } from './difference.js';

/** Describes the methods of the sandbox, which are the same in all versions. */
const OF_THE_SANDBOX = 'devnet.json';

/**
 * The documents of the standard methods in a version.
 *
 * @param steps the version and those between it and the newest, newest first
 */
export function documentsOf(steps: readonly Version[]): Documents {
  const folder = new URL('versions/', DOCUMENTS);
  let documents: Members = Object.fromEntries(readDocuments());
  for (const { documents: file } of steps) {
    const changes = parse(readFileSync(new URL(file, folder), 'utf8'));
    documents = membersOf(applyChanges(documents, changes));
  }
  return new Map(Object.entries(documents).filter(([name]) => name !== OF_THE_SANDBOX));
}

/**
 * A value with changes, as in JSON Merge Patch: `null` removes a member, an object changes the members that it
 * names, anything else replaces. In a list, an object changes items by their name, the name at the end of their
 * reference, or the item itself if it is a string.
 */
export function applyChanges(value: unknown, changes: unknown): unknown {
  if (!isObject(changes)) return changes;
  if (Array.isArray(value)) {
    const items = new Map(value.map((item) => [nameOf(item), item]));
    for (const [name, change] of Object.entries(changes)) {
      if (change === null) items.delete(name);
      else items.set(name, applyChanges(items.get(name) ?? { name }, change));
    }
    return [...items.values()];
  }
  const members = new Map(Object.entries(membersOf(value)));
  for (const [name, change] of Object.entries(changes)) {
    if (change === null) members.delete(name);
    else members.set(name, applyChanges(members.get(name), change));
  }
  return Object.fromEntries(members);
}

function nameOf(item: unknown): string {
  if (!isObject(item)) return String(item);
  const { name, $ref: ref } = item;
  return typeof name === 'string' ? name : String(ref).replace(/^.*\//, '');
}

/** The message of each error that a method may answer with, by its code. */
export function messagesOf(documents: Documents, method: string): ReadonlyMap<number, string> {
  const messages = new Map<number, string>();
  for (const [file, document] of documents) {
    const declared = listOf(membersOf(document)['methods']).find(
      (candidate) => membersOf(candidate)['name'] === method,
    );
    for (const error of listOf(membersOf(declared)['errors'])) {
      const { target } = referred(documents, String(membersOf(error)['$ref']), file);
      const { code, message } = membersOf(target);
      if (typeof code === 'number') messages.set(code, String(message));
    }
  }
  return messages;
}
