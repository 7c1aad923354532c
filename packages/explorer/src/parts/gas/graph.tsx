// Gas graph: blocks on a canvas, with an accessible tree for keyboard and screen readers.
import {
  ALL,
  type Box,
  depthOf,
  type GasBlock,
  layOut,
  MEASURE_NAMES,
  type Measure,
} from '@starkbox/abi/internal';
import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { grouped } from '../../format/amount.js';
import { isShortcut } from '../../navigation/key-events.js';
import { huesOf } from '../marks.js';
import { useWidth } from '../use-width.js';
import { paint, ROW, type Scene } from './paint.js';

/** Most blocks in the accessible tree; the table lists all. */
const MAX_ITEMS = 250;

export interface GraphProps {
  readonly root: GasBlock;
  readonly focus: GasBlock;
  readonly measure: Measure;
  /** Whether the graph grows upwards. */
  readonly isFlame: boolean;
  readonly nameOf: (block: GasBlock) => string;
  readonly shortNameOf: (block: GasBlock) => string;
  /** Whether a block matches the search; undefined without a search. */
  readonly isFound: ((block: GasBlock) => boolean) | undefined;
  readonly onFocus: (block: GasBlock) => void;
  /** Undefined where blocks are sums of several calls. */
  readonly onOpen: ((block: GasBlock) => void) | undefined;
}

/** Increases with every change of theme, because a canvas does not follow it. */
function useTheme(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const observer = new MutationObserver(() => setChanges((count) => count + 1));
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => observer.disconnect();
  }, []);
  return changes;
}

export function Graph(props: GraphProps) {
  const { root, focus, isFlame, nameOf, shortNameOf, isFound } = props;
  const [frame, width] = useWidth();
  const canvas = useRef<HTMLCanvasElement>(null);
  const tree = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(focus.id);

  const boxes = useMemo(() => layOut(focus, width), [focus, width]);
  const height = depthOf(boxes) * ROW;
  // Of the whole graph, so that a focus changes no colour.
  const hues = useMemo(() => huesOf(contractsIn(root)), [root]);
  const topOf = ({ depth }: Box): number => (isFlame ? height - (depth + 1) * ROW : depth * ROW);
  const items = useMemo(() => walkable(boxes), [boxes]);
  const current = items.find(({ block }) => block?.id === active) ?? items[0];
  const [hovered, handlers] = usePointer({ graph: props, boxes, height, activate: setActive });
  usePainting(canvas, {
    boxes,
    width,
    height,
    isFlame,
    nameOf,
    shortNameOf,
    hues,
    isFound,
    hovered,
  });

  const goTo = (box: Box | undefined): void => {
    if (!box?.block) return;
    const { id } = box.block;
    setActive(id);
    requestAnimationFrame(() =>
      tree.current?.querySelector<HTMLElement>(`[data-block="${id}"]`)?.focus(),
    );
  };
  const press = (event: KeyboardEvent): void => {
    if (event.metaKey || event.ctrlKey || event.altKey || !current) return;
    const act = keyAction(event, { items, current, goTo }, props);
    if (!act) return;
    event.preventDefault();
    act();
  };

  const described = hovered ?? current;
  return (
    <div className="gas-graph">
      <div ref={frame} className="gas-scroll">
        <div className="gas-canvas" style={{ height }} {...handlers}>
          <canvas ref={canvas} aria-hidden="true" />
          <BlockTree
            graph={props}
            hold={tree}
            items={items}
            current={current}
            topOf={topOf}
            activate={setActive}
            press={press}
          />
        </div>
      </div>
      <p className="gas-caption" aria-hidden="true">
        {described && describe(described, focus, root, nameOf)}
      </p>
    </div>
  );
}

interface Pointer {
  readonly graph: GraphProps;
  readonly boxes: readonly Box[];
  readonly height: number;
  readonly activate: (id: string) => void;
}

/** The box under the pointer, and handlers for the canvas; the tree above it has the keys. */
function usePointer({ graph, boxes, height, activate }: Pointer) {
  const { isFlame, onFocus, onOpen } = graph;
  const [hovered, setHovered] = useState<Box | undefined>();
  const lastClicked = useRef<GasBlock | undefined>(undefined);
  const at = (event: MouseEvent): Box | undefined => {
    const rect = event.currentTarget.getBoundingClientRect();
    const x = event.clientX - rect.left;
    const row = Math.floor((event.clientY - rect.top) / ROW);
    const depth = isFlame ? height / ROW - 1 - row : row;
    return boxes.find((box) => box.depth === depth && x >= box.x && x < box.x + box.width);
  };
  const handlers = {
    onMouseMove: (event: MouseEvent): void => setHovered(at(event)),
    onMouseLeave: (): void => setHovered(undefined),
    onClick: (event: MouseEvent): void => {
      const block = at(event)?.block;
      if (!block) return;
      // A double click reaches the block that is drawn after the first one.
      if (event.detail === 1) lastClicked.current = block;
      activate(block.id);
      onFocus(block);
    },
    onDoubleClick: (): void => {
      if (lastClicked.current) onOpen?.(lastClicked.current);
    },
  };
  return [hovered, handlers] as const;
}

function usePainting(canvas: RefObject<HTMLCanvasElement | null>, scene: Scene): void {
  const theme = useTheme();
  const { boxes, width, height, isFlame, nameOf, shortNameOf, hues, isFound, hovered } = scene;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new theme has new colours
  useEffect(() => {
    if (canvas.current && width > 0) paint(canvas.current, scene);
  }, [canvas, boxes, width, height, isFlame, nameOf, shortNameOf, hues, isFound, hovered, theme]);
}

interface Walk {
  readonly items: readonly Box[];
  readonly current: Box;
  readonly goTo: (box: Box | undefined) => void;
}

/** What a key does in the tree; undefined for keys that do nothing there. */
function keyAction(
  event: KeyboardEvent,
  { items, current, goTo }: Walk,
  { root, focus, onFocus, onOpen }: GraphProps,
): (() => void) | undefined {
  const { block, parent } = current;
  if (!block) return undefined;
  const index = items.indexOf(current);
  const keys: Record<string, () => void> = {
    ArrowDown: () => goTo(items[index + 1]),
    ArrowUp: () => goTo(items[index - 1]),
    ArrowRight: () => goTo(items.find((item) => item.parent === block)),
    ArrowLeft: () => goTo(items.find((item) => item.block === parent)),
    Home: () => goTo(items[0]),
    End: () => goTo(items.at(-1)),
    Enter: () => onFocus(block),
    ' ': () => onFocus(block),
    Backspace: () => onFocus(parentOf(root, focus) ?? root),
    o: () => {
      if (isShortcut(event)) onOpen?.(block);
    },
  };
  return keys[event.key];
}

interface BlockTreeProps {
  readonly graph: GraphProps;
  readonly hold: RefObject<HTMLDivElement | null>;
  readonly items: readonly Box[];
  readonly current: Box | undefined;
  readonly topOf: (box: Box) => number;
  readonly activate: (id: string) => void;
  readonly press: (event: KeyboardEvent) => void;
}

/** Invisible items over the canvas, which the keyboard and screen readers reach. */
function BlockTree({ graph, hold, items, current, topOf, activate, press }: BlockTreeProps) {
  const { root, focus, measure, nameOf } = graph;
  return (
    <div
      ref={hold}
      role="tree"
      aria-label={`Blocks of ${MEASURE_NAMES[measure]}`}
      onKeyDown={press}
    >
      {items.map((box) => {
        const { block } = box;
        if (!block) return null;
        return (
          <div
            key={block.id}
            role="treeitem"
            data-block={block.id}
            tabIndex={box === current ? 0 : -1}
            aria-level={box.depth + 1}
            aria-posinset={box.position}
            aria-setsize={box.of}
            aria-selected={block.id === focus.id}
            aria-label={describe(box, focus, root, nameOf)}
            style={{ left: box.x, top: topOf(box), width: box.width, height: ROW }}
            onFocus={() => activate(block.id)}
          />
        );
      })}
    </div>
  );
}

function contractsIn(root: GasBlock): ReadonlySet<string> {
  const contracts = new Set<string>();
  const visit = ({ called, children }: GasBlock): void => {
    if (called) contracts.add(called.contract);
    children.forEach(visit);
  };
  visit(root);
  return contracts;
}

/** The largest blocks with their ancestors, in reading order. */
function walkable(boxes: readonly Box[]): readonly Box[] {
  const labelled = boxes.filter(({ block }) => block !== undefined);
  if (labelled.length <= MAX_ITEMS) return labelled;
  const sizes = labelled.map(({ width }) => width).sort((a, b) => b - a);
  const least = sizes[MAX_ITEMS - 1] ?? 0;
  return labelled.filter(({ width }) => width >= least).slice(0, MAX_ITEMS * 2);
}

function parentOf(root: GasBlock, of: GasBlock): GasBlock | undefined {
  if (root.children.includes(of)) return root;
  for (const child of root.children) {
    const parent = parentOf(child, of);
    if (parent) return parent;
  }
  return undefined;
}

function describe(
  box: Box,
  focus: GasBlock,
  root: GasBlock,
  nameOf: (block: GasBlock) => string,
): string {
  const { block, parent, gas, count } = box;
  const parts = [
    block ? nameOf(block) : `${grouped(count)} small frames`,
    grouped(gas),
    ...(block && block.children.length > 0 && block.id !== ALL
      ? [`self ${grouped(block.self)}`]
      : []),
    ...(block && block.calls > 1 && block.called ? [`${grouped(block.calls)} calls`] : []),
    ...(block !== root ? [`${percent(gas, root.gas)} of ${nameOf(root)}`] : []),
    ...(parent && parent !== root ? [`${percent(gas, parent.gas)} of ${nameOf(parent)}`] : []),
  ];
  return parts.join(' · ') + (block === focus && focus !== root ? ' · in focus' : '');
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((part / whole) * 100).toFixed(1)} %`;
}
