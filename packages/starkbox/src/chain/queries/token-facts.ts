// Names, symbols and decimals of tokens, as their contracts return them.
import { type Abi, decodeOutputs, selectorOf } from '@starkbox/abi';
import { toFelt } from '@starkbox/abi/basics';
import { visibleName } from '@starkbox/abi/internal';
import type { TOKEN_FACTS } from '@starkbox/spec';
import { BoundedMap } from '../../bounded-map.js';
import type { BlockRules } from '../execution/block-context.js';
import type { Executions } from '../execution/executions.js';
import { contextAt } from '../retrace/retrace.js';
import { pendingNumber } from '../world/find-block.js';
import type { World } from '../world/world.js';
import type { Abis } from './abis.js';

/** Contracts whose facts are kept. */
const MAX_TOKENS = 5_000;
/** Blocks after which a token without a name is called again, at the latest. */
const MAX_PAUSE = 64;
const MAX_DECIMALS = 255n;
/** Characters of a short string in a felt. */
const SHORT_STRING = 31;

/** Where tokens are called. */
export interface TokenChain {
  readonly options: BlockRules;
  readonly executions: Pick<Executions, 'call'>;
}

interface Kept {
  readonly facts: TOKEN_FACTS | undefined;
  /** The last block whose names these are: a token may be named after its deployment. */
  readonly until: number;
  /** Blocks for which it is not called again; twice as many each time, up to a limit. */
  readonly pause: number;
}

/** Tokens of one chain. Each is called once; one without a name again, ever more rarely. */
export class TokenFacts {
  readonly #chain: TokenChain;
  readonly #abis: Abis;
  readonly #kept = new BoundedMap<string, Kept>(MAX_TOKENS);

  constructor(chain: TokenChain, abis: Abis) {
    this.#chain = chain;
    this.#abis = abis;
  }

  /** @param classHash a class with `decimals` */
  async of(
    world: World,
    address: string,
    classHash: string,
    signal?: AbortSignal,
  ): Promise<TOKEN_FACTS | undefined> {
    const key = `${address} ${classHash}`;
    const number = pendingNumber(world);
    const kept = this.#kept.get(key);
    if (kept && number <= kept.until) return kept.facts;
    const facts = await this.#read(world, address, classHash, signal);
    const isUnnamed = facts !== undefined && facts.name === undefined;
    const pause = isUnnamed
      ? Math.min(2 * (kept?.pause ?? 0.5), MAX_PAUSE)
      : Number.POSITIVE_INFINITY;
    this.#kept.set(key, { facts, until: number + pause - 1, pause });
    return facts;
  }

  async #read(
    world: World,
    address: string,
    classHash: string,
    signal: AbortSignal | undefined,
  ): Promise<TOKEN_FACTS | undefined> {
    const abi = await this.#abis.of(classHash, world.pendingState);
    const call = (name: string) => (abi ? this.#call(world, address, name, abi, signal) : []);
    const [decimals] = await call('decimals');
    const count = decimals?.kind === 'number' ? decimals.value : feltNumber(decimals);
    if (count === undefined || count > MAX_DECIMALS) return undefined;
    const name = textIn((await call('name'))[0]);
    const symbol = textIn((await call('symbol'))[0]);
    return {
      ...(name === undefined ? {} : { name }),
      ...(symbol === undefined ? {} : { symbol }),
      decimals: Number(count),
    };
  }

  /** Nothing for a function that the class lacks or that fails. */
  async #call(
    world: World,
    address: string,
    name: string,
    abi: Abi,
    signal: AbortSignal | undefined,
  ): Promise<readonly Value[]> {
    const selector = selectorOf(name);
    const entry = abi.functions.get(selector);
    if (!entry || entry.inputs.length > 0) return [];
    const { executions, options } = this.#chain;
    const location = { world, number: pendingNumber(world), state: world.pendingState };
    const call = { contract_address: address, entry_point_selector: selector, calldata: [] };
    try {
      const context = contextAt(location, options);
      const { result } = await executions.call(location.state, context, call, { signal });
      return (result && decodeOutputs(entry, result, abi)) ?? [];
    } catch (error) {
      // A call that did not run says nothing about the token.
      if (signal?.aborted) throw error;
      return [];
    }
  }
}

type Value = NonNullable<ReturnType<typeof decodeOutputs>>[number];

/** Cairo 0 declares numbers as felts. */
function feltNumber(value: Value | undefined): bigint | undefined {
  return value?.kind === 'felt' ? BigInt(value.felt) : undefined;
}

/** The text of a ByteArray or of a short string. */
function textIn(value: Value | undefined): string | undefined {
  if (value?.kind === 'text') return visibleName(value.text);
  if (value?.kind === 'number') return visibleName(shortString(toFelt(value.value)));
  return value?.kind === 'felt' ? visibleName(shortString(value.felt)) : undefined;
}

function shortString(felt: string): string {
  const digits = felt.slice(2);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  return bytes.length > SHORT_STRING ? '' : bytes.toString('utf8');
}
