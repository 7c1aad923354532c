// Files of a start: the calls of `--init`, and what `--config-out` writes for scripts.

import { encodeShortString } from '@starkbox/abi/basics';
import type { Genesis } from '../chain/genesis/genesis.js';
import type { Config } from '../config/options.js';
import { ConfigError } from '../config/rules.js';
import { RpcError, reasonOf } from '../errors.js';
import { replaceText } from '../files/atomic-file.js';
import { readRegular } from '../files/regular-file.js';
import { parse, stringify } from '../json/json.js';
import { list, object, optional, string } from '../json/reader.js';
import type { L1Facts } from '../l1/l1-facts.js';
import type { ServerAddress } from '../library/local-chain.js';
import type { Log } from '../log.js';
import type { PredeployedContract } from '../predeployed.js';
import type { Dispatcher } from '../rpc/protocol/dispatcher.js';
import { WALLET_PATH } from '../server/http/wallet-script.js';

interface FirstCall {
  readonly method: string;
  readonly params: unknown;
}

/**
 * @param isContinued whether the chain is stored or loaded: it has been set up before
 * @throws ConfigError if the file cannot be read, or a call fails
 */
export async function makeFirstCalls(
  path: string | undefined,
  isContinued: boolean,
  service: { readonly openUnrestricted: () => Pick<Dispatcher, 'call'> },
  log: Log,
): Promise<void> {
  if (path === undefined) return;
  if (isContinued)
    return log.info(`Skipping the calls of ${path}: the node continues an existing chain`);
  const calls = await readRegular(path)
    .then((text) => list(parse(text), 'the file', readCall))
    .catch((error: unknown) => {
      throw new ConfigError(`--init ${path}: ${reasonOf(error)}`, 'init');
    });
  const dispatcher = service.openUnrestricted();
  for (const [index, { method, params }] of calls.entries()) {
    try {
      await dispatcher.call(method, params, { transport: 'in-process' });
    } catch (error) {
      const data = error instanceof RpcError && error.data !== undefined ? error.data : undefined;
      const detail = data === undefined ? '' : ` (${stringify(data)})`;
      throw new ConfigError(
        `--init ${path}: call ${index} (${method}) failed: ${reasonOf(error)}${detail}`,
        'init',
      );
    }
  }
}

function readCall(value: unknown, where: string): FirstCall {
  const { method, params } = object(value, where);
  return {
    method: string(method, `${where}.method`),
    params: optional(params, `${where}.params`, (value) => value),
  };
}

/** Only its owner can read the file, which has private keys. */
const OWNER_ONLY = 0o600;

/**
 * Writes the file, if one is given; the address of the node.
 *
 * @throws ConfigError if it cannot be written
 */
export function writeConfigOut(
  address: ServerAddress,
  config: Config,
  genesis: Genesis,
  l1: L1Facts | undefined,
): ServerAddress {
  if (config.configOut !== undefined) {
    write(config.configOut, stringify(contentOf(address, config, genesis, l1)));
  }
  return address;
}

function write(path: string, text: string): void {
  try {
    replaceText(path, `${text}\n`, path, OWNER_ONLY);
  } catch (error) {
    throw new ConfigError(`--config-out ${path}: ${reasonOf(error)}`, 'configOut');
  }
}

function contentOf(
  { url, metricsUrl }: ServerAddress,
  config: Config,
  { accounts, accountClass, argent, eth, strk, udc }: Genesis,
  l1: L1Facts | undefined,
): object {
  const describeContract = ({ address, classHash }: PredeployedContract) => ({
    address,
    class_hash: classHash,
  });
  return {
    url,
    rpc_url: `${url}/rpc`,
    ws_url: `${url.replace(/^http/, 'ws')}/ws`,
    ui_url: config.ui ? `${url}/ui` : null,
    wallet_url: config.wallet ? `${url}${WALLET_PATH}` : null,
    metrics_url: metricsUrl ?? null,
    chain_id: config.chainId,
    chain_id_felt: encodeShortString(config.chainId),
    seed: config.seed,
    accounts: accounts.map(({ address, publicKey, privateKey, classHash }) => ({
      address,
      public_key: publicKey,
      private_key: privateKey,
      ...(classHash !== undefined && { class_hash: classHash }),
    })),
    account_class_hash: accountClass.hash,
    argent_class_hashes: argent ?? null,
    tokens: { eth: describeContract(eth), strk: describeContract(strk) },
    universal_deployer: describeContract(udc),
    l1: l1 ? { url: l1.url, messaging_contract: l1.messagingContract } : null,
  };
}
