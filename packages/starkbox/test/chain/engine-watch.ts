// Watches the real engine: how many executions run at once, with a gate that can hold calls back.
import { State } from '@starkbox/engine';
import { vi } from 'vitest';

export interface EngineWatch {
  /** The most executions at once that leave nothing behind, and of all. */
  readonly most: { beside: number; all: number };
  /** How many have begun. */
  readonly begun: { beside: number; all: number };
  /** The next one waits before the engine gets it. */
  hold(): void;
  release(): void;
  restore(): void;
}

export function watchEngine(): EngineWatch {
  const most = { beside: 0, all: 0 };
  const begun = { beside: 0, all: 0 };
  const running = { beside: 0, all: 0 };
  let gate: Promise<void> | undefined;
  let open = (): void => {};
  const counted = async <T>(isBeside: boolean, run: () => Promise<T>): Promise<T> => {
    for (const kind of isBeside ? (['beside', 'all'] as const) : (['all'] as const)) {
      running[kind] += 1;
      begun[kind] += 1;
      most[kind] = Math.max(most[kind], running[kind]);
    }
    try {
      // Long enough for others to come in, if nothing keeps them out.
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (isBeside && gate) {
        const openGate = gate;
        gate = undefined;
        await openGate;
      }
      return await run();
    } finally {
      if (isBeside) running.beside -= 1;
      running.all -= 1;
    }
  };
  const { call, execute, executeAndClose, executeMany } = State.prototype;
  const spies = [
    vi.spyOn(State.prototype, 'call').mockImplementation(function (this: State, ...args) {
      return counted(true, () => call.apply(this, args));
    }),
    vi.spyOn(State.prototype, 'executeMany').mockImplementation(function (this: State, ...args) {
      return counted(true, () => executeMany.apply(this, args));
    }),
    vi.spyOn(State.prototype, 'execute').mockImplementation(function (this: State, ...args) {
      return counted(false, () => execute.apply(this, args));
    }),
    vi.spyOn(State.prototype, 'executeAndClose').mockImplementation(function (
      this: State,
      ...args
    ) {
      return counted(false, () => executeAndClose.apply(this, args));
    }),
  ];
  return {
    most,
    begun,
    hold() {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    release: () => open(),
    restore() {
      open();
      for (const spy of spies) spy.mockRestore();
    },
  };
}
