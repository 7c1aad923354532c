// Layout of a gas graph.
import { type GasBlock, total } from './tree.js';

export interface Box {
  /** Undefined for several blocks that are too small to draw. */
  readonly block: GasBlock | undefined;
  readonly parent: GasBlock | undefined;
  readonly x: number;
  readonly width: number;
  readonly depth: number;
  readonly gas: number;
  /** Number of blocks in this rectangle. */
  readonly count: number;
  /** Position among its siblings, and their number. */
  readonly position: number;
  readonly of: number;
}

const SMALLEST = 1;

/**
 * Children are placed from the left; the rest of the width is the block's own gas. Gas of old contracts is
 * rounded and may add up to more than the parent has; the children then share its width.
 */
export function layOut(root: GasBlock, width: number): readonly Box[] {
  const boxes: Box[] = [];
  const put = (
    block: GasBlock,
    parent: GasBlock | undefined,
    x: number,
    room: number,
    depth: number,
    order: readonly [number, number],
  ): void => {
    boxes.push({
      block,
      parent,
      x,
      width: room,
      depth,
      gas: block.gas,
      count: 1,
      position: order[0],
      of: order[1],
    });
    const whole = Math.max(block.gas, positive(block.children));
    if (whole <= 0) return;
    const scale = room / whole;
    let at = x;
    let small: { x: number; gas: number; count: number } | undefined;
    const flush = (next: number): void => {
      if (small && small.gas * scale >= SMALLEST) {
        boxes.push({
          block: undefined,
          parent: block,
          x: small.x,
          width: next - small.x,
          depth: depth + 1,
          gas: small.gas,
          count: small.count,
          position: 0,
          of: 0,
        });
      }
      small = undefined;
    };
    block.children.forEach((child, index) => {
      const size = Math.max(0, child.gas) * scale;
      if (size < SMALLEST) {
        small ??= { x: at, gas: 0, count: 0 };
        small.gas += Math.max(0, child.gas);
        small.count += sizeOf(child);
      } else {
        flush(at);
        put(child, block, at, size, depth + 1, [index + 1, block.children.length]);
      }
      at += size;
    });
    flush(at);
  };
  put(root, undefined, 0, width, 0, [1, 1]);
  return boxes;
}

function positive(blocks: readonly GasBlock[]): number {
  return total(blocks.filter(({ gas }) => gas > 0));
}

function sizeOf(block: GasBlock): number {
  return block.children.reduce((sum, child) => sum + sizeOf(child), 1);
}

export function depthOf(boxes: readonly Box[]): number {
  return boxes.reduce((most, { depth }) => Math.max(most, depth + 1), 1);
}
