// A listener that hands over each notification as soon as it is sent.

import { Readings } from '../../../src/notification-feed.js';
import type { Listener } from '../../../src/rpc/protocol/call-context.js';

export function recordingListener(record: (text: string) => void): Listener {
  const sendShared = (head: Buffer, shared: Buffer): void => record(`${head}${shared}`);
  const added = () => {
    readings.takeAll(sendShared);
    return { messages: 0, bytes: 0 };
  };
  const readings = new Readings({ added });
  return {
    isOpen: true,
    send: () => {},
    sendShared,
    follow: (reading) => {
      readings.add(reading);
      added();
    },
    unfollow: (reading) => readings.remove(reading),
    afterAnswer: () => {},
  };
}
