// Calls of a node by groups, as the library devnet-js has them: messages of L1, impersonation.

import type { Methods } from '@starkbox/spec';
import { hex } from '../felt.js';

/** A typed call of a node. */
export type Send = <M extends keyof Methods>(
  method: M,
  params: Methods[M]['params'],
) => Promise<Methods[M]['result']>;

type BigNumberish = string | number | bigint;
type Result<M extends keyof Methods> = Promise<Methods[M]['result']>;

const felt = (value: BigNumberish): string => hex(BigInt(value));

/** Messages between L1 and L2. */
export class Postman {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  flush({ dryRun = false }: { dryRun?: boolean } = {}): Result<'devnet_postmanFlush'> {
    return this.#send('devnet_postmanFlush', { dry_run: dryRun });
  }

  loadL1MessagingContract(
    networkUrl: string,
    messagingContractAddress?: string,
    deployerAccountPrivateKey?: string,
  ): Result<'devnet_postmanLoad'> {
    return this.#send('devnet_postmanLoad', {
      network_url: networkUrl,
      ...(messagingContractAddress === undefined
        ? {}
        : { messaging_contract_address: messagingContractAddress }),
      ...(deployerAccountPrivateKey === undefined
        ? {}
        : { deployer_account_private_key: deployerAccountPrivateKey }),
    });
  }

  sendMessageToL2(
    l2ContractAddress: string,
    entryPointSelector: string,
    l1ContractAddress: string,
    payload: readonly BigNumberish[],
    nonce: BigNumberish,
    paidFeeOnL1: BigNumberish,
  ): Result<'devnet_postmanSendMessageToL2'> {
    return this.#send('devnet_postmanSendMessageToL2', {
      l2_contract_address: l2ContractAddress,
      entry_point_selector: entryPointSelector,
      l1_contract_address: l1ContractAddress,
      payload: payload.map(felt),
      nonce: felt(nonce),
      paid_fee_on_l1: felt(paidFeeOnL1),
    });
  }

  consumeMessageFromL2(
    fromAddress: string,
    toAddress: string,
    payload: readonly BigNumberish[],
  ): Result<'devnet_postmanConsumeMessageFromL2'> {
    return this.#send('devnet_postmanConsumeMessageFromL2', {
      from_address: fromAddress,
      to_address: toAddress,
      payload: payload.map(felt),
    });
  }
}

/** Impersonation of accounts. */
export class Cheats {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  async impersonateAccount(address: string): Promise<void> {
    await this.#send('devnet_impersonateAccount', { account_address: address });
  }

  async stopImpersonateAccount(address: string): Promise<void> {
    await this.#send('devnet_stopImpersonateAccount', { account_address: address });
  }

  async autoImpersonate(): Promise<void> {
    await this.#send('devnet_autoImpersonate', {});
  }

  async stopAutoImpersonate(): Promise<void> {
    await this.#send('devnet_stopAutoImpersonate', {});
  }
}
