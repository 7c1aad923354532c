// starknet.js accounts of a chain: the predeployed ones, and any other by impersonation.
import { memberOf, membersOf } from '@starkbox/abi/basics';
import type { BigNumberish, Chain, ImpersonatedAccount, PredeployedAccount } from 'starkbox';
import { Account, type AccountOptions, num, type Signature, type SignerInterface } from 'starknet';
import { withCallSite } from './call-site.js';
import { Nonces } from './nonces.js';
import { type ChainProvider, getProvider, type ProvidedChain } from './provider.js';
import { rememberProvider } from './sent.js';

/** A starknet.js account that may send several transactions at the same time, even through several objects. */
export class ChainAccount extends Account {
  readonly #nonces: Nonces;

  /** @param options the address, the signer and a provider of `getProvider` */
  constructor(options: AccountOptions & { readonly provider: ChainProvider }) {
    // Without the version, starknet.js would fetch the class to find it.
    super({ cairoVersion: '1', plugins: false, ...options });
    this.#nonces = noncesOf(options.provider, this.address);
  }

  override execute: Account['execute'] = (calls, details = {}) =>
    withCallSite(this.execute, () =>
      details.nonce === undefined
        ? this.#nonces.send((nonce) => super.execute(calls, { ...details, nonce }))
        : this.#nonces.sendWithout(() => super.execute(calls, details)),
    );

  override declare: Account['declare'] = (payload, details = {}) =>
    withCallSite(this.declare, () =>
      details.nonce === undefined
        ? this.#nonces.send((nonce) => super.declare(payload, { ...details, nonce }))
        : this.#nonces.sendWithout(() => super.declare(payload, details)),
    );

  override deploy: Account['deploy'] = (payload, details) =>
    withCallSite(this.deploy, async () =>
      rememberProvider(await super.deploy(payload, details), this.provider),
    );
}

/** A predeployed account as a starknet.js account, with its keys. */
export class PredeployedChainAccount extends ChainAccount implements PredeployedAccount {
  /** The key that signs its transactions. */
  readonly privateKey: string;
  /** The key that its contract checks signatures with. */
  readonly publicKey: string;

  /** @internal */
  constructor({ address, privateKey, publicKey }: PredeployedAccount, provider: ChainProvider) {
    super({ provider, address, signer: privateKey });
    this.privateKey = privateKey;
    this.publicKey = publicKey;
  }
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
 * Returns the predeployed accounts of a chain, or of a node at a URL.
 *
 * @param provider sends their transactions; by default the result of `getProvider`
 * @example
 * const [alice] = getAccounts(chain);
 * await Promise.all([alice.execute(first), alice.execute(second)]);
 * @throws Error if no node responds at the URL
 */
export function getAccounts(
  chain: ProvidedChain & Pick<Chain, 'accounts'>,
  provider?: ChainProvider,
): readonly PredeployedChainAccount[];
export function getAccounts(
  url: string,
  provider?: ChainProvider,
): Promise<readonly PredeployedChainAccount[]>;
export function getAccounts(
  source: (ProvidedChain & Pick<Chain, 'accounts'>) | string,
  provider: ChainProvider = getProvider(source),
): readonly PredeployedChainAccount[] | Promise<readonly PredeployedChainAccount[]> {
  const connectAccount = (account: PredeployedAccount) =>
    new PredeployedChainAccount(account, provider);
  if (typeof source !== 'string') return source.accounts.map(connectAccount);
  return accountsOf(provider).then((accounts) => accounts.map(connectAccount));
}

async function accountsOf(provider: ChainProvider): Promise<readonly PredeployedAccount[]> {
  const response = await provider.channel.fetch('devnet_getPredeployedAccounts');
  const result = memberOf(await response.json(), 'result');
  if (!Array.isArray(result)) {
    throw new Error(
      `${provider.channel.nodeUrl} lists no predeployed accounts: give the URL of a Starkbox node`,
    );
  }
  return result.map((row) => {
    const { address, private_key, public_key } = membersOf(row);
    return {
      address: String(address),
      privateKey: String(private_key),
      publicKey: String(public_key),
    };
  });
}

/** The node checks no signatures of an impersonated account. */
class NoSigner implements SignerInterface {
  getPubKey = async (): Promise<string> => '0x0';
  signMessage = async (): Promise<Signature> => [];
  signTransaction = async (): Promise<Signature> => [];
  signDeployAccountTransaction = async (): Promise<Signature> => [];
  signDeclareTransaction = async (): Promise<Signature> => [];
}

/** An account whose transactions need no valid signature, as a starknet.js account. */
export class ImpersonatedChainAccount extends ChainAccount implements ImpersonatedAccount {
  /**
   * Ends the impersonation: the node checks signatures of the account again.
   *
   * @throws RpcError if the node rejects the call
   */
  readonly stop: () => Promise<void>;

  /** @internal */
  constructor({ address, stop }: ImpersonatedAccount, provider: ChainProvider) {
    super({ provider, address, signer: new NoSigner() });
    this.stop = stop;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/**
 * Returns any account of the chain, without its key. It pays fees from its balance, which `chain.mint` raises.
 *
 * @throws RpcError if the node rejects the call
 */
export async function impersonate(
  chain: ProvidedChain & Pick<Chain, 'impersonate'>,
  address: BigNumberish,
  provider: ChainProvider = getProvider(chain),
): Promise<ImpersonatedChainAccount> {
  return new ImpersonatedChainAccount(await chain.impersonate(address), provider);
}
