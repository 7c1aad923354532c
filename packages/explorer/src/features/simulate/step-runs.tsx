// Running the steps of the simulation: trying them out, or sending them.
import type { Resolve } from '@starkbox/abi/internal';
import { useEffect, useState } from 'react';
import { useRoute } from '../../navigation/route.js';
import { useImported } from '../../parts/send/keys.js';
import {
  type BlockId,
  boundsOf,
  type Run,
  readRun,
  type Step,
  send,
  simulate,
} from '../../parts/send/run.js';
import { TxRef } from '../../parts/values.js';
import { RpcFailure } from '../../rpc/client.js';
import { canWrite, chainNow, liveNow } from '../../rpc/live-state.js';
import { useAccounts } from '../../rpc/queries.js';
import { runTask } from '../../state/tasks.js';
import type { StepList } from './step-list.js';
import { type StepDraft, stepOf } from './steps.js';
import { readOverrides } from './what-if.js';

type Runs = ReadonlyMap<number, Run>;

interface Failed {
  readonly error: unknown;
  /** Index of the failing step, if the error contains one. */
  readonly step: number | undefined;
}

export type StepRuns = ReturnType<typeof useStepRuns>;

export function readBlock(text: string): BlockId | undefined {
  const hash = text.trim();
  if (hash === '' || hash === 'pre-confirmed') return 'pre_confirmed';
  if (hash === 'latest') return 'latest';
  return /^\d{1,15}$/.test(hash) ? { block_number: Number(hash) } : undefined;
}

/** Results by the ids of their steps. */
function runsOf<R>(steps: StepList['steps'], results: readonly R[]): ReadonlyMap<number, R> {
  return new Map(results.flatMap((run, at) => (steps[at] ? [[steps[at].id, run] as const] : [])));
}

interface RunOptions {
  readonly resolve: Resolve;
  /** Called if an input is invalid. */
  readonly focusWrong: () => void;
  /** Called with each new result or error. */
  readonly onResult: () => void;
}

export function useStepRuns(list: StepList, { resolve, focusWrong, onResult }: RunOptions) {
  const { steps, written } = list;
  const accounts = useAccounts();
  const imported = useImported();
  const [runs, setRuns] = useState<Runs>(new Map());
  const [before, setBefore] = useState<Runs>(new Map());
  /** The steps that the results belong to. */
  const [ran, setRan] = useState('');
  /** The overrides of the results, in words. */
  const [applied, setApplied] = useState<readonly string[]>([]);
  const [failed, setFailed] = useState<Failed | undefined>();
  const [isBusy, setBusy] = useState(false);
  const hashInAddress = useRoute().query.get('tx') ?? undefined;

  const take = async (hash: string): Promise<void> => {
    setFailed(undefined);
    try {
      await list.take(hash);
      setRuns(new Map());
      setBefore(new Map());
    } catch (error) {
      setFailed({ error, step: undefined });
    }
  };
  // The page's address can fill the form, but never runs it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each transaction that is asked for
  useEffect(() => {
    if (hashInAddress !== undefined && steps.length === 0) runTask(take(hashInAddress));
  }, [hashInAddress]);

  const ready = (): readonly Step[] | undefined => {
    list.setJudged(true);
    const all = steps.map((step) => stepOf(step, resolve));
    const wrong = all.indexOf(undefined);
    if (wrong >= 0) {
      list.setFocused(steps[wrong]?.id);
      focusWrong();
      return undefined;
    }
    return all.flatMap((step) => (step ? [step] : []));
  };
  const busy = async (work: () => Promise<void>): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setFailed(undefined);
    try {
      await work();
    } catch (error) {
      setFailed(failureOf(error, steps));
      onResult();
    } finally {
      setBusy(false);
    }
  };
  const doSimulate = (): Promise<void> =>
    busy(async () => {
      const all = ready();
      const blockId = readBlock(list.block);
      if (!all || all.length === 0 || blockId === undefined) return;
      const whatIf = readOverrides(list.whatIf, resolve, chainNow());
      const simulated = await simulate(all, blockId, whatIf?.overrides);
      setRan(written);
      setApplied(whatIf?.words ?? []);
      setBefore(runs);
      setRuns(runsOf(steps, simulated));
      onResult();
    });
  const sendForReal = (): Promise<void> =>
    busy(async () => {
      const all = ready();
      if (!all || !canWrite(liveNow().connection)) return;
      const ours = new Set([...imported, ...(accounts.data ?? []).map(({ address }) => address)]);
      const sentRuns = await sendAll(all, steps, ours);
      setBefore(runs);
      setApplied([]);
      setRuns(sentRuns);
      onResult();
    });
  return {
    runs,
    before,
    applied,
    failed,
    isBusy,
    isStale: ran !== written,
    take,
    doSimulate,
    sendForReal,
  };
}

/** Which step the node rejected, if it says so. */
function failureOf(error: unknown, steps: readonly StepDraft[]): Failed {
  const index =
    error instanceof RpcFailure &&
    typeof error.data === 'object' &&
    error.data !== null &&
    'transaction_index' in error.data
      ? Number(error.data.transaction_index)
      : undefined;
  return { error, step: index === undefined ? undefined : steps[index]?.id };
}

/** Sends one after the other, until one is rejected. `ours` are the accounts whose keys are at hand. */
async function sendAll(
  all: readonly Step[],
  steps: readonly StepDraft[],
  ours: ReadonlySet<string>,
): Promise<Runs> {
  const tried = await simulate(all, 'pre_confirmed');
  const runs = new Map<number, Run>();
  for (const [at, step] of all.entries()) {
    const bounds = tried[at] && boundsOf(tried[at]);
    const id = steps[at]?.id;
    if (!bounds || id === undefined) break;
    const hash = await send({
      ...step,
      bounds,
      isOurs: ours.has(step.sender),
      what: `Send step ${at + 1}`,
      tell: (transaction) => (
        <>
          transaction <TxRef of={transaction} />
        </>
      ),
    });
    if (hash === undefined) break;
    runs.set(id, await readRun(hash));
  }
  return runs;
}
