// Recordings and logs of requests, as the options request them.
import type { Log } from '../log.js';
import type { Dispatcher } from '../rpc/protocol/dispatcher.js';
import type { Recorder } from '../server/recorder.js';
import { aboutNode, type RecordedNode, type Secrets, secretsOf } from '../service/recorded-node.js';

/** What `--record-requests` and `--log-bodies` ask for; with neither, the dispatcher stays as it is. */
export async function openRecording(node: RecordedNode, log: Log): Promise<Recorder> {
  const { recordRequests: path, logBodies: which } = node.base.config;
  const secrets = (): Secrets => secretsOf(node);
  // Loaded only where they are used.
  const bodies = which === 'none' ? undefined : await import('../server/body-log.js');
  const recorder =
    path === undefined
      ? undefined
      : (await import('../server/recorder.js')).openRecorder({
          path,
          about: aboutNode(node),
          secrets,
          log,
        });
  return {
    recording: (dispatcher) => {
      const recorded: Pick<Dispatcher, 'handle'> = recorder?.recording(dispatcher) ?? dispatcher;
      if (!bodies || which === 'none') return recorded;
      return bodies.loggingBodies(recorded, { which, secrets, log });
    },
    close: async () => recorder?.close(),
  };
}
