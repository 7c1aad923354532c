// A starknet.js contract whose errors have the line of the test, and name the functions that there are.
import { readAbi } from '@starkbox/abi';
import { trust } from '@starkbox/abi/basics';
import { nameInAbi } from '@starkbox/abi/internal';
import { type ArgsOrCalldata, Contract, type ExecuteOptions } from 'starknet';
import { withCallSite } from './call-site.js';
import { rewrite } from './failures.js';

/** How starknet.js rejects a name, without the name. */
const UNKNOWN_METHOD = /^(invocable|viewable) method not found in abi$/;

export class ChainContract extends Contract {
  override call: Contract['call'] = (method, ...params) =>
    this.#run(this.call, method, () => super.call(method, ...params));

  // It has several signatures, which a function of one call has not.
  override invoke: Contract['invoke'] = trust(
    (method: string, args?: ArgsOrCalldata, options?: ExecuteOptions) =>
      this.#run(this.invoke, method, () => super.invoke(method, args, options)),
  );

  override estimate: Contract['estimate'] = (method, ...params) =>
    this.#run(this.estimate, method, () => super.estimate(method, ...params));

  #run<T>(entry: (...params: never) => unknown, method: string, run: () => Promise<T>): Promise<T> {
    return withCallSite(entry, () => run().catch((error) => this.#rethrow(method, error)));
  }

  #rethrow(method: string, error: unknown): never {
    if (error instanceof Error) {
      const kind = UNKNOWN_METHOD.exec(error.message)?.[1];
      if (kind !== undefined) rewrite(error, this.#unknown(method, kind === 'viewable'));
    }
    throw error;
  }

  #unknown(method: string, isView: boolean): string {
    const abi = readAbi(this.abi);
    const functions = [...abi.functions.values()];
    const contract = `${nameInAbi(abi) ?? 'The contract'} at ${this.address}`;
    if (functions.some(({ name }) => name === method)) {
      return isView
        ? `${method} of ${contract} is no view: send a transaction with invoke('${method}')`
        : `${method} of ${contract} is a view: read it with call('${method}')`;
    }
    const kind = isView ? 'view' : 'external';
    const names = functions.filter((entry) => entry.kind === kind).map(({ name }) => name);
    const what = isView ? 'views' : 'functions to invoke';
    return `${contract} has no function '${method}'. Its ${what}: ${names.join(', ') || 'none'}`;
  }
}
