// Entry point of the explorer in a frame: the page around it has the chain and hands over a port to it.
import { membersOf } from '@starkbox/abi/basics';
import { embedAt } from '../format/chain-path.js';
import { portTransport } from '../rpc/port-transport.js';
import { setTransport } from '../rpc/transport.js';
import { runTask } from '../state/tasks.js';
import { EMBEDDED_READY } from './embedding.js';

/** Read before the explorer changes its address. */
const FOLDER = location.pathname.replace(/\/[^/]*$/, '');

async function open(port: MessagePort): Promise<void> {
  setTransport(portTransport(port));
  embedAt(FOLDER);
  // The address may name the file.
  history.replaceState(null, '', `${FOLDER}/`);
  // Both read the path of the pages when they are loaded.
  const [{ start }, { go, to }] = await Promise.all([
    import('./start.js'),
    import('../navigation/route.js'),
  ]);
  start();
  addEventListener('message', (event: MessageEvent<unknown>) => {
    const { page, key } = membersOf(event.data);
    if (!isFromPage(event) || typeof page !== 'string') return;
    go(to(page, typeof key === 'string' ? key : undefined));
  });
}

function isFromPage({ source, origin }: MessageEvent): boolean {
  return source === parent && origin === location.origin;
}

function receivePort(event: MessageEvent<unknown>): void {
  const [port] = event.ports;
  if (!isFromPage(event) || port === undefined) return;
  removeEventListener('message', receivePort);
  runTask(open(port));
}

addEventListener('message', receivePort);
parent.postMessage(EMBEDDED_READY, location.origin);
