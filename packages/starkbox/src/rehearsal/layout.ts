// Comparison of the storage layouts of two classes, by names, types and slots.

import { readAbi } from '@starkbox/abi';
import { listOf, membersOf } from '@starkbox/abi/basics';
import {
  type Cell,
  type KeyUnit,
  type StorageType,
  type Variable,
  variablesOf,
} from '@starkbox/abi/internal';
import { HASHES } from '../chain/storage-names/class-variables.js';
import type { DebugInfo } from '../debug-info/debug-info.js';
import type { SourceTexts } from '../debug-info/source-texts.js';
import { isFelt } from '../json/reader.js';
import type { LayoutChange, LayoutComparison } from './report.js';

/** What the variables of a class are read from. */
export interface LayoutSource {
  /** The class as JSON. */
  readonly definition: unknown;
  readonly info?: DebugInfo | undefined;
  readonly texts?: SourceTexts | undefined;
}

/** Files of the sources of one class that are read. */
const MAX_FILES = 300;

export async function compareLayouts(
  oldSource: LayoutSource,
  newSource: LayoutSource,
): Promise<LayoutComparison> {
  const ours = await variablesIn(newSource, []);
  // A class without sources confirms names that the other class has.
  const theirs = await variablesIn(
    oldSource,
    ours.map(({ name }) => name),
  );
  return compareVariables(theirs, ours);
}

async function variablesIn(
  { definition, info, texts }: LayoutSource,
  names: readonly string[],
): Promise<readonly Variable[]> {
  const { abi, sierra_program: program } = membersOf(definition);
  const sources: { readonly file: string; readonly text: string }[] = [];
  for (const file of [...(info?.files ?? [])].slice(0, MAX_FILES)) {
    const source = await texts?.read(file);
    if (source) sources.push({ file, text: source.text });
  }
  const felts = program === undefined ? undefined : listOf(program).filter(isFelt);
  return variablesOf({ abi: readAbi(abi), program: felts, sources, names }, HASHES).variables;
}

/** Compares variables by the slots that they begin at. */
export function compareVariables(
  theirs: readonly Variable[],
  ours: readonly Variable[],
): LayoutComparison {
  const oldByBase = new Map(theirs.map((variable) => [variable.base, variable]));
  const newByBase = new Map(ours.map((variable) => [variable.base, variable]));
  const changes: LayoutChange[] = [];
  const unknown: string[] = [];
  for (const variable of theirs) {
    const other = newByBase.get(variable.base);
    if (!other) continue;
    const isCompared = !isUnknown(variable.type) && !isUnknown(other.type);
    // A name of an ABI alone may be the name of an event or a function.
    const isDeclared = [variable, other].some(({ origin }) => origin !== 'abi');
    if (!isCompared && isDeclared) unknown.push(variable.name);
    if (isCompared) changes.push(...typeChange(variable, other));
  }
  const isNamed = ({ origin, type }: Variable): boolean => origin !== 'abi' || !isUnknown(type);
  const removed = theirs.filter((variable) => !newByBase.has(variable.base) && isNamed(variable));
  const added = ours.filter((variable) => !oldByBase.has(variable.base) && isNamed(variable));
  const moved = new Set<Variable>();
  for (const variable of removed) {
    const target = added.find((other) => !moved.has(other) && isMoved(variable, other));
    if (target) {
      moved.add(target);
      changes.push({
        kind: 'moved',
        variable: target.name,
        old: `${variable.name}: ${typeText(variable.type)}`,
        new: `${target.name}: ${typeText(target.type)}`,
        effects: [`values stored as ${variable.name} are not read: the new name has other slots`],
      });
    } else {
      changes.push({
        kind: 'removed',
        variable: variable.name,
        old: typeText(variable.type),
        effects: [],
      });
    }
  }
  for (const variable of added) {
    if (moved.has(variable)) continue;
    changes.push({
      kind: 'added',
      variable: variable.name,
      new: typeText(variable.type),
      effects: [],
    });
  }
  return { changes, unknown };
}

const isUnknown = ({ kind }: StorageType): boolean => kind === 'unknown';

/** Whether two variables at different slots are likely the same one: equal types, and names that end alike. */
function isMoved(variable: Variable, other: Variable): boolean {
  if (typeText(variable.type) !== typeText(other.type)) return false;
  const [first, second] = [variable.name, other.name].map((name) => name.toLowerCase());
  return first === second || lastWord(first) === lastWord(second);
}

/** `ERC20_balances` → `balances` */
const lastWord = (name = ''): string => name.replace(/^.*_(?=[a-z0-9]{3,}$)/, '');

function typeChange(variable: Variable, other: Variable): readonly LayoutChange[] {
  const [old, now] = [typeText(variable.type), typeText(other.type)];
  if (old === now) return [];
  const effects = effectsOf(variable.type, other.type, variable.name);
  const kind = effects.length > 0 ? 'changed' : 'compatible';
  return [{ kind, variable: variable.name, old, new: now, effects }];
}

/** How stored values of one type are read by another. */
function effectsOf(old: StorageType, now: StorageType, name: string): readonly string[] {
  if (old.kind === 'unknown' || now.kind === 'unknown') return [];
  if (old.kind === 'cells' && now.kind === 'cells') {
    return cellEffects(old.cells, now.cells, name);
  }
  if (old.kind === 'map' && now.kind === 'map') {
    if (!areKeysEqual(old.keys, now.keys)) {
      return [`entries of ${name} are at other slots: stored entries are not read`];
    }
    return effectsOf(old.of, now.of, `${name}[…]`);
  }
  if (old.kind === 'vector' && now.kind === 'vector') {
    return effectsOf(old.of, now.of, `${name}[…]`);
  }
  if (old.kind === 'node' && now.kind === 'node') {
    return old.members.flatMap(({ name: member, hashed, of }) => {
      const other = now.members.find((candidate) => candidate.hashed === hashed);
      return other ? effectsOf(of, other.of, `${name}.${member}`) : [];
    });
  }
  return [`${name} has another structure: stored values are not read`];
}

function cellEffects(old: readonly Cell[], now: readonly Cell[], name: string): readonly string[] {
  return now.flatMap((cell, offset) => {
    const before = old[offset];
    const subject = `${name}${memberText(cell)}`;
    if (!before) {
      // A new member begins as zero.
      const isStored = old.some((stored) => memberText(stored) === memberText(cell));
      return isStored && !isUpperHalf(cell)
        ? [`${subject} is read from a slot that ${name} does not use`]
        : [];
    }
    if (memberText(before) !== memberText(cell)) {
      return [`${subject} reads ${name}${memberText(before)}`];
    }
    return fits(before, cell) ? [] : [`${subject} reads ${cellText(before)} as ${cellText(cell)}`];
  });
}

const isUpperHalf = ({ part }: Cell): boolean => part === 'high';

const memberText = ({ members }: Cell): string => members.map((member) => `.${member}`).join('');

/** Whether every stored value is read as it was written. */
function fits(before: Cell, after: Cell): boolean {
  if (before.part === 'length' || after.part === 'length') return before.part === after.part;
  const [old, now] = [bitsOf(before), bitsOf(after)];
  if (old === undefined || now === undefined) return before.type === after.type;
  return old <= now;
}

/** Bits of the values of a slot; signed integers only fit themselves. */
function bitsOf({ type, part, fields }: Cell): number | undefined {
  if (fields) return undefined;
  if (part === 'low' || part === 'high') return 128;
  if (type === 'bool') return 1;
  const [, digits] = /^u(\d+)$/.exec(type ?? '') ?? [];
  if (digits !== undefined) return Number(digits);
  if (type === 'EthAddress') return 160;
  if (type === 'bytes31') return 248;
  return FELTS.has(type ?? '') ? 251 : undefined;
}

const FELTS: ReadonlySet<string> = new Set(['felt252', 'felt', 'ContractAddress', 'ClassHash']);

/** Keys with the same felts lead to the same slots, whatever their types. */
function areKeysEqual(old: readonly KeyUnit[], now: readonly KeyUnit[]): boolean {
  const feltCount = (keys: readonly KeyUnit[]): number =>
    keys.reduce((sum, { kind }) => sum + (kind === 'u256' ? 2 : 1), 0);
  return feltCount(old) === feltCount(now) && old.length === now.length;
}

/** `Map<ContractAddress, u256>` */
export function typeText(type: StorageType): string {
  switch (type.kind) {
    case 'unknown':
      return '?';
    case 'map': {
      const keys = type.keys.map((key) => key.type).join(', ');
      return `Map<${type.keys.length === 1 ? keys : `(${keys})`}, ${typeText(type.of)}>`;
    }
    case 'vector':
      return `Vec<${typeText(type.of)}>`;
    case 'node':
      return `{ ${type.members.map(({ name, of }) => `${name}: ${typeText(of)}`).join(', ')} }`;
    case 'cells':
      return cellsText(type.cells);
  }
}

function cellsText(cells: readonly Cell[]): string {
  const shown = cells.filter((cell) => !isUpperHalf(cell));
  const [first] = shown;
  if (shown.length === 1 && first && first.members.length === 0) return cellText(first);
  const members = shown.map((cell) => `${cell.members.join('.')}: ${cellText(cell)}`);
  return `{ ${members.join(', ')} }`;
}

const cellText = ({ type = '?', fields }: Cell): string =>
  fields ? `${type} packed as ${fields.map(({ name }) => name).join(', ')}` : type;
