// The debugger of one execution as the page shows it: moves run one after the other, and each ends with a view.
import type {
  Debugger,
  Direction,
  RunOptions,
  Scope,
  StackFrame,
  Stop,
  StopReason,
  StorageEntry,
  Variable,
} from '@starkbox/debugger';
import type { DEBUG_ACTION } from '@starkbox/spec';
import { createStore, type Store } from '../../state/store.js';
import { breakpoints } from './breakpoints.js';

/** Innermost frames that each stop reads; the others are read on request. */
const FIRST_FRAMES = 60;
const MORE_FRAMES = 500;
/** Members of an opened variable, and how many a request adds. */
const FIRST_MEMBERS = 50;
const MORE_MEMBERS = 200;
/** Texts of variables to compare with, before all are dropped. */
const MAX_TEXTS = 20_000;

/** The stack at a position, which a drag of the timeline shows too. */
export interface Stack {
  readonly position: number;
  readonly frames: readonly StackFrame[];
  readonly frameCount: number;
  /** The innermost frame of a contract's source; the core library is above it. */
  readonly innermost: number;
}

/** A variable or a part of one, in the order of the rows. */
export interface VariableRow {
  /** The names from the frame on. */
  readonly path: string;
  readonly depth: number;
  readonly name: string;
  readonly type: string;
  readonly text: string;
  readonly isParameter: boolean;
  readonly isParent: boolean;
  readonly isOpen: boolean;
  /** Whether the text was another one at the last stop in this frame. */
  readonly isChanged: boolean;
  /** Members after this row that are not read yet. */
  readonly unread?: { readonly path: string; readonly count: number };
}

/** Everything else at a position. */
export interface Details {
  readonly position: number;
  readonly reason: StopReason;
  readonly frameIndex: number;
  readonly variables: readonly VariableRow[];
  readonly scope: Scope;
  /** Whether the variables are arguments of the call, because the frame has none. */
  readonly isOfCall: boolean;
  readonly storage: readonly StorageEntry[];
  /** Slots with another value than at the last stop, as `contract key`. */
  readonly changedSlots: ReadonlySet<string>;
  readonly gas: number | undefined;
  readonly action: DEBUG_ACTION | undefined;
}

/** How the address of the page follows a move. */
export type Trail = 'jump' | 'step' | 'drag' | 'none';

export type MarkKind = NonNullable<RunOptions['until']>[number];

interface Task {
  readonly run: () => Promise<void>;
  /** A later drag replaces an earlier one that has not begun. */
  readonly isDrag: boolean;
}

export const slotKey = ({
  contractAddress,
  key,
}: Pick<StorageEntry, 'contractAddress' | 'key'>): string => `${contractAddress} ${key}`;

/** Which variables are open, and their texts at earlier stops. */
class OpenVariables {
  /** Members to read of each open variable. */
  readonly #open = new Map<string, number>();
  readonly #texts = new Map<string, string>();
  #changed = new Set<string>();

  nextStop(): void {
    this.#changed = new Set();
    if (this.#texts.size > MAX_TEXTS) this.#texts.clear();
  }

  async rows(frameId: string, variables: readonly Variable[]): Promise<readonly VariableRow[]> {
    const rows: VariableRow[] = [];
    await this.#addRows(rows, frameId, 0, variables);
    return rows;
  }

  toggle(path: string): void {
    if (!this.#open.delete(path)) this.#open.set(path, FIRST_MEMBERS);
  }

  readMore(path: string): void {
    this.#open.set(path, (this.#open.get(path) ?? 0) + MORE_MEMBERS);
  }

  #isChanged(path: string, text: string): boolean {
    const before = this.#texts.get(path);
    if (before !== undefined && before !== text) this.#changed.add(path);
    this.#texts.set(path, text);
    return this.#changed.has(path);
  }

  async #addRows(
    rows: VariableRow[],
    parent: string,
    depth: number,
    variables: readonly Variable[],
  ): Promise<void> {
    const repeats = new Map<string, number>();
    for (const { name, value, isParameter } of variables) {
      // A later binding may hide an earlier one of the same name.
      const repeat = repeats.get(name) ?? 0;
      repeats.set(name, repeat + 1);
      const path = `${parent}/${name}${repeat === 0 ? '' : `#${repeat}`}`;
      const { type, text, childCount } = value;
      const count = this.#open.get(path);
      rows.push({
        path,
        depth,
        name,
        type,
        text,
        isParameter,
        isParent: childCount > 0,
        isOpen: count !== undefined,
        isChanged: this.#isChanged(path, text),
      });
      if (count === undefined || childCount === 0) continue;
      const members = await value.children(0, Math.min(count, childCount));
      await this.#addRows(rows, path, depth + 1, members);
      const last = rows.at(-1);
      if (childCount > members.length && last) {
        rows[rows.length - 1] = { ...last, unread: { path, count: childCount - members.length } };
      }
    }
  }
}

/** @param frameIndex undefined for the frame that is chosen by default */
type Moved = (position: number, frameIndex: number | undefined, trail: Trail) => void;

interface MoveOptions {
  readonly frameIndex?: number | undefined;
  readonly isDrag?: boolean;
}

export class Session {
  readonly program: Debugger;
  /** The target of a drag at once, before its stack is read. */
  readonly position: Store<number>;
  readonly stack: Store<Stack | undefined> = createStore<Stack | undefined>(undefined);
  readonly details: Store<Details | undefined> = createStore<Details | undefined>(undefined);
  readonly frameIndex: Store<number> = createStore(0);
  readonly isBusy: Store<boolean> = createStore(false);
  /** The error of the last move. */
  readonly problem: Store<unknown> = createStore<unknown>(undefined);
  /** Why a jump went nowhere. */
  readonly notice: Store<string | undefined> = createStore<string | undefined>(undefined);
  readonly #moved: Moved;
  readonly #variables = new OpenVariables();
  #slotsBefore: ReadonlyMap<string, string> = new Map();
  #queue: Task[] = [];
  #interruption = new AbortController();

  /** @param moved gets each position that the address of the page may hold */
  constructor(program: Debugger, moved: Moved) {
    this.program = program;
    this.position = createStore(program.position);
    this.#moved = moved;
  }

  /** @param frameIndex the frame to choose, the innermost of a contract's source by default */
  goTo(target: number, trail: Trail, frameIndex?: number): void {
    const bounded = Math.max(0, Math.min(this.program.length - 1, target));
    this.position.set(bounded);
    const isDrag = trail === 'drag';
    this.#move(() => this.program.goTo(bounded), trail, { frameIndex, isDrag });
  }

  /** To a position, or to the first line after it where generated code begins a call there. */
  start(target: number): void {
    const { program } = this;
    this.#move(async () => {
      const stop = await program.goTo(target);
      const frames = await program.frames(0, FIRST_FRAMES);
      const run = frames[0]?.runIndex;
      if (frames.some((frame) => frame.runIndex === run && !frame.isLibrary)) return stop;
      const line = await program.stepIn('forward');
      const [first] = await program.frames(0, 1);
      return first?.runIndex === run ? line : program.goTo(target);
    }, 'step');
  }

  step(kind: 'in' | 'over' | 'out', direction: Direction): void {
    const steps = {
      in: () => this.program.stepIn(direction),
      over: () => this.program.stepOver(direction),
      out: () => this.program.stepOut(direction),
    };
    this.#move(steps[kind], 'step');
  }

  /** To the next breakpoint, or to the end. */
  resume(direction: Direction): void {
    this.#run({ direction, breakpoints: breakpoints.get() });
  }

  /** To the next mark of the kind; nowhere after the last one. */
  runTo(kind: MarkKind, direction: Direction): void {
    const at = this.position.get();
    const isForward = direction === 'forward';
    const isAhead = this.program.marks.some(
      (mark) => mark.kind === kind && (isForward ? mark.position > at : mark.position < at),
    );
    if (isAhead) this.#run({ direction, until: [kind] });
    else this.notice.set(`no ${isForward ? 'later' : 'earlier'} ${kind}`);
  }

  #run(options: RunOptions): void {
    this.#interruption = new AbortController();
    const { signal } = this.#interruption;
    this.#move(() => this.program.run({ ...options, signal }), 'jump');
  }

  /** Ends a long run where it is. */
  interrupt(): void {
    this.#interruption.abort();
  }

  chooseFrame(index: number): void {
    this.#refresh(() => {
      this.frameIndex.set(index);
      this.#follow('step');
    });
  }

  #follow(trail: Trail): void {
    const stack = this.stack.get();
    if (!stack) return;
    const index = this.frameIndex.get();
    this.#moved(stack.position, index === stack.innermost ? undefined : index, trail);
  }

  readMoreFrames(): void {
    this.#enqueue({
      isDrag: false,
      run: async () => {
        const stack = this.stack.get();
        if (!stack) return;
        const more = await this.program.frames(stack.frames.length, MORE_FRAMES);
        this.stack.set({ ...stack, frames: [...stack.frames, ...more] });
      },
    });
  }

  toggle(path: string): void {
    this.#refresh(() => this.#variables.toggle(path));
  }

  readMore(path: string): void {
    this.#refresh(() => this.#variables.readMore(path));
  }

  #enqueue(task: Task): void {
    if (task.isDrag && this.#queue.at(-1)?.isDrag) this.#queue.pop();
    this.#queue.push(task);
    this.#work().catch((error: unknown) => this.problem.set(error));
  }

  async #work(): Promise<void> {
    if (this.isBusy.get()) return;
    this.isBusy.set(true);
    try {
      for (let task = this.#queue.shift(); task; task = this.#queue.shift()) await task.run();
      this.problem.set(undefined);
    } catch (error) {
      this.#queue = [];
      this.problem.set(error);
    } finally {
      this.isBusy.set(false);
    }
  }

  #move(
    go: () => Promise<Stop>,
    trail: Trail,
    { frameIndex, isDrag = false }: MoveOptions = {},
  ): void {
    this.notice.set(undefined);
    const run = async (): Promise<void> => {
      const stop = await go();
      // The thumb of the timeline is further already.
      if (this.#queue.at(-1)?.isDrag !== true) this.position.set(stop.position);
      const frames = await this.program.frames(0, FIRST_FRAMES);
      const frameCount = await this.program.frameCount();
      const innermost = Math.max(
        0,
        frames.findIndex(
          ({ isLibrary, runIndex }) => !isLibrary && runIndex === frames[0]?.runIndex,
        ),
      );
      const stack = { position: stop.position, frames, frameCount, innermost };
      const isThere = frameIndex !== undefined && frameIndex < frames.length;
      this.frameIndex.set(isThere ? frameIndex : innermost);
      this.stack.set(stack);
      this.#follow(trail);
      await this.#readDetails(stack, stop.reason);
    };
    this.#enqueue({ isDrag, run });
  }

  /** Reads the variables again, without a move. */
  #refresh(change: () => void): void {
    const run = async (): Promise<void> => {
      change();
      const stack = this.stack.get();
      const details = this.details.get();
      if (!stack || !details) return;
      const scope = await this.#readScope(stack);
      this.details.set({ ...details, frameIndex: this.frameIndex.get(), ...scope });
    };
    this.#enqueue({ isDrag: false, run });
  }

  async #readScope({
    frames,
    frameCount,
  }: Stack): Promise<Pick<Details, 'scope' | 'variables' | 'isOfCall'>> {
    const index = this.frameIndex.get();
    const frame = frames[index];
    const scope = await this.program.scope(index);
    const isOfCall = scope.variables.length === 0 && frame !== undefined;
    const variables = isOfCall ? await this.program.callArguments(frame.runIndex) : scope.variables;
    const frameId = frame ? `${frame.runIndex}:${frameCount - index}:${frame.name}` : '';
    return { scope, isOfCall, variables: await this.#variables.rows(frameId, variables) };
  }

  /** Stops where another move waits, because its details replace these. */
  async #readDetails(stack: Stack, reason: StopReason): Promise<void> {
    if (this.#queue.length > 0) return;
    this.#variables.nextStop();
    const scope = await this.#readScope(stack);
    if (this.#queue.length > 0) return;
    const storage = await this.program.storage();
    const gas = await this.program.gas();
    const slots = new Map(storage.map((entry) => [slotKey(entry), entry.value]));
    const before = this.#slotsBefore;
    this.#slotsBefore = slots;
    this.details.set({
      position: stack.position,
      reason,
      frameIndex: this.frameIndex.get(),
      ...scope,
      storage,
      changedSlots: new Set(
        [...slots].flatMap(([key, value]) => ((before.get(key) ?? value) === value ? [] : [key])),
      ),
      gas,
      action: this.program.action,
    });
  }
}
