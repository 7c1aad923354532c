// Paymaster (SNIP-29): builds outside executions for users to sign, and sends them by its relayer.
// Errors, their order and the payment follow the service of AVNU (github.com/avnu-labs/paymaster, 2025-07-25): the user
// transfers the largest fee, and gets back in the same transaction what was too much.
import { encodeShortString, fromU256, membersOf, PRIME, toFelt, u256 } from '@starkbox/abi/basics';
import { poseidon, starknetKeccak } from '@starkbox/engine';
import {
  type CONTRACT_EXECUTION_ERROR,
  ERRORS,
  type FEE_ESTIMATE,
  type Methods,
  type PAYMASTER,
  type PAYMASTER_BUILT_TRANSACTION,
  type PAYMASTER_DEPLOYMENT,
  type PAYMASTER_FEE,
  type PAYMASTER_PARAMETERS,
  type PAYMASTER_ROW,
  type PAYMASTER_SIGNED_TRANSACTION,
  type PAYMASTER_TOKEN,
  type PAYMASTER_TRANSACTION,
} from '@starkbox/spec';
import { BoundedMap } from '../bounded-map.js';
import type { Chain } from '../chain/chain.js';
import { readTrace } from '../chain/history/stored-texts.js';
import { inMempool } from '../chain/mempool/mempool.js';
import { type ContractCall, callsAsCalldata } from '../chain/minter.js';
import type { Abis } from '../chain/queries/abis.js';
import { estimateFee, simulate } from '../chain/queries/simulate.js';
import { callCause } from '../chain/world/cause.js';
import { findTransaction, nextTime } from '../chain/world/world.js';
import { fail, RpcError } from '../errors.js';
import type { PaymasterClient, Paymasters } from '../rpc/methods/paymaster.js';
import { SerialQueue } from '../scheduling/serial-queue.js';
import { UserAccounts } from './accounts.js';
import {
  ANY_CALLER,
  checkLength,
  messageHash,
  type OutsideExecution,
  outsideCall,
  readTypedData,
  typedDataOf,
} from './outside-execution.js';
import { Relayer, unsignedInvoke } from './relayer.js';
import { inToken, Settings, type SettingsChange } from './settings.js';

/** Seconds for which typed data is valid by default. */
const VALIDITY = 3600n;
/** The largest fee over the estimate. */
const MAX_FEE_MULTIPLIER = 3n;
/** Requests whose transactions can be looked up. */
const TRACKED = 10_000;
const TRANSFER = starknetKeccak('transfer');
const IS_VALID_SIGNATURE = starknetKeccak('is_valid_signature');
const VALID: readonly string[] = [encodeShortString('VALID'), '0x1'];

type Deployment = PAYMASTER_DEPLOYMENT | undefined;

/** The parts of a request that both methods check. */
interface Request {
  readonly type: PAYMASTER_ROW['type'];
  readonly user: string;
  readonly deployment: Deployment;
  readonly calls: readonly ContractCall[];
}

/** The token of a fee, and whether the user pays it. */
interface Payment {
  readonly token: PAYMASTER_TOKEN;
  readonly isPaid: boolean;
}

type Params<M extends keyof Methods> = Methods[M]['params'];

export class Paymaster implements Paymasters {
  readonly #chain: Chain;
  readonly #relayer: Relayer;
  readonly #accounts: UserAccounts;
  readonly #settings = new Settings();
  /** Hashes by tracking id. */
  readonly #tracked = new BoundedMap<string, string>(TRACKED);
  /** Transactions of the relayer have consecutive nonces. */
  readonly #sending = new SerialQueue();
  #built = 0;

  constructor(chain: Chain, abis: Abis) {
    this.#chain = chain;
    this.#relayer = new Relayer(chain);
    this.#accounts = new UserAccounts(chain, abis);
  }

  /** Whether it takes transactions; then its relayer is ready. */
  async isAvailable(): Promise<boolean> {
    if (this.#settings.isAvailable) await this.prepare();
    return this.#settings.isAvailable;
  }

  get tokens(): readonly PAYMASTER_TOKEN[] {
    return this.#settings.tokens;
  }

  /** What a user signs, and its fee. */
  async build(
    { transaction, parameters }: Params<'paymaster_buildTransaction'>,
    client: PaymasterClient,
  ): Promise<PAYMASTER_BUILT_TRANSACTION> {
    this.#settings.checkAvailable();
    await this.prepare();
    return this.#build(transaction, parameters, client);
  }

  /** Sends what a user has signed. */
  async execute(
    { transaction, parameters }: Params<'paymaster_executeTransaction'>,
    client: PaymasterClient,
  ): Promise<Methods['paymaster_executeTransaction']['result']> {
    this.#settings.checkAvailable();
    await this.prepare();
    return this.#sending.run(async () => {
      return this.#execute(transaction, parameters, client);
    });
  }

  change(change: SettingsChange): PAYMASTER {
    this.#settings.change(change);
    return this.toWire();
  }

  toWire(): PAYMASTER {
    return this.#settings.toWire(this.#relayer.address);
  }

  /** Deploys and funds the relayer where the chain lacks it. */
  prepare(): Promise<void> {
    return this.#sending.run(() => this.#relayer.prepare());
  }

  async #build(
    transaction: PAYMASTER_TRANSACTION,
    parameters: PAYMASTER_PARAMETERS,
    client: PaymasterClient,
  ): Promise<PAYMASTER_BUILT_TRANSACTION> {
    const calls = 'invoke' in transaction ? transaction.invoke.calls : [];
    checkLength(calls, 'params.transaction.invoke.calls');
    const request = requestOf(transaction, calls);
    const { user, deployment } = request;
    const token = this.#checkPayment(parameters, request, client);
    const { after, before } = this.#timeBounds(parameters);
    if (transaction.type !== 'deploy' && calls.length === 0) {
      executionError('The transaction has no calls. Add one, or use the type deploy');
    }
    const classHash = await this.#checkAccounts(request);
    const isPaid = parameters.fee_mode.mode === 'default';
    const isDeployed = deployment?.address !== user;
    const versionOfUser = () => this.#accounts.versionOf(user, classHash, isDeployed);
    // Before the estimate, which accounts of older classes fail by another error.
    if (isPaid || transaction.type !== 'deploy') await versionOfUser();
    const paying = (amount: bigint): readonly ContractCall[] =>
      isPaid ? [...calls, this.#transfer(token, this.#relayer.address, amount)] : calls;
    const payment = { token, isPaid };
    const fee = await this.#estimate(request, paying(1n), payment, client);
    if (!isPaid) this.#settings.checkBudget(BigInt(fee.estimated_fee_in_strk));
    if (transaction.type === 'deploy' && !isPaid) {
      return { type: 'deploy', deployment: transaction.deployment, parameters, fee };
    }
    const signedCalls = paying(BigInt(fee.suggested_max_fee_in_gas_token));
    if (isPaid) await this.#estimate(request, signedCalls, payment, client);
    const execution: OutsideExecution = {
      version: await versionOfUser(),
      caller: this.#relayer.address,
      nonce: await this.#newNonce(),
      executeAfter: after,
      executeBefore: before,
      calls: signedCalls,
    };
    const typed_data = typedDataOf(execution, this.#chainId);
    if (!deployment) return { type: 'invoke', typed_data, parameters, fee };
    return { type: 'deploy_and_invoke', deployment, typed_data, parameters, fee };
  }

  async #execute(
    transaction: PAYMASTER_SIGNED_TRANSACTION,
    parameters: PAYMASTER_PARAMETERS,
    client: PaymasterClient,
  ) {
    const invoke = 'invoke' in transaction ? transaction.invoke : undefined;
    const execution = invoke && this.#readExecution(invoke.typed_data);
    const request = requestOf(transaction, execution?.calls ?? []);
    const { user, deployment, type } = request;
    const messageId = execution && messageHash(execution, this.#chainId, user);
    if (messageId) this.#checkNotWaiting(messageId);
    const token = this.#checkPayment(parameters, request, client);
    const { fee_mode } = parameters;
    const offered = fee_mode.mode === 'default' ? this.#offered(execution, token) : undefined;
    if (execution) this.#checkTime(execution.executeAfter, execution.executeBefore);
    const classHash = await this.#checkAccounts(request);
    const isDeployed = deployment?.address !== user;
    if (execution) {
      await this.#accounts.checkVersion(user, classHash, isDeployed, execution.version);
    }
    const signature = invoke?.signature ?? [];
    const calls = [
      ...(deployment ? [this.#accounts.deployCall(deployment)] : []),
      ...(execution ? [outsideCall(user, execution, signature)] : []),
    ];
    const refunding = (amount: bigint): readonly ContractCall[] =>
      offered === undefined ? calls : [...calls, this.#transfer(token, user, amount)];
    const estimate = await this.#relayer
      .estimate(refunding((offered ?? 0n) / 2n), client.signal)
      .catch((error: unknown) => this.#explain(error, request, messageId, signature, client));
    const fee = BigInt(estimate.overall_fee);
    const paid = offered === undefined ? 0n : inToken(fee, token);
    if (offered === undefined) this.#settings.checkBudget(fee);
    else if (paid > offered) {
      fail('MAX_AMOUNT_TOO_LOW', {
        reason: `The typed data transfers ${offered} units of ${token.token_address}, and the fee is ${paid}. Build the transaction again`,
      });
    }
    const received =
      offered === undefined ? 0n : await this.#received(calls, token, offered, client);
    if (received < paid) {
      executionError(
        `The typed data transfers ${offered} units of ${token.token_address}, but the relayer receives ${received} and the fee is ${paid}. The account must execute the signed calls`,
      );
    }
    const hash = await this.#send(refunding(received - paid), estimate);
    const tracking_id = messageId ?? poseidon([encodeShortString(type), user, hash]);
    this.#tracked.set(tracking_id, hash);
    this.#settings.note({
      tracking_id,
      transaction_hash: hash,
      type,
      user_address: user,
      fee_mode,
      fee_in_strk: fee.toString(),
      fee_in_gas_token: paid.toString(),
    });
    return { tracking_id, transaction_hash: hash };
  }

  /** The newest transaction of a request. */
  track(tracking_id: string): Methods['paymaster_trackingIdToLatestHash']['result'] {
    const transaction_hash = this.#tracked.get(tracking_id);
    if (transaction_hash === undefined) {
      const reason = `The paymaster has sent nothing with the tracking id ${tracking_id}`;
      return fail('INVALID_ID', { reason });
    }
    const { world } = this.#chain;
    if (inMempool(world.mempool, transaction_hash)) {
      return { transaction_hash, status: 'active' as const };
    }
    const located = findTransaction(world, transaction_hash);
    if (!located) return { transaction_hash, status: 'dropped' as const };
    const isPending = located.block === world.pendingState.version;
    return { transaction_hash, status: isPending ? ('active' as const) : ('accepted' as const) };
  }

  get #chainId(): string {
    return encodeShortString(this.#chain.options.chainId);
  }

  /** Checks who pays and for whom; the token that pays. */
  #checkPayment(
    { fee_mode }: PAYMASTER_PARAMETERS,
    { user, calls }: Request,
    client: PaymasterClient,
  ): PAYMASTER_TOKEN {
    if (fee_mode.mode === 'sponsored') this.#settings.checkSponsoring(client.apiKey);
    this.#settings.checkRejected(
      user,
      calls.map(({ to }) => to),
    );
    return this.#settings.token(fee_mode.mode === 'default' ? fee_mode.gas_token : undefined);
  }

  /** The class of the user's account. */
  async #checkAccounts({ user, deployment }: Request): Promise<string> {
    if (deployment) await this.#accounts.checkDeployment(deployment);
    return this.#accounts.classOf(user, deployment);
  }

  #timeBounds({ time_bounds }: PAYMASTER_PARAMETERS) {
    const now = BigInt(nextTime(this.#chain.world));
    if (!time_bounds) return { after: 1n, before: now + VALIDITY };
    const after = BigInt(time_bounds.execute_after);
    const before = BigInt(time_bounds.execute_before);
    this.#checkTime(after, before);
    return { after, before };
  }

  /** Fails if a block that closes now may not contain the execution. */
  #checkTime(after: bigint, before: bigint): void {
    const now = BigInt(nextTime(this.#chain.world));
    if (after < now && now < before) return;
    fail('INVALID_TIME_BOUNDS', {
      reason: `The transaction is valid after ${after} and before ${before}, and the time of the next block is ${now}`,
    });
  }

  /** Fails while the mempool has these typed data: an account executes them once, and the relayer would pay twice. */
  #checkNotWaiting(messageId: string): void {
    const hash = this.#tracked.get(messageId);
    if (hash === undefined || !inMempool(this.#chain.world.mempool, hash)) return;
    executionError(`The transaction ${hash} of this typed data waits in the mempool`);
  }

  #readExecution(typedData: Parameters<typeof readTypedData>[0]): OutsideExecution {
    const { execution, chainId } = readTypedData(typedData);
    if (chainId !== this.#chainId) {
      executionError(`The typed data is for the chain ${chainId}, and this is ${this.#chainId}`);
    }
    const { caller } = execution;
    if (caller !== this.#relayer.address && caller !== ANY_CALLER) {
      executionError(
        `The typed data lets ${caller} execute it, and the relayer is ${this.#relayer.address}. Sign what paymaster_buildTransaction returned`,
      );
    }
    return execution;
  }

  /** The fee that the last call transfers to the relayer. */
  #offered(execution: OutsideExecution | undefined, { token_address }: PAYMASTER_TOKEN): bigint {
    const { to, selector, calldata = [] } = execution?.calls.at(-1) ?? {};
    const [recipient, low = '0x0', high = '0x0'] = calldata;
    const isTransfer = to === token_address && selector === TRANSFER && calldata.length === 3;
    if (isTransfer && recipient === this.#relayer.address) return fromU256(low, high);
    return executionError(
      `The last call does not transfer ${token_address} to the relayer ${this.#relayer.address}. Sign what paymaster_buildTransaction returned`,
    );
  }

  /** What calls give to the relayer in a simulation, and at most what was offered. */
  async #received(
    calls: readonly ContractCall[],
    { token_address: to }: PAYMASTER_TOKEN,
    offered: bigint,
    { signal }: PaymasterClient,
  ): Promise<bigint> {
    const calldata = [this.#relayer.address];
    const balance = { to, selector: await this.#accounts.balanceSelector(to), calldata };
    const results = await this.#resultsOf([balance, ...calls, balance], signal);
    const [before = 0n, after = 0n] = [results.at(0), results.at(-1)].map((felts) =>
      fromU256(felts?.[0] ?? '0x0', felts?.[1] ?? '0x0'),
    );
    return after - before < offered ? after - before : offered;
  }

  #transfer({ token_address }: PAYMASTER_TOKEN, recipient: string, amount: bigint): ContractCall {
    const { low, high } = u256(amount);
    return { to: token_address, selector: TRANSFER, calldata: [recipient, low, high] };
  }

  /** Differs for each typed data; the same requests to the same chain give the same nonces. */
  async #newNonce(): Promise<string> {
    this.#built += 1;
    const { pendingState: state } = this.#chain.world;
    const nonce = await this.#relayer.nonce();
    return poseidon([
      this.#relayer.address,
      toFelt(nonce),
      toFelt(state.version),
      toFelt(this.#built),
    ]);
  }

  /**
   * The fee of a transaction that is not signed yet: of the calls, as if the account of the user sent them, and of a
   * transaction of the relayer that does the rest: it deploys the account, checks signatures and returns tokens.
   */
  async #estimate(
    { user, deployment }: Request,
    calls: readonly ContractCall[],
    { token, isPaid }: Payment,
    { signal }: PaymasterClient,
  ): Promise<PAYMASTER_FEE> {
    const { pendingState: state } = this.#chain.world;
    const outer = await this.#relayer.invoke([
      ...(deployment ? [this.#accounts.deployCall(deployment)] : []),
      ...this.#relayer.signatureChecks(),
      ...(isPaid ? [this.#transfer(token, user, 0n)] : []),
    ]);
    const userInvoke =
      calls.length === 0
        ? []
        : [unsignedInvoke(user, await state.nonceAt(user), callsAsCalldata(calls))];
    const fees = await estimateFee(
      this.#chain,
      [outer, ...userInvoke],
      { skipValidate: true },
      'pre_confirmed',
      signal,
    ).catch(asExecutionError);
    const estimated = fees.reduce((sum, { overall_fee }) => sum + BigInt(overall_fee), 0n);
    const most = estimated * MAX_FEE_MULTIPLIER;
    if (inToken(most, token) >= PRIME) {
      executionError(`The fee is larger than a felt of ${token.token_address}. Raise its price`);
    }
    return {
      gas_token_price_in_strk: token.price_in_strk,
      estimated_fee_in_strk: toFelt(estimated),
      estimated_fee_in_gas_token: toFelt(inToken(estimated, token)),
      suggested_max_fee_in_strk: toFelt(most),
      suggested_max_fee_in_gas_token: toFelt(inToken(most, token)),
    };
  }

  async #send(calls: readonly ContractCall[], estimate: FEE_ESTIMATE): Promise<string> {
    const invoke_transaction = await this.#relayer.invoke(calls, estimate);
    const cause = callCause('starknet_addInvokeTransaction', { invoke_transaction });
    const { hash } = await this.#chain
      .submit(invoke_transaction, cause)
      .catch((error: unknown) => asExecutionError(error));
    return hash;
  }

  /** Finds out why an execution failed: the deployment, the signature, or the calls. */
  async #explain(
    error: unknown,
    { user, deployment }: Request,
    messageId: string | undefined,
    signature: readonly string[],
    { signal }: PaymasterClient,
  ): Promise<never> {
    const deploying = deployment ? [this.#accounts.deployCall(deployment)] : [];
    if (deployment) await this.#relayer.estimate(deploying, signal).catch(asExecutionError);
    const classHash = await this.#accounts.classOf(user, deployment);
    if (messageId && (await this.#accounts.hasFunction(classHash, 'is_valid_signature'))) {
      const calldata = [messageId, toFelt(signature.length), ...signature];
      const check = { to: user, selector: IS_VALID_SIGNATURE, calldata };
      const results = await this.#resultsOf([...deploying, check], signal);
      if (!VALID.includes(results.at(-1)?.[0] ?? '')) {
        fail('INVALID_SIGNATURE', {
          reason: `The account ${user} rejects the signature of the typed data, whose hash is ${messageId}`,
        });
      }
    }
    return asExecutionError(error);
  }

  /** What each call returns in a simulation; nothing if one of them fails. */
  async #resultsOf(
    calls: readonly ContractCall[],
    signal: AbortSignal | undefined,
  ): Promise<readonly (readonly string[])[]> {
    const transaction = await this.#relayer.invoke(calls);
    const flags = ['SKIP_VALIDATE', 'SKIP_FEE_CHARGE'] as const;
    const { transactions } = await simulate(
      this.#chain,
      [transaction],
      flags,
      'pre_confirmed',
      signal,
    );
    const root = readTrace(transactions[0]?.trace ?? '{}').execute_invocation;
    return root && 'calls' in root ? root.calls.map(({ result }) => result) : [];
  }
}

function requestOf(
  transaction: PAYMASTER_TRANSACTION | PAYMASTER_SIGNED_TRANSACTION,
  calls: readonly ContractCall[],
): Request {
  const { type } = transaction;
  const deployment = 'deployment' in transaction ? transaction.deployment : undefined;
  const user =
    'invoke' in transaction ? transaction.invoke.user_address : transaction.deployment.address;
  return { type, user, deployment, calls };
}

function executionError(error: CONTRACT_EXECUTION_ERROR): never {
  return fail('PAYMASTER_EXECUTION_ERROR', { execution_error: error });
}

/** An error of an execution as SNIP-29 has it. */
function asExecutionError(error: unknown): never {
  if (!(error instanceof RpcError)) throw error;
  const { code, message, data } = error;
  if (code === ERRORS.TRANSACTION_EXECUTION_ERROR.code) {
    fail('PAYMASTER_EXECUTION_ERROR', { execution_error: membersOf(data)['execution_error'] });
  }
  return executionError(typeof data === 'string' ? `${message}: ${data}` : message);
}
