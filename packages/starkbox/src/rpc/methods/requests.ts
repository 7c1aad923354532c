// Methods that record calls and show the recorded ones.
import type { RECORDED_TEXT } from '@starkbox/spec';
import { refuse } from '../../errors.js';
import type { HandlerGroup } from '../protocol/handlers.js';
import type { RecordedBody, RequestLog } from '../request-log/request-log.js';
import type { Subscriptions } from '../subscriptions/subscriptions.js';

/** Rows of a page by default. */
const LIMIT = 50;

export function requestMethods(log: RequestLog, subscriptions: Subscriptions): HandlerGroup {
  return {
    devnet_recordRequests: ({ enabled, bodies = true, clear = false }) => {
      if (clear) log.clear();
      log.set(enabled, bodies);
      return log.state;
    },

    devnet_getRequests: ({
      after = 0,
      before = Number.POSITIVE_INFINITY,
      limit = LIMIT,
      include_explorer: withExplorer = false,
    }) => ({
      requests: log.list({ after, before, limit, withExplorer }),
      ...log.state,
      ...log.kept,
    }),

    devnet_getRequest: ({ id }) => {
      const loggedCall = log.get(id) ?? refuse(`No call with the id ${id} is recorded.`);
      const { row, request, response } = loggedCall;
      return {
        row,
        request: request && toRecordedText(request),
        response: response && toRecordedText(response),
      };
    },

    devnet_subscribeRequests: (_params, context) =>
      subscriptions.begin(context, {
        key: 'requests',
        filter: '',
        pick: (notification) =>
          notification.topic === 'requests' ? notification.text() : undefined,
      }),
  };
}

function toRecordedText({ head, bytes, isWhole }: RecordedBody): RECORDED_TEXT {
  return { text: head.toString(), bytes, is_whole: isWhole };
}
