// Frames of a call tree with their calldata, results and events, also those of traces that the worker keeps.
import {
  buildTree,
  type CallTree,
  type ExecutionResult,
  type Frame,
  type TracedTransaction,
  type TransactionTrace,
} from '@starkbox/abi';
import { useEffect, useState } from 'react';
import { runTask } from '../state/tasks.js';
import { largeTraceOf, restOf } from './large-traces.js';

/** The tree of a transaction; frames of a long one are completed by `useWholeFrame`. */
export function treeOf(
  transaction: TracedTransaction,
  trace: TransactionTrace | undefined,
  result: ExecutionResult,
): CallTree {
  return largeTraceOf(trace)?.tree ?? buildTree(transaction, trace, result);
}

/** The frame as it is until the rest of it has come. */
export function useWholeFrame(frame: Frame): Frame {
  const [whole, setWhole] = useState(frame);
  useEffect(() => {
    let isWanted = true;
    runTask(
      restOf(frame)?.then((rest) => {
        if (isWanted && rest) setWhole({ ...frame, ...rest });
      }),
    );
    return () => {
      isWanted = false;
    };
  }, [frame]);
  return whole.id === frame.id ? whole : frame;
}
