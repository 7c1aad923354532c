// Which frames of a call tree are open, and which are therefore visible.
import type { CallTree, Frame } from '@starkbox/abi';

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
