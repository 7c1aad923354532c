// Servers of tests at free ports of this machine.
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Returns the port at which a server listens. */
export function portOf(server: Pick<Server, 'address'>): number {
  const address: AddressInfo | string | null = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return address.port;
}

/** Lets a server listen, and returns its port. */
export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return portOf(server);
}
