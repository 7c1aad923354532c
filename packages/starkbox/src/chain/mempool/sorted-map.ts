// Persistent map that is sorted by its text keys: a treap, whose shape follows from its keys alone.
import { randomBytes } from 'node:crypto';

interface Tree<V> {
  readonly key: string;
  readonly value: V;
  readonly priority: number;
  readonly size: number;
  readonly left: Tree<V> | undefined;
  readonly right: Tree<V> | undefined;
}

type Maybe<V> = Tree<V> | undefined;

/** A key whose value is not the same in two maps; `undefined` where a map lacks it. */
export interface Difference<V> {
  readonly key: string;
  readonly before: V | undefined;
  readonly after: V | undefined;
}

/** Every operation but the walks takes logarithmic time, and leaves the map as it is. */
export class SortedMap<V> {
  readonly #root: Maybe<V>;

  constructor(root?: Tree<V>) {
    this.#root = root;
  }

  get size(): number {
    return sizeOf(this.#root);
  }

  get(key: string): V | undefined {
    let tree = this.#root;
    while (tree && tree.key !== key) tree = key < tree.key ? tree.left : tree.right;
    return tree?.value;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  set(key: string, value: V): SortedMap<V> {
    const [left, , right] = split(this.#root, key);
    const inserted = node(key, value, priorityOf(key), undefined, undefined);
    return new SortedMap(join(join(left, inserted), right));
  }

  delete(key: string): SortedMap<V> {
    const [left, removed, right] = split(this.#root, key);
    return removed ? new SortedMap(join(left, right)) : this;
  }

  /** The value of the smallest key, or of the smallest that is not smaller than a given one. */
  first(from = ''): V | undefined {
    const [entry] = this.from(from);
    return entry?.[1];
  }

  /** How many keys are smaller. */
  rank(key: string): number {
    let rank = 0;
    for (let tree = this.#root; tree; ) {
      if (key <= tree.key) tree = tree.left;
      else {
        rank += sizeOf(tree.left) + 1;
        tree = tree.right;
      }
    }
    return rank;
  }

  /** Keys and values in order, from the first key that is not smaller. */
  *from(key = ''): Generator<readonly [key: string, value: V], void, undefined> {
    const open: Tree<V>[] = [];
    for (let tree = this.#root; tree; ) {
      if (tree.key < key) tree = tree.right;
      else {
        open.push(tree);
        tree = tree.left;
      }
    }
    for (let next = open.pop(); next; next = open.pop()) {
      yield [next.key, next.value];
      for (let tree = next.right; tree; tree = tree.left) open.push(tree);
    }
  }

  /** What differs in another map, in order; parts that both maps share are skipped. */
  differences(other: SortedMap<V>): Generator<Difference<V>, void, undefined> {
    return differences(this.#root, other.#root);
  }
}

function* differences<V>(
  before: Maybe<V>,
  after: Maybe<V>,
): Generator<Difference<V>, void, undefined> {
  if (before === after) return;
  const top = !before || (after && after.priority > before.priority) ? after : before;
  if (!top) return;
  const [left, equal, right] = split(before, top.key);
  const [otherLeft, other, otherRight] = split(after, top.key);
  yield* differences(left, otherLeft);
  if (equal?.value !== other?.value) {
    yield { key: top.key, before: equal?.value, after: other?.value };
  }
  yield* differences(right, otherRight);
}

/** The part before a key, its own node, and the part after it. */
function split<V>(tree: Maybe<V>, key: string): readonly [Maybe<V>, Maybe<V>, Maybe<V>] {
  if (!tree) return [undefined, undefined, undefined];
  if (tree.key === key) return [tree.left, tree, tree.right];
  if (key < tree.key) {
    const [left, equal, right] = split(tree.left, key);
    return [left, equal, node(tree.key, tree.value, tree.priority, right, tree.right)];
  }
  const [left, equal, right] = split(tree.right, key);
  return [node(tree.key, tree.value, tree.priority, tree.left, left), equal, right];
}

/** One map of two; all keys of the first are smaller. */
function join<V>(left: Maybe<V>, right: Maybe<V>): Maybe<V> {
  if (!left) return right;
  if (!right) return left;
  return left.priority > right.priority
    ? node(left.key, left.value, left.priority, left.left, join(left.right, right))
    : node(right.key, right.value, right.priority, join(left, right.left), right.right);
}

function node<V>(
  key: string,
  value: V,
  priority: number,
  left: Maybe<V>,
  right: Maybe<V>,
): Tree<V> {
  return { key, value, priority, size: sizeOf(left) + 1 + sizeOf(right), left, right };
}

function sizeOf(tree: Maybe<unknown>): number {
  return tree?.size ?? 0;
}

/** Not known to clients, who choose keys: chosen ones could make a list of a tree. */
const SALT = randomBytes(4).readUInt32LE();

/** A hash of the key (FNV-1a and a final mix). */
function priorityOf(key: string): number {
  let hash = SALT;
  for (let at = 0; at < key.length; at += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
