// A chain with the contracts that fail, and the ways to let a transaction or a call fail on it.
import { Class, Transaction, type TransactionValues } from '@starkbox/engine';
import type { Explanation, LocalChain } from 'starkbox';
import { classText } from '../../contracts/classes.js';
import { type Fixture, startFixture } from './fixture.js';
import {
  type Call,
  type Contract,
  deployAccountRequest,
  type NewAccount,
  newAccount,
  Sender,
  selector,
} from './signing.js';

const METHODS: Readonly<Record<string, string>> = {
  INVOKE: 'starknet_addInvokeTransaction',
  DECLARE: 'starknet_addDeclareTransaction',
  DEPLOY_ACCOUNT: 'starknet_addDeployAccountTransaction',
};

export interface FailingChain {
  readonly node: LocalChain;
  readonly fixture: Fixture;
  readonly sender: Sender;
  /** Addresses by the names of contracts; those of the older compiler end in `-2.8`. */
  readonly contracts: Readonly<Record<string, string>>;
  readonly classes: Readonly<Record<string, Contract>>;
  /** Sends a transaction, whatever becomes of it. */
  explainSent(request: TransactionValues): Promise<Explanation>;
  explainInvoke(calls: readonly Call[], changes?: TransactionValues): Promise<Explanation>;
  /** The explanation in the error of a method. */
  explainError(method: string, params: object | readonly unknown[]): Promise<Explanation>;
  explainCall(to: string, name: string, calldata?: readonly string[]): Promise<Explanation>;
  /** An account that has STRK and is not deployed. */
  fundedAccount(classHash: string, constructorCalldata?: readonly string[]): Promise<NewAccount>;
  deployed(account: NewAccount): Promise<NewAccount>;
}

const DEPLOYED: readonly (readonly [name: string, calldata: readonly string[]])[] = [
  ['failures', ['0x0']],
  ['failing_callee', ['0x0']],
  ['failing_calls', []],
  ['reverter', []],
  ['reverter-2.8', []],
  ['counter', ['0x5']],
  ['counter-2.8', ['0x5']],
  ['bridge', []],
];
const DECLARED = ['failing_library', 'failing_account', 'account'];

export async function startFailingChain(): Promise<FailingChain> {
  const fixture = await startFixture({ predeclareArgent: true });
  const { client, node, account } = fixture;
  const sender = new Sender(client, account());
  const classes: Record<string, Contract> = {};
  const contracts: Record<string, string> = {};
  for (const [name, calldata] of DEPLOYED) {
    classes[name] = await compiled(name);
    contracts[name] = await sender.deploy(classes[name], calldata, '0x5');
  }
  for (const name of DECLARED) {
    classes[name] = await compiled(name);
    await sender.declare(classes[name]);
  }
  const explain = (hash: string): Promise<Explanation> =>
    client.call('devnet_explainTransaction', [hash]);
  const errorOf = async (method: string, params: object): Promise<Explanation | undefined> =>
    Object((await client.failure(method, params)).data).explained;
  const explainSent = async (request: TransactionValues): Promise<Explanation> => {
    const method = METHODS[String(request['type'])] ?? '';
    const response = await node.requestRaw(method, [request]).catch(() => undefined);
    if (response !== undefined) return explain(Object(response).transaction_hash);
    return (
      (await errorOf(method, [request])) ?? explain(new Transaction(request, 'SN_SEPOLIA').hash)
    );
  };
  const explainError: FailingChain['explainError'] = async (method, params) => {
    const explained = await errorOf(method, params);
    if (!explained) throw new Error(`the error of ${method} has no explanation`);
    return explained;
  };
  return {
    node,
    fixture,
    sender,
    contracts,
    classes,
    explainSent,
    explainInvoke: async (calls, changes) =>
      explainSent(await sender.invokeRequest(calls, changes)),
    explainError,
    explainCall(to, name, calldata = []) {
      const request = { contract_address: to, entry_point_selector: selector(name), calldata };
      return explainError('starknet_call', [request, 'latest']);
    },
    async fundedAccount(classHash, constructorCalldata) {
      const account = newAccount('0x77', {
        classHash,
        ...(constructorCalldata ? { constructorCalldata } : {}),
      });
      await node.mint(account.address, 10n ** 21n);
      return account;
    },
    async deployed(account) {
      await client.call('starknet_addDeployAccountTransaction', [deployAccountRequest(account)]);
      return account;
    },
  };
}

async function compiled(name: string): Promise<Contract> {
  const [plain = name, older] = name.split('-');
  const compiledClass = await Class.compile(
    await classText(plain, older === '2.8' ? '2.8' : '2.19'),
  );
  return {
    class: compiledClass,
    hash: compiledClass.hash,
    compiledHash: compiledClass.compiledClassHash ?? '0x0',
    body: JSON.parse(await compiledClass.json()),
  };
}
