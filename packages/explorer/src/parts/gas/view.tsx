// Gas as graph, inverted graph or table, with search and zoom.
import {
  ALL,
  type FunctionCost,
  findBlock,
  type GasBlock,
  type Grouping,
  MEASURE_NAMES,
  MEASURES,
  type Measure,
  OUTSIDE,
  wayTo,
} from '@starkbox/abi/internal';
import { type ReactNode, useCallback, useDeferredValue, useMemo } from 'react';
import { grouped } from '../../format/amount.js';
import { useNames } from '../../format/names.js';
import { setQuery, useRoute } from '../../navigation/route.js';
import { PlainButton } from '../button.js';
import { Choice, Select } from '../inputs.js';
import { Integer } from '../number.js';
import { FunctionTable } from './function-table.js';
import { Graph, percent } from './graph.js';
import { blockNamer, calledName, shortBlockName } from './names.js';

const VIEWS = ['icicle', 'flame', 'table'] as const;
type View = (typeof VIEWS)[number];
const VIEW_NAMES: Readonly<Record<View, string>> = {
  icicle: 'Icicle',
  flame: 'Flame',
  table: 'Table',
};

/** @param usual where nothing was chosen */
export function useMeasure(usual: Measure = 'l2_gas'): Measure {
  const by = useRoute().query.get('by');
  return MEASURES.find((measure) => measure === by) ?? usual;
}

/** As at the start of a line. */
const titleOf = (measure: Measure): string =>
  MEASURE_NAMES[measure].charAt(0).toUpperCase() + MEASURE_NAMES[measure].slice(1);

interface GasViewProps {
  readonly root: GasBlock;
  readonly functions: readonly FunctionCost[];
  readonly measure: Measure;
  readonly grouping?: Grouping;
  /** Names of the total and of gas outside of all calls. */
  readonly whole: string;
  readonly outside: string;
  readonly onOpen?: (block: GasBlock) => void;
  /** Baseline to compare with. */
  readonly before?: ReadonlyMap<string, number> | undefined;
  /** Whether functions have enough calls for minimum, median and maximum. */
  readonly isSummed?: boolean;
  /** Number of classes read; each adds function names. */
  readonly classCount: number;
  /** Controls of the page, on the line with the others. */
  readonly tools?: ReactNode;
}

export function GasView(props: GasViewProps) {
  const { root, functions, measure, grouping = 'contract', outside } = props;
  const { query } = useRoute();
  const view = VIEWS.find((name) => name === query.get('view')) ?? 'icicle';
  const names = useNames();
  const find = query.get('find') ?? '';
  const search = useDeferredValue(find.trim().toLowerCase());
  const isFound = useMemo(
    () =>
      search === ''
        ? undefined
        : (block: GasBlock) =>
            block.called !== undefined &&
            calledName(block.called, names, grouping).toLowerCase().includes(search),
    [search, names, grouping],
  );
  const matches = useMemo(() => (isFound ? sumFound(root, isFound) : undefined), [root, isFound]);
  const rows = useMemo(
    () =>
      search === ''
        ? functions
        : functions.filter(({ called }) =>
            calledName(called, names, grouping).toLowerCase().includes(search),
          ),
    [functions, search, names, grouping],
  );

  const split = useMemo(() => splitOf(root), [root]);
  return (
    <section aria-label="Gas">
      <div className="filters gas-tools">
        <strong>Total {grouped(root.gas)}</strong>
        <ViewFields measure={measure} view={view} find={find} tools={props.tools} />
        {matches && (
          <span role="status">
            {grouped(matches.count)} found, {grouped(matches.gas)} gas,{' '}
            {percent(matches.gas, root.gas)}
          </span>
        )}
      </div>
      {split && <Split of={split} total={root.gas} outside={outside} />}
      {view === 'table' ? (
        <FunctionTable
          rows={rows}
          total={root.gas}
          outside={split ? undefined : root.children.find(({ id }) => id === OUTSIDE)?.gas}
          outsideName={outside}
          grouping={grouping}
          isSummed={props.isSummed ?? false}
          before={props.before}
        />
      ) : (
        <GraphView
          props={split ? { ...props, root: split.calls } : props}
          isFlame={view === 'flame'}
          isFound={isFound}
        />
      )}
    </section>
  );
}

/** The calls apart from the gas outside of them, which would leave little room for functions. */
interface GasSplit {
  readonly calls: GasBlock;
  readonly outside: number;
}

function splitOf(root: GasBlock): GasSplit | undefined {
  const outside = root.children.find(({ id }) => id === OUTSIDE);
  const children = root.children.filter((block) => block !== outside);
  const gas = children.reduce((sum, block) => sum + block.gas, 0);
  if (!outside || outside.gas <= 0 || gas <= 0) return undefined;
  return { calls: { ...root, gas, children }, outside: outside.gas };
}

interface SplitProps {
  readonly of: GasSplit;
  readonly total: number;
  /** Name of the gas outside of all calls. */
  readonly outside: string;
}

/** How much of the gas the graph shows. */
function Split({ of: { calls, outside }, total, outside: name }: SplitProps) {
  const share = (100 * calls.gas) / total;
  return (
    <div className="gas-split">
      <div className="gas-split-bar" aria-hidden="true">
        <span style={{ width: `${share}%` }} />
      </div>
      <dl>
        <div>
          <dt>Calls, shown below</dt>
          <dd>
            <Integer of={calls.gas} /> <span className="soft">{percent(calls.gas, total)}</span>
          </dd>
        </div>
        <div>
          <dt>{name.charAt(0).toUpperCase() + name.slice(1)}</dt>
          <dd>
            <Integer of={outside} /> <span className="soft">{percent(outside, total)}</span>
          </dd>
        </div>
      </dl>
    </div>
  );
}

interface ViewFieldsProps {
  readonly measure: Measure;
  readonly view: View;
  readonly find: string;
  readonly tools: ReactNode;
}

function ViewFields({ measure, view, find, tools }: ViewFieldsProps) {
  return (
    <>
      <Select label="by" value={measure} change={(text) => setQuery({ by: text })}>
        {MEASURES.map((option) => (
          <option key={option} value={option}>
            {titleOf(option)}
          </option>
        ))}
      </Select>
      <Choice
        label="View"
        options={VIEWS.map((name) => [name, VIEW_NAMES[name]] as const)}
        value={view}
        change={(name) => setQuery({ view: name === 'icicle' ? undefined : name })}
      />
      {tools}
      <input
        type="search"
        aria-label="Find a function"
        placeholder="Find a function"
        value={find}
        onChange={({ target }) => setQuery({ find: target.value || undefined })}
      />
    </>
  );
}

interface GraphViewProps {
  readonly props: GasViewProps;
  readonly isFlame: boolean;
  readonly isFound: ((block: GasBlock) => boolean) | undefined;
}

function GraphView({ props, isFlame, isFound }: GraphViewProps) {
  const { root, measure, grouping = 'contract', whole, outside, onOpen } = props;
  const names = useNames();
  // biome-ignore lint/correctness/useExhaustiveDependencies: function names come from classes
  const nameOf = useMemo(
    () => blockNamer(names, { whole, outside, grouping }),
    [names, whole, outside, grouping, props.classCount],
  );
  const shortNameOf = useCallback(
    (block: GasBlock) => shortBlockName(block, names, grouping),
    [names, grouping],
  );
  const focus = findBlock(root, useRoute().query.get('focus') ?? ALL) ?? root;
  const focusOn = (block: GasBlock): void =>
    setQuery({ focus: block === root ? undefined : block.id });
  return (
    <>
      {focus !== root && (
        <nav className="gas-way" aria-label="Focus">
          {wayTo(root, focus.id).map((block, at, all) => (
            <span key={block.id}>
              {at > 0 && ' › '}
              {at === all.length - 1 ? (
                <span aria-current="true">{nameOf(block)}</span>
              ) : (
                <PlainButton onClick={() => focusOn(block)}>{nameOf(block)}</PlainButton>
              )}
            </span>
          ))}
        </nav>
      )}
      {root.gas > 0 ? (
        <Graph
          root={root}
          focus={focus}
          measure={measure}
          isFlame={isFlame}
          nameOf={nameOf}
          shortNameOf={shortNameOf}
          isFound={isFound}
          onFocus={focusOn}
          onOpen={onOpen}
        />
      ) : (
        <p className="empty">No {MEASURE_NAMES[measure]} was used.</p>
      )}
      {measure === 'l1_data_gas' && root.gas > 0 && (
        <p className="quiet">
          Data gas is paid for what changed in the state. The trace does not say which call changed
          how much.
        </p>
      )}
    </>
  );
}

/** Blocks inside of other matches are not counted again. */
function sumFound(
  root: GasBlock,
  isFound: (block: GasBlock) => boolean,
): { readonly count: number; readonly gas: number } {
  let count = 0;
  let gas = 0;
  const visit = (block: GasBlock, isInside: boolean): void => {
    const isOne = isFound(block);
    if (isOne) {
      count += block.calls;
      if (!isInside) gas += block.gas;
    }
    for (const child of block.children) visit(child, isInside || isOne);
  };
  visit(root, false);
  return { count, gas };
}
