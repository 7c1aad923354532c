// Logging of bodies, as the options request it.
import type { Chain } from '../chain/chain.js';
import type { Config } from '../config/options.js';
import type { Log } from '../log.js';
import type { BodyLog } from '../server/body-log.js';
import { secretsOf } from '../service/secrets.js';

/** What `--log-bodies` requests; undefined without it. */
export async function openBodyLog(
  config: Config,
  chain: Chain,
  log: Log,
): Promise<BodyLog | undefined> {
  const { logBodies: which } = config;
  if (which === 'none') return undefined;
  // Loaded only where it is used.
  const { bodyLog } = await import('../server/body-log.js');
  return bodyLog({ which, secrets: () => secretsOf(config, chain), log });
}
