// Public API: a debugger of recorded executions.
export type * from './debugger.js';
export { openDebugger } from './open.js';
