// Random transactions on a node with our own contracts, some of which have no debug information.
import { ETH_ADDRESS } from '@starkbox/abi/internal';
import { type Fixture, startFixture } from '@starkbox/test-support/fixture';
import type { Random } from '@starkbox/test-support/random';
import {
  bounds,
  type Call,
  contract,
  deployment,
  hex,
  LEGACY_UDC,
  selector,
} from '@starkbox/test-support/signing';
import { classTextWithPlaces } from '../../../../contracts/classes.js';
import type { Caller } from '../../src/index.js';

/** Contracts whose artifacts the node has, with arguments of their constructors. */
const WITH_LINES: readonly (readonly [name: string, calldata: readonly string[]])[] = [
  ['counter', ['0x5']],
  ['ledger', ['0x1']],
  ['reverter', []],
  ['failures', ['0x0']],
  ['failing_callee', ['0x0']],
  ['failing_calls', []],
];
const WITHOUT_LINES: readonly (readonly [name: string, calldata: readonly string[]])[] = [
  ['emitter', []],
  ['slots', []],
];

const ENOUGH = bounds({ l1_gas: 100_000n, l1_data_gas: 100_000n, l2_gas: 10n ** 10n });

export class Corpus {
  readonly caller: Caller;
  readonly #fixture: Fixture;
  readonly #addresses: ReadonlyMap<string, string>;
  readonly #counterClass: string;
  #deployments = 0;

  constructor(fixture: Fixture, addresses: ReadonlyMap<string, string>, counterClass: string) {
    this.#fixture = fixture;
    this.#counterClass = counterClass;
    this.#addresses = addresses;
    this.caller = (method, params) => fixture.node.requestRaw(method, params);
  }

  static async create(): Promise<Corpus> {
    // The artifact of the largest contract has many values.
    const fixture = await startFixture();
    const { sender, client } = fixture;
    const addresses = new Map<string, string>();
    for (const [name, calldata] of [...WITH_LINES, ...WITHOUT_LINES]) {
      addresses.set(name, await sender.deploy(await contract(name), calldata));
    }
    await sender.declare(await contract('failing_library'));
    // It is large: its declaration takes more gas than the usual bounds have.
    const variables = await contract('variables');
    await sender.declare(variables, { resource_bounds: ENOUGH });
    const { contract_address } = await client.call('devnet_deploy', { class_hash: variables.hash });
    addresses.set('variables', contract_address);
    const named = [...WITH_LINES.map(([withLines]) => withLines), 'failing_library', 'variables'];
    for (const name of named) {
      const artifact: object = JSON.parse(await classTextWithPlaces(name));
      await client.call('devnet_addArtifact', { artifact });
    }
    return new Corpus(fixture, addresses, (await contract('counter')).hash);
  }

  /** Sends a random transaction, which may be reverted. */
  send(random: Random): Promise<string> {
    const calls = Array.from({ length: 1 + random.below(3) }, () => this.#call(random, 0));
    return this.#fixture.sender.invoke(calls);
  }

  #deploymentOptions(): { readonly salt: string; readonly udc: string } {
    this.#deployments += 1;
    return { salt: hex(0x100 + this.#deployments), udc: LEGACY_UDC };
  }

  #address(name: string): string {
    const address = this.#addresses.get(name);
    if (address === undefined) throw new Error(`${name} is not deployed`);
    return address;
  }

  #call(random: Random, depth: number): Call {
    const to = (name: string): string => this.#address(name);
    const small = (): string => hex(random.below(5));
    const list = (): readonly string[] => {
      const items = Array.from({ length: random.below(4) }, small);
      return [hex(items.length), ...items];
    };
    const target = (): readonly string[] => {
      const { to: address, name, calldata = [] } = this.#call(random, depth + 1);
      return [address, selector(name), hex(calldata.length), ...calldata];
    };
    const of = (contractName: string, name: string, ...calldata: readonly string[]): Call => ({
      to: to(contractName),
      name,
      calldata,
    });
    const calls: readonly (() => Call)[] = [
      () => of('counter', 'increase', small()),
      () => of('counter', 'get'),
      () => of('ledger', 'rename', '0x0', '0x616263', '0x3'),
      () => of('ledger', 'grant', small(), small(), small(), small()),
      () => of('ledger', 'open', small(), '0x0', small()),
      () => of('ledger', 'note', small()),
      () => of('ledger', 'pause', hex(random.below(2))),
      () => of('reverter', 'recurse', small()),
      () => of('reverter', 'burn', hex(random.below(20))),
      () => of('reverter', 'write_then_fail', small(), ...list()),
      () => of('failures', 'looped', ...list()),
      () => of('failures', 'closure', hex(random.below(200))),
      () => of('failures', 'inlined', hex(random.below(200))),
      () => of('failures', 'generic', hex(random.below(200))),
      () => of('failures', 'add_u8', hex(random.below(256)), hex(random.below(256))),
      () => of('failures', 'dictionary_overflow', small(), small()),
      () => of('variables', 'inlined', small(), small()),
      () => of('variables', 'inlined', small(), small()),
      () => of('variables', 'closures', small()),
      () => of('variables', 'for_loops', small()),
      () => of('variables', 'while_loops', small()),
      () => of('variables', 'structs', small(), small()),
      () => of('failing_calls', 'call_caught', to('failing_callee'), small()),
      () => of('failing_calls', 'call_check', to('failing_callee'), small()),
      () => of('emitter', 'emit_batch', small(), small(), small()),
      () => of('slots', 'fill', small(), small()),
      // Cairo 0 code.
      () => deployment(this.#counterClass, ['0x1'], this.#deploymentOptions()).call,
      () => ({ to: ETH_ADDRESS, name: 'transfer', calldata: ['0x1', small(), '0x0'] }),
    ];
    const nested: readonly (() => Call)[] = [
      () => of('reverter', 'forward', ...target()),
      () => of('reverter', 'catch', ...target()),
    ];
    return random.pick(depth < 3 ? [...calls, ...nested, ...nested, ...nested] : calls)();
  }
}
