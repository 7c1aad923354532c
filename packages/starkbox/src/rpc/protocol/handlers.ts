// Types of all handlers, so that a wrong one does not compile.
import type { MethodName, Methods } from '@starkbox/spec';
import type { Wire } from '../../json/json.js';
import type { CallContext } from './call-context.js';

type Handlers = {
  readonly [M in MethodName]: (
    params: Methods[M]['params'],
    context: CallContext,
  ) => Wire<Methods[M]['result']> | Promise<Wire<Methods[M]['result']>>;
};

/** The handlers of a theme. */
export type HandlerGroup = Partial<Handlers>;
