// Checks of leases and ownership, and what the sources are without each: nodes that lack one must fail a schedule.
import type { ScheduleName } from './run.js';

/** A change of a source, as `scripts/bundle/bundle.mjs` takes it. */
export interface Edit {
  /** Below `packages`. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly text: string;
  readonly instead: string;
}

const [INSTANCES, LEASE, MEMBERSHIP] = [
  'hosting/src/loaded-instances.ts',
  'hosting/src/lease.ts',
  'hosting/src/membership.ts',
];
const [MANIFEST, OWNERSHIP, REQUESTS] = [
  'hosting/src/owned-manifest.ts',
  'hosting/src/ownership.ts',
  'hosting/src/hosted-requests.ts',
];

/** Each removes one check. */
export const CHECKS = {
  'a lease ends by the clock of its holder': {
    file: LEASE,
    text: ' && this.#now() < this.#validUntil',
    instead: '',
  },
  'a lease counts from the beginning of its write': {
    file: LEASE,
    text: 'const begun = this.#begun.get(sequence) ?? 0;',
    instead: 'const begun = sequence === 0 ? 0 : this.#now();',
  },
  'a lease ends for others after a margin': {
    file: LEASE,
    text: 'const MARGIN_SECONDS = 2;',
    instead: 'const MARGIN_SECONDS = 0;',
  },
  'a renewal is conditional': {
    file: LEASE,
    text: "const condition = this.#tag === undefined ? 'absent' : { tag: this.#tag };",
    instead: "const condition = this.#tag === undefined ? 'absent' : undefined;",
  },
  'an ended lease is broken before its instances are taken': {
    file: LEASE,
    text: 'if (await breakLease(store, key, stored)) return FREE;',
    instead: 'return FREE;',
  },
  'a break is conditional': {
    file: LEASE,
    text: 'return (await store.put(key, BROKEN, { tag: stored.tag })) !== undefined;',
    instead: 'return (await store.put(key, BROKEN)) !== undefined && stored !== undefined;',
  },
  'each renewal has another content': {
    file: LEASE,
    text: 'JSON.stringify({ url, seconds, sequence })',
    instead: 'JSON.stringify({ url, seconds, sequence: 0 })',
  },
  'a broken lease is lost': {
    file: LEASE,
    text: 'if (this.#isLost || this.#isClosed) return;',
    instead: 'if (this.#tag !== undefined || this.#isLost || this.#isClosed) return;',
  },
  'the lease is held before a request': {
    file: MEMBERSHIP,
    text: 'if (!this.#isHeld) this.#refuse();',
    instead: '',
  },
  'the lease is held before the answer': {
    file: INSTANCES,
    text: '      mustHold();\n      return result;',
    instead: '      return result;',
  },
  'the lease is held before each piece of an answer': {
    file: REQUESTS,
    text: '      mustHold();\n      onBegin();',
    instead: '      onBegin();',
  },
  'an instance answers under the lease that loaded it': {
    file: MEMBERSHIP,
    text: ' && this.current === id',
    instead: '',
  },
  'an instance of an earlier lease is dropped': {
    file: INSTANCES,
    text: '} else if (instance.lease !== this.#membership.id) {',
    instead: '} else if (instance.active < 0) {',
  },
  'all instances are given up with the lease': [
    { file: INSTANCES, text: 'membership.whenLost(() => this.#giveUpAll());', instead: '' },
    {
      file: INSTANCES,
      text: 'for (const instance of this.#ofLostLease) this.#hibernateIfWritable(instance, now);',
      instead: '',
    },
  ],
  'the lease of the owner is read': {
    file: OWNERSHIP,
    text: "return state.kind === 'live' ? state.url : undefined;",
    instead: 'return state.kind === undefined ? own : undefined;',
  },
  'an instance is taken by a conditional write': {
    file: MANIFEST,
    text: 'const outcome = await written(objects, takenOver, { tag });',
    instead:
      'const outcome = await written(objects, takenOver, tag.length > 0 ? undefined : { tag });',
  },
  'a change is a conditional write': {
    file: MANIFEST,
    text: 'await written(this.#objects, next, { tag: this.#tag }, mayRetry);',
    instead: 'await written(this.#objects, next, undefined, mayRetry);',
  },
  'a creation is a conditional write': {
    file: MANIFEST,
    text: "await written(objects, { ...manifest, ...unused }, 'absent');",
    instead: 'await written(objects, { ...manifest, ...unused }, undefined);',
  },
  'a repeated write recognizes itself': {
    file: MANIFEST,
    text: 'return stored && isSame(stored.bytes, manifest) ?',
    instead: 'return stored ?',
  },
  'each write of a manifest has a nonce': {
    file: MANIFEST,
    text: "return randomBytes(NONCE_BYTES).toString('hex');",
    instead: "return randomBytes(NONCE_BYTES).toString('hex').slice(0, 0);",
  },
  'an instance is given up by a conditional write': {
    file: MANIFEST,
    text: 'await written(objects, free, { tag });',
    instead: 'await written(objects, free, undefined);',
  },
  'a node gives up only its own instances': {
    file: OWNERSHIP,
    text: 'if (manifest.owner !== owner) return;',
    instead: '',
  },
  'an instance is loaded after it was given up': {
    file: INSTANCES,
    text: 'await this.#givingUp.get(id)?.catch(() => undefined);',
    instead: '',
  },
  'an instance that is being loaded is not given up': {
    file: INSTANCES,
    text: 'if (this.#loading.has(id)) return false;',
    instead: '',
  },
  'an instance with a request is not released': {
    file: INSTANCES,
    text: 'if (instance.active > 0 || !isQuiet) return false;',
    instead: 'if (!isQuiet) return false;',
  },
  'a request waits for the end of a hibernation': {
    file: INSTANCES,
    text: '} else if (instance.hibernating) {',
    instead: '} else if (instance.hibernating && instance.active < 0) {',
  },
  'a chain whose write failed is not used by the next request': {
    file: INSTANCES,
    text: '} else if (instance.hosted.fault !== undefined) {',
    instead: '} else if (instance.active < 0) {',
  },
  'a chain whose write failed is dropped after the request': {
    file: INSTANCES,
    text: 'if (instance.hosted.fault !== undefined) this.#drop(instance);',
    instead: '',
  },
  'a deleted instance is not taken': {
    file: OWNERSHIP,
    text: 'if (manifest.isDeleted) return undefined;',
    instead: '',
  },
  'a deletion is marked before it is done': {
    file: OWNERSHIP,
    text: 'await owned.replace({ isDeleted: true, owner: undefined });',
    instead: '',
  },
  'an instance with an owner does not expire': {
    file: OWNERSHIP,
    text: ' && owner === undefined && idle + age > ttl',
    instead: ' && idle + age > ttl',
  },
} as const satisfies Readonly<Record<string, Edit | readonly Edit[]>>;

export type CheckName = keyof typeof CHECKS;

export interface Control {
  /** The checks that nodes lack. */
  readonly without: readonly CheckName[];
  readonly schedule: ScheduleName;
  /** Whether other checks cover it, so that no violation may be found. */
  readonly isCovered: boolean;
}

const detected = (schedule: ScheduleName, ...without: readonly CheckName[]): Control => ({
  without,
  schedule,
  isCovered: false,
});
const covered = (schedule: ScheduleName, ...without: readonly CheckName[]): Control => ({
  without,
  schedule,
  isCovered: true,
});

export const CONTROLS: readonly Control[] = [
  detected('the owner is cut off', 'a lease ends by the clock of its holder'),
  detected('a renewal is found late', 'a lease counts from the beginning of its write'),
  detected('the store is ahead', 'a lease ends for others after a margin'),
  detected('the owner stands still', 'a renewal is conditional'),
  detected('the owner stands still', 'an ended lease is broken before its instances are taken'),
  detected('a break meets a renewal', 'a break is conditional'),
  detected('a break meets a renewal', 'each renewal has another content'),
  covered('the owner is cut off', 'the lease is held before a request'),
  detected(
    'the owner is cut off',
    'the lease is held before a request',
    'the lease is held before the answer',
  ),
  detected('a batch goes on after the lease', 'the lease is held before the answer'),
  detected(
    'a streamed batch goes on after the lease',
    'the lease is held before each piece of an answer',
  ),
  covered('the owner stands still, and is read later', 'a broken lease is lost'),
  covered('the owner stands still, and is read later', 'a lease ends by the clock of its holder'),
  detected(
    'the owner stands still, and is read later',
    'a broken lease is lost',
    'a lease ends by the clock of its holder',
  ),
  covered('an instance is loaded after a loss', 'an instance of an earlier lease is dropped'),
  covered(
    'an instance is loaded after a loss',
    'an instance answers under the lease that loaded it',
  ),
  detected(
    'an instance is loaded after a loss',
    'an instance of an earlier lease is dropped',
    'an instance answers under the lease that loaded it',
  ),
  covered('the owner stands still, and is read later', 'all instances are given up with the lease'),
  detected(
    'the owner stands still, and is read later',
    'all instances are given up with the lease',
    'an instance of an earlier lease is dropped',
    'an instance answers under the lease that loaded it',
  ),
  detected('the owner is alive', 'the lease of the owner is read'),
  detected('two nodes load an instance', 'an instance is taken by a conditional write'),
  detected('a write is late', 'a change is a conditional write'),
  detected('a creation is repeated', 'a creation is a conditional write'),
  detected('a write is repeated after a takeover', 'a repeated write recognizes itself'),
  detected('a write is repeated after a takeover', 'each write of a manifest has a nonce'),
  detected('an instance is given up and loaded', 'an instance is loaded after it was given up'),
  detected('an instance is given up late', 'an instance is given up by a conditional write'),
  detected('another node is asked to release', 'a node gives up only its own instances'),
  detected('a release meets a load', 'an instance that is being loaded is not given up'),
  detected('a release meets a batch', 'an instance with a request is not released'),
  detected('a read meets a hibernation', 'a request waits for the end of a hibernation'),
  covered(
    'the outcome of a write is unknown',
    'a chain whose write failed is not used by the next request',
  ),
  covered(
    'the outcome of a write is unknown',
    'a chain whose write failed is dropped after the request',
  ),
  detected(
    'the outcome of a write is unknown',
    'a chain whose write failed is not used by the next request',
    'a chain whose write failed is dropped after the request',
  ),
  detected('a deletion is slow', 'a deleted instance is not taken'),
  detected('a deletion is late', 'a deletion is marked before it is done'),
  detected('an instance is used and expires', 'an instance with an owner does not expire'),
];
