// Methods of the wallet API.

import type { Sierra } from '@starkbox/abi';
import { type Members, padFelt } from '@starkbox/abi/basics';
import { NoClass, readClass } from '@starkbox/abi/internal';
import {
  classHash,
  InvalidTypedData,
  messageHash,
  readTypedData,
  Sender,
  signedMessage,
  type TypedData,
} from '@starkbox/signing';
import type { RequestFn, RpcTypeToMessageMap } from '@starknet-io/types-js';
import type { Approvals } from './approvals.js';
import { invalid, WalletError } from './errors.js';
import { NodeError } from './node.js';
import {
  checkActions,
  checkProof,
  checkShadowAccount,
  checkTokens,
  notRegistered,
} from './private-balances.js';
import { callsOf, feltOf, fieldsOf, listOf, textOf } from './read.js';
import type { Session } from './session.js';

type Messages = RpcTypeToMessageMap;
export type Method = keyof Messages;
type Methods = { readonly [M in Method]: (params: Members) => Promise<Messages[M]['result']> };

/** Versions of the wallet API; a request may ask for one of them or for a patch of it. */
const API_VERSIONS: Messages['wallet_supportedWalletApi']['result'] = ['0.7', '0.8', '0.9', '0.10'];

export class Wallet {
  readonly session: Session;
  readonly approvals: Approvals;
  readonly #methods: Methods;
  readonly #sender = new Sender();
  #connecting: Promise<void> | undefined;

  constructor(session: Session, approvals: Approvals) {
    this.session = session;
    this.approvals = approvals;
    this.#methods = this.#createMethods();
  }

  readonly request: RequestFn = async ({ type, params }) => {
    const method = Object.hasOwn(this.#methods, type) ? this.#methods[type] : undefined;
    if (!method) throw new WalletError('UNKNOWN_ERROR', `This wallet has no method ${type}.`);
    const fields = params === undefined ? {} : fieldsOf(params, 'params');
    checkVersion(fields['api_version']);
    return method(fields).catch((error: unknown) => {
      throw asWalletError(error);
    });
  };

  #createMethods(): Methods {
    const { session } = this;
    return {
      wallet_getPermissions: async () => (session.isConnected ? ['accounts'] : []),
      wallet_requestAccounts: (params) => this.#requestAccounts(params),
      wallet_requestChainId: () => session.node.chainId(),
      wallet_deploymentData: async () => {
        throw new WalletError('ACCOUNT_ALREADY_DEPLOYED', 'The accounts of the node are deployed.');
      },
      wallet_addInvokeTransaction: (params) => this.#addInvokeTransaction(params),
      wallet_addDeclareTransaction: (params) => this.#addDeclareTransaction(params),
      wallet_signTypedData: (params) => this.#signTypedData(params),
      wallet_watchAsset: (params) => this.#watchAsset(params),
      wallet_addStarknetChain: (params) => this.#addStarknetChain(params),
      wallet_switchStarknetChain: (params) => this.#switchStarknetChain(params),
      wallet_supportedSpecs: async () => [
        versionOf(await session.node.call('starknet_specVersion')),
      ],
      wallet_supportedWalletApi: async () => [...API_VERSIONS],
      wallet_strk20InvokeTransaction: notRegistered(checkActions),
      wallet_strk20PrepareInvoke: notRegistered(checkActions),
      wallet_strk20Balances: notRegistered(checkTokens),
      wallet_strk20ShadowAccountCommitment: notRegistered(checkShadowAccount),
    };
  }

  async #requestAccounts(params: Members): Promise<string[]> {
    const { session } = this;
    if (!session.isConnected) {
      if (params['silent_mode'] === true) return [];
      // Pages ask twice in a row; a person is asked once.
      this.#connecting ??= this.#connect(params).finally(() => {
        this.#connecting = undefined;
      });
      await this.#connecting;
    }
    return [(await session.signer()).address];
  }

  async #connect(params: Members): Promise<void> {
    await this.approvals.ask('wallet_requestAccounts', params);
    // Fails where the node gives no accounts.
    await this.session.signer();
    this.session.connect();
  }

  #requireConnection(method: Method): void {
    if (this.session.isConnected) return;
    const reason = `The page is not connected: call wallet_requestAccounts before ${method}.`;
    throw new WalletError('UNKNOWN_ERROR', reason);
  }

  async #addInvokeTransaction(params: Members) {
    this.#requireConnection('wallet_addInvokeTransaction');
    const calls = callsOf(params['calls']);
    if (params['proof'] !== undefined) {
      checkProof(params['proof']);
      throw new WalletError('UNKNOWN_ERROR', 'This wallet sends no proofs.');
    }
    await this.approvals.ask('wallet_addInvokeTransaction', params);
    const { session } = this;
    const hash = await this.#sender.invoke(session.node, await session.signer(), calls);
    return { transaction_hash: padFelt(hash) };
  }

  async #addDeclareTransaction(params: Members) {
    this.#requireConnection('wallet_addDeclareTransaction');
    const sierra = sierraOf(params['contract_class']);
    const compiled = feltOf(params['compiled_class_hash'], 'compiled_class_hash');
    const hash = await classHash(sierra);
    const hashParam = params['class_hash'];
    if (hashParam !== undefined && feltOf(hashParam, 'class_hash') !== hash)
      throw invalid('class_hash is not the hash of contract_class.');
    await this.approvals.ask('wallet_addDeclareTransaction', params);
    const { session } = this;
    const hashes = { classHash: hash, compiledClassHash: compiled };
    const signer = await session.signer();
    const transaction = await this.#sender.declare(session.node, signer, sierra, hashes);
    return { transaction_hash: padFelt(transaction), class_hash: padFelt(hash) };
  }

  async #signTypedData(params: Members): Promise<string[]> {
    this.#requireConnection('wallet_signTypedData');
    const data = typedDataOf(params);
    await this.approvals.ask('wallet_signTypedData', params);
    const { address, privateKey } = await this.session.signer();
    return [...signedMessage(data, address, privateKey)];
  }

  async #watchAsset(params: Members): Promise<boolean> {
    if (params['type'] !== 'ERC20') throw invalid('type is not ERC20.');
    const { address } = fieldsOf(params['options'], 'options');
    const contract = feltOf(address, 'options.address');
    const { functions } = await this.session.node.abiAt(contract);
    const names = new Set([...functions.values()].map(({ name }) => name));
    if (!names.has('transfer') || !(names.has('balance_of') || names.has('balanceOf')))
      throw new WalletError('NOT_ERC20', `${contract} is not an ERC20 contract.`);
    await this.approvals.ask('wallet_watchAsset', params);
    return true;
  }

  async #addStarknetChain(params: Members): Promise<boolean> {
    const chainId = feltOf(params['chain_id'], 'chain_id');
    const [url] = listOf(params['rpc_urls'] ?? [], 'rpc_urls');
    const isKnown = (await this.session.nodeOf(chainId)) !== undefined;
    if (!isKnown && !(typeof url === 'string' && URL.canParse(url)))
      throw invalid('rpc_urls has no address of a node.');
    await this.approvals.ask('wallet_addStarknetChain', params);
    if (!isKnown) this.session.addChain(chainId, String(url));
    return true;
  }

  async #switchStarknetChain(params: Members): Promise<boolean> {
    const { session } = this;
    const chainId = feltOf(params['chainId'], 'chainId');
    if ((await session.node.chainId()) === chainId) return true;
    const node = await session.nodeOf(chainId);
    if (!node) {
      const reason = `The wallet has no network ${chainId}: add it with wallet_addStarknetChain.`;
      throw new WalletError('UNLISTED_NETWORK', reason);
    }
    await this.approvals.ask('wallet_switchStarknetChain', params);
    if ((await node.chainId()) !== chainId) {
      const reason = `The node at ${node.url} has another chain id than ${chainId}.`;
      throw new WalletError('CHAIN_ID_NOT_SUPPORTED', reason);
    }
    await session.switchTo(node);
    return true;
  }
}

type SpecVersion = Messages['wallet_supportedSpecs']['result'][number];

const isVersion = (text: string): text is SpecVersion => /^\d+\.\d+(\.\d+(-[\w.-]+)?)?$/.test(text);

function versionOf(answer: unknown): SpecVersion {
  const text = textOf(answer, 'the version');
  if (isVersion(text)) return text;
  throw new WalletError('UNKNOWN_ERROR', `The node returned ${text} as its version.`);
}

function checkVersion(requested: unknown): void {
  if (requested === undefined) return;
  const isKnown = API_VERSIONS.some(
    (version) => typeof requested === 'string' && `${requested}.`.startsWith(`${version}.`),
  );
  if (isKnown) return;
  const reason = `This wallet has the versions ${API_VERSIONS.join(', ')} of the wallet API.`;
  throw new WalletError('API_VERSION_NOT_SUPPORTED', reason);
}

function sierraOf(value: unknown): Sierra {
  try {
    const file = readClass(value);
    if (file.kind === 'sierra') return file.sierra;
  } catch (error) {
    if (error instanceof NoClass) throw invalid(error.message);
    throw error;
  }
  throw invalid('contract_class is not a Sierra class.');
}

/** Typed data that can be hashed. */
function typedDataOf(params: Members): TypedData {
  try {
    const data = readTypedData(params);
    messageHash(data, '0x1');
    return data;
  } catch (error) {
    if (error instanceof InvalidTypedData) throw invalid(error.message);
    throw error;
  }
}

function asWalletError(error: unknown): unknown {
  if (!(error instanceof NodeError)) return error;
  const { code, message, data } = error;
  return new WalletError('UNKNOWN_ERROR', {
    code,
    message,
    ...(data === undefined ? {} : { data }),
  });
}
