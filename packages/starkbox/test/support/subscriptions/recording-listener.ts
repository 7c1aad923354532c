// A listener that hands over each notification as soon as it is sent.
import type { Listener } from '../../../src/rpc/protocol/call-context.js';

export function recordingListener(record: (text: string) => void): Listener {
  return { isOpen: true, send: record, afterAnswer: () => {} };
}
