// Types of all handlers, so that a missing or wrong one does not compile.

import type { MethodName, Methods } from '@starkbox/spec';
import type { Wire } from '../../json/json.js';
import type { CallContext } from './call-context.js';

export type Handlers = {
  readonly [M in MethodName]: (
    params: Methods[M]['params'],
    context: CallContext,
  ) => Wire<Methods[M]['result']> | Promise<Wire<Methods[M]['result']>>;
};

/** The handlers of a theme. */
export type Group<M extends MethodName> = Pick<Handlers, M>;
