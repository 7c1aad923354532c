// Painting of a gas graph: colours by contract, labels where they fit.
import { ALL, type Box, type GasBlock } from '@starkbox/abi/internal';
import { grouped } from '../../format/amount.js';

/** Height of a block, large enough to tap. */
export const ROW = 24;
const LEAST_FOR_TEXT = 40;

export interface Scene {
  readonly boxes: readonly Box[];
  readonly width: number;
  readonly height: number;
  readonly isFlame: boolean;
  readonly nameOf: (block: GasBlock) => string;
  /** Shorter than the name, for blocks in which that has no room. */
  readonly shortNameOf: (block: GasBlock) => string;
  /** By contract. */
  readonly hues: ReadonlyMap<string, number>;
  readonly isFound: ((block: GasBlock) => boolean) | undefined;
  readonly hovered: Box | undefined;
}

export function paint(canvas: HTMLCanvasElement, scene: Scene): void {
  const { boxes, width, height, isFlame, nameOf, shortNameOf, hues, isFound, hovered } = scene;
  const context = canvas.getContext('2d');
  if (!context) return;
  const density = devicePixelRatio || 1;
  canvas.width = Math.round(width * density);
  canvas.height = Math.round(height * density);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  context.scale(density, density);
  const style = getComputedStyle(document.documentElement);
  const token = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  context.fillStyle = token('surface');
  context.fillRect(0, 0, width, height);
  context.textBaseline = 'middle';
  const font = getComputedStyle(document.body).fontFamily;

  for (const box of boxes) {
    const { block } = box;
    const top = isFlame ? height - (box.depth + 1) * ROW : box.depth * ROW;
    const isDimmed = isFound !== undefined && !(block && isFound(block));
    const called = block?.called;
    const ground = isDimmed
      ? token('sunken')
      : called
        ? token(`mark-${hues.get(called.contract) ?? 0}`)
        : block?.id === ALL
          ? token('selected')
          : token('hover');
    context.fillStyle = ground;
    // A gap separates adjacent blocks, unless the block is too narrow.
    const gap = box.width > 3 ? 1 : 0;
    context.fillRect(box.x, top, Math.max(1, box.width - gap), ROW - 1);
    if (box === hovered) {
      context.strokeStyle = token('text');
      context.lineWidth = 2;
      context.strokeRect(box.x + 1, top + 1, Math.max(0, box.width - 2 - gap), ROW - 3);
    }
    if (box.width < LEAST_FOR_TEXT) continue;
    const ink = isDimmed ? token('text-3') : called ? token('on-accent') : token('text');
    const words = block
      ? [`${nameOf(block)} ${grouped(block.gas)}`, nameOf(block), shortNameOf(block)]
      : [`${grouped(box.count)} small frames`];
    write(context, words, { box, top, ink, font });
    if (block?.called && block.self > 0 && block.children.length > 0) {
      own(context, { box, block, height, isFlame, top, ink: token('text-3'), font });
    }
  }
}

interface Words {
  readonly box: Pick<Box, 'x' | 'width'>;
  readonly top: number;
  readonly ink: string;
  readonly font: string;
}

/** Writes the first label that fits, or else cuts the last one. */
function write(context: CanvasRenderingContext2D, ways: readonly string[], how: Words): void {
  context.font = `12px ${how.font}`;
  context.fillStyle = how.ink;
  const room = how.box.width - 12;
  const texts = ways.filter((way) => way !== '');
  let label = texts.find((way) => context.measureText(way).width <= room) ?? texts.at(-1) ?? '';
  if (context.measureText(label).width > room) {
    let fits = Math.floor((label.length * room) / context.measureText(label).width);
    while (fits > 0 && context.measureText(`${label.slice(0, fits)}…`).width > room) fits--;
    label = fits > 1 ? `${label.slice(0, fits)}…` : '';
  }
  context.fillText(label, how.box.x + 6, how.top + ROW / 2);
}

/** Own gas of a block, in the gap that its children leave. */
function own(
  context: CanvasRenderingContext2D,
  how: Words & { box: Box; block: GasBlock; height: number; isFlame: boolean },
): void {
  const { box, block } = how;
  const width = (block.self / Math.max(1, block.gas)) * box.width;
  const words = `self ${grouped(block.self)}`;
  context.font = `12px ${how.font}`;
  if (context.measureText(words).width + 12 > width) return;
  const top = how.isFlame ? how.top - ROW : how.top + ROW;
  write(context, [words], { ...how, top, box: { x: box.x + box.width - width, width } });
}
