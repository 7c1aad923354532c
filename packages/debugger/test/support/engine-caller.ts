// A caller that serves the methods of debug traces from an execution that the engine recorded.
import { debugClass } from '../../../starkbox/src/chain/debugging/debug-class.js';
import { NO_LABELS } from '../../../starkbox/src/chain/world/labels.js';
import type { DebugInfos } from '../../../starkbox/src/debug-info/debug-infos.js';
import type { MarkedContracts } from '../../../starkbox/test/debug-info/marked-contracts.js';
import type { Caller } from '../../src/index.js';

type Class = ReturnType<MarkedContracts['classOf']>;
export type DebugTrace = Awaited<ReturnType<MarkedContracts['record']>>;

/** Where classes are found by their hashes. */
export interface ClassSource {
  readonly infos: DebugInfos;
  classByHash(hash: string): Class | undefined;
}

interface RangeRequest {
  readonly run: number;
  readonly segment: number;
  readonly first: number;
  readonly count: number;
}

export function engineCaller(trace: DebugTrace, classes: ClassSource): Caller {
  return async (method, params) => {
    const { run, segment, first, count }: RangeRequest = Object(params);
    switch (method) {
      case 'devnet_openDebugTrace':
        return { trace_id: '0x1', ...trace.report() };
      case 'devnet_readDebugSteps':
        return { registers: trace.steps(run, first, count) };
      case 'devnet_readDebugMemory':
        return { cells: trace.memory(run, segment, first, count) };
      case 'devnet_getDebugClass': {
        const hash: string = Object(params).class_hash;
        const compiled = classes.classByHash(hash);
        if (!compiled) throw new Error(`there is no class ${hash}`);
        return debugClass(compiled, classes.infos, NO_LABELS);
      }
      case 'devnet_nameStorage':
        return { slots: [] };
      case 'devnet_closeDebugTrace':
        return {};
      default:
        throw new Error(`${method} is not served`);
    }
  };
}
