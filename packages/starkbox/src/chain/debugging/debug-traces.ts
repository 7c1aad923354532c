// Recorded executions of a chain, which debuggers read by ranges.
import type { DEBUG_TRACE, Methods } from '@starkbox/spec';
import { refuse } from '../../errors.js';
import type { Explainer } from '../queries/explain.js';

type OpenRequest = Methods['devnet_openDebugTrace']['params'];

export class DebugTraces {
  constructor(_explainer: Explainer) {}

  async open(_request: OpenRequest, _signal: AbortSignal | undefined): Promise<DEBUG_TRACE> {
    return refuse('The engine does not record steps yet.');
  }

  async steps(_id: string, _run: number, _first: number, _count: number): Promise<string> {
    return refuse('The engine does not record steps yet.');
  }

  async memory(
    _id: string,
    _location: { readonly run: number; readonly segment: number },
    _first: number,
    _count: number,
  ): Promise<readonly (string | null)[]> {
    return refuse('The engine does not record steps yet.');
  }

  close(_id: string): void {}
}
