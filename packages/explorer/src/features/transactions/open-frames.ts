// Which frames of a call tree are open, and which are therefore visible.
import type { CallTree, Frame, Names } from '@starkbox/abi';
import { functionName } from '../../format/names.js';

/** Frames whose contract or function name contains the text, with their ancestors. */
export function matchingFrames(
  roots: readonly Frame[],
  letters: string,
  names: Names,
): { readonly found: ReadonlySet<string>; readonly kept: ReadonlySet<string> } {
  const found = new Set<string>();
  const kept = new Set<string>();
  const visit = (frame: Frame): boolean => {
    const name = `${names.get(frame.contract) ?? frame.contract}.${functionName(frame.selector) ?? frame.selector}`;
    const isOne = name.toLowerCase().includes(letters);
    if (isOne) found.add(frame.id);
    const leads = frame.children.map(visit).some(Boolean);
    if (isOne || leads) kept.add(frame.id);
    return isOne || leads;
  };
  roots.forEach(visit);
  return { found, kept };
}

/** Ancestors of a frame. */
export function waysTo(id: string): readonly string[] {
  const parts = id.split('.');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('.'));
}

/** Adds a frame and all inside of it. */
export function withInner(frame: Frame, into: Set<string>): Set<string> {
  into.add(frame.id);
  for (const child of frame.children) withInner(child, into);
  return into;
}

/** The visible frames in order, given the ids of the open ones. */
export function visibleFrames(
  roots: readonly Frame[],
  open: ReadonlySet<string>,
): readonly Frame[] {
  const shown: Frame[] = [];
  const visit = (frame: Frame): void => {
    shown.push(frame);
    if (open.has(frame.id)) frame.children.forEach(visit);
  };
  roots.forEach(visit);
  return shown;
}

/** Open at first: the path to the failure, or the execution two levels deep. */
export function firstOpen(tree: CallTree): Set<string> {
  const open = new Set<string>();
  const visit = (frame: Frame): void => {
    const wanted =
      frame.failed || ((frame.phase === 'execute' || frame.phase === 'handler') && frame.depth < 2);
    if (wanted) open.add(frame.id);
    frame.children.forEach(visit);
  };
  tree.roots.forEach(visit);
  return open;
}
