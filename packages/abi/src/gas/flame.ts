// Flame graph of a gas report: as SVG, and as collapsed stacks.
import { depthOf, layOut } from './layout.js';
import type { GasReport } from './report.js';
import { keyOf } from './sum.js';
import { rowNames } from './text.js';
import { ALL, type GasBlock } from './tree.js';

/** Names of the blocks of a report. */
function namer(report: GasReport): (block: GasBlock) => string {
  const { rows } = report.page();
  const unique = rowNames(rows);
  const names = new Map(
    rows.flatMap((row, at) => {
      if (row.kind !== 'function' || row.selector === undefined) return [];
      const { contract_address: contract = '0x0', class_hash: classHash = '0x0', selector } = row;
      const kind = row.is_library_call ? 'DELEGATE' : 'CALL';
      return [
        [keyOf({ contract, classHash, selector, kind }, report.grouping), unique[at] ?? selector],
      ];
    }),
  );
  return ({ id, called, phase }) => {
    if (!called) return id === ALL ? 'all transactions' : 'outside of calls';
    const name = names.get(keyOf(called, report.grouping)) ?? called.selector;
    return phase === undefined ? name : `${phase} ${name}`;
  };
}

/** One line for each stack: names from the outermost call, separated by semicolons, and the cost of its own. */
export function collapseStacks(report: GasReport, resource: string): string {
  const nameOf = namer(report);
  const lines: string[] = [];
  const visit = (block: GasBlock, above: readonly string[]): void => {
    const names = block.id === ALL ? above : [...above, nameOf(block).replaceAll(';', ',')];
    if (block.self > 0) lines.push(`${names.join(';')} ${block.self}\n`);
    for (const child of block.children) visit(child, names);
  };
  const root = report.of(resource).tree.tree();
  if (root) visit(root, []);
  return lines.join('');
}

const WIDTH = 1200;
const ROW = 18;
const LETTER = 7;
const MARGIN = 10;
const TITLE = 30;

/** Boxes show name and cost when the pointer is on them. */
export function flameSvg(report: GasReport, resource: string, title: string): string {
  const nameOf = namer(report);
  const root = report.of(resource).tree.tree();
  const boxes = root ? layOut(root, WIDTH) : [];
  const height = depthOf(boxes) * ROW + TITLE + MARGIN;
  const drawn = boxes.map(({ block, x, width, depth, gas, count }) => {
    const name = block ? nameOf(block) : `${count} small calls`;
    const share = root && root.gas > 0 ? ` (${((gas / root.gas) * 100).toFixed(1)} %)` : '';
    const top = height - MARGIN - (depth + 1) * ROW;
    const fits = Math.floor((width - 6) / LETTER);
    const label = name.length <= fits ? name : fits > 3 ? `${name.slice(0, fits - 1)}…` : '';
    const colour = hue(block?.called?.contract ?? '0x0', block?.called?.classHash ?? name);
    return [
      `<g><title>${escapeName(`${name}: ${gas}${share}`)}</title>`,
      `<rect x="${(x + MARGIN).toFixed(2)}" y="${top}" width="${Math.max(0.5, width - 0.5).toFixed(2)}" height="${ROW - 1}" fill="hsl(${colour} 60% 75%)"/>`,
      label === ''
        ? ''
        : `<text x="${(x + MARGIN + 3).toFixed(2)}" y="${top + 13}">${escapeName(label)}</text>`,
      '</g>',
    ].join('');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH + 2 * MARGIN}" height="${height}" viewBox="0 0 ${WIDTH + 2 * MARGIN} ${height}" font-family="monospace" font-size="12">
<rect width="100%" height="100%" fill="white"/>
<text x="${MARGIN}" y="20">${escapeName(title)}</text>
${drawn.join('\n')}
</svg>
`;
}

/** The same for all functions of a contract. */
function hue(contract: string, classHash: string): number {
  let mixed = 7;
  for (const letter of `${contract} ${classHash}`) {
    mixed = (mixed * 31 + (letter.codePointAt(0) ?? 0)) % 360;
  }
  return mixed;
}

function escapeName(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.codePointAt(0)};`);
}
