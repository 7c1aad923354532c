// starknet.js accounts of a chain: the predeployed ones, and any other by impersonation.
import type { LocalChain } from 'starkbox';
import { Account, type AccountOptions, num, type Signature, type SignerInterface } from 'starknet';
import { Nonces } from './nonces.js';
import { type ChainProvider, getProvider, type InProcessChain } from './provider.js';
import { rememberProvider } from './sent.js';

/** What accounts need of a chain in this process. */
export type AccountChain = InProcessChain & Pick<LocalChain, 'accounts'>;

/** An account whose transactions may be sent at the same time, also by several objects of its address. */
export class ChainAccount extends Account {
  readonly #nonces: Nonces;

  constructor(options: AccountOptions & { readonly provider: ChainProvider }) {
    // Without the version, starknet.js would fetch the class to find it.
    super({ cairoVersion: '1', plugins: false, ...options });
    this.#nonces = noncesOf(options.provider, this.address);
  }

  override execute: Account['execute'] = (calls, details = {}) =>
    details.nonce === undefined
      ? this.#nonces.send((nonce) => super.execute(calls, { ...details, nonce }))
      : this.#nonces.sendWithout(() => super.execute(calls, details));

  override declare: Account['declare'] = (payload, details = {}) =>
    details.nonce === undefined
      ? this.#nonces.send((nonce) => super.declare(payload, { ...details, nonce }))
      : this.#nonces.sendWithout(() => super.declare(payload, details));

  override deploy: Account['deploy'] = async (payload, details) =>
    rememberProvider(await super.deploy(payload, details), this.provider);
}

const noncesByProvider = new WeakMap<ChainProvider, Map<string, Nonces>>();

function noncesOf(provider: ChainProvider, address: string): Nonces {
  const noncesByAddress = noncesByProvider.get(provider) ?? new Map<string, Nonces>();
  noncesByProvider.set(provider, noncesByAddress);
  const key = num.toHex(address);
  const nonces =
    noncesByAddress.get(key) ??
    new Nonces(async () => BigInt(await provider.getNonceForAddress(address)));
  noncesByAddress.set(key, nonces);
  return nonces;
}

/** Has the nonces of all accounts of a provider read again: its chain was put back. */
export function forgetNonces(provider: ChainProvider): void {
  for (const nonces of noncesByProvider.get(provider)?.values() ?? []) nonces.forget();
}

/**
 * The predeployed accounts.
 *
 * @example
 * const [alice] = getAccounts(chain);
 * await Promise.all([alice.execute(one), alice.execute(other)]);
 */
export function getAccounts(
  chain: AccountChain,
  provider: ChainProvider = getProvider(chain),
): readonly ChainAccount[] {
  return chain.accounts.map(
    ({ address, privateKey }) => new ChainAccount({ provider, address, signer: privateKey }),
  );
}

/** The predeployed accounts of a node at a URL. */
export async function accountsAt(
  url: string,
  provider: ChainProvider = getProvider(url),
): Promise<readonly ChainAccount[]> {
  const answer = await provider.channel.fetch('devnet_getPredeployedAccounts');
  const { result } = Object(await answer.json());
  const listed: readonly { readonly address: string; readonly private_key: string }[] = result;
  return listed.map(
    ({ address, private_key }) => new ChainAccount({ provider, address, signer: private_key }),
  );
}

/** Signatures of an impersonated account are not looked at. */
class NoSigner implements SignerInterface {
  getPubKey = async (): Promise<string> => '0x0';
  signMessage = async (): Promise<Signature> => [];
  signTransaction = async (): Promise<Signature> => [];
  signDeployAccountTransaction = async (): Promise<Signature> => [];
  signDeclareTransaction = async (): Promise<Signature> => [];
}

/** Any account of the chain, without its key. Fees are paid from its balance, which `chain.mint` raises. */
export async function impersonate(
  chain: InProcessChain & Pick<LocalChain, 'impersonate'>,
  address: string,
  provider: ChainProvider = getProvider(chain),
): Promise<ChainAccount> {
  await chain.impersonate(address);
  return new ChainAccount({ provider, address, signer: new NoSigner() });
}
