// Names and entry points of classes, as reports show them.
import { type Abi, readAbi, selectorOf } from '@starkbox/abi';
import { canonicalFelt, listOf, membersOf } from '@starkbox/abi/basics';
import { nameInAbi } from '@starkbox/abi/internal';
import { BoundedMap } from '../../bounded-map.js';
import type { World } from '../world/world.js';

/** Classes whose facts are kept. */
const CACHED = 200;
const TYPES = ['EXTERNAL', 'CONSTRUCTOR', 'L1_HANDLER'] as const;
const CONSTRUCTOR = selectorOf('constructor');

export interface EntryPoint {
  readonly type: (typeof TYPES)[number];
  readonly selector: string;
}

export class ClassFacts {
  readonly #abi: Abi;
  readonly name: string | undefined;
  readonly entryPoints: readonly EntryPoint[];

  /** @param json as `starknet_getClass` shows the class */
  constructor(json: string) {
    const { abi, entry_points_by_type } = membersOf(JSON.parse(json));
    this.#abi = readAbi(abi);
    this.name = nameInAbi(this.#abi);
    const byType = membersOf(entry_points_by_type);
    this.entryPoints = TYPES.flatMap((type) =>
      listOf(byType[type]).flatMap((entryPoint) => {
        const { selector: text } = membersOf(entryPoint);
        const selector = typeof text === 'string' ? canonicalFelt(text) : undefined;
        return selector === undefined ? [] : [{ type, selector }];
      }),
    );
  }

  functionName(selector: string): string | undefined {
    const { functions, constructor_ } = this.#abi;
    const constructorName = selector === CONSTRUCTOR ? constructor_ : undefined;
    return (functions.get(selector) ?? constructorName)?.name;
  }
}

/** By class hash; a class never changes. */
export class ClassFactsCache {
  readonly #facts = new BoundedMap<string, ClassFacts>(CACHED);

  /** Classes that are not found are left out. */
  async of(world: World, hashes: Iterable<string>): Promise<ReadonlyMap<string, ClassFacts>> {
    const factsByClass = new Map<string, ClassFacts>();
    for (const hash of hashes) {
      const facts = this.#facts.get(hash) ?? (await read(world, hash));
      if (!facts) continue;
      factsByClass.set(hash, facts);
      this.#facts.set(hash, facts);
    }
    return factsByClass;
  }
}

async function read(world: World, hash: string): Promise<ClassFacts | undefined> {
  const contractClass = await world.pendingState.class(hash);
  return contractClass && new ClassFacts(await contractClass.json());
}
