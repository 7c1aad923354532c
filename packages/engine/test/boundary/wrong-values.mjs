// Values of wrong types for arguments and receivers.

const refuse = () => {
  throw new TypeError('a trap of the test');
};
const TRAPS = Object.fromEntries(
  [
    'get',
    'set',
    'has',
    'ownKeys',
    'getOwnPropertyDescriptor',
    'getPrototypeOf',
    'isExtensible',
    'defineProperty',
    'deleteProperty',
    'apply',
    'construct',
  ].map((trap) => [trap, refuse]),
);

/** Bytes whose memory is gone. */
export function detached() {
  const bytes = new Uint8Array(64).fill(7);
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  return bytes;
}

/** Bytes of a buffer that has become shorter than they are. */
function shrunk() {
  const buffer = new ArrayBuffer(64, { maxByteLength: 64 });
  const bytes = new Uint8Array(buffer);
  buffer.resize?.(0);
  return bytes;
}

/** Each is refused wherever an argument is required. */
export const NEVER_RIGHT = {
  undefined: () => undefined,
  null: () => null,
  symbol: () => Symbol('wrong'),
  'huge bigint': () => 10n ** 100n,
};

/** Each may be right somewhere; none may break anything. */
export const MAYBE_RIGHT = {
  true: () => true,
  zero: () => 0,
  'minus one': () => -1,
  'not a number': () => Number.NaN,
  infinity: () => Number.POSITIVE_INFINITY,
  'a fraction': () => 0.5,
  '2^64': () => 2 ** 64,
  'an empty string': () => '',
  'no felt': () => '0xg',
  'a felt above the prime': () => `0x${'f'.repeat(64)}`,
  'half a surrogate pair': () => '\ud800',
  'a zero byte': () => '\0',
  'a String object': () => new String('0x1'),
  'an object': () => ({}),
  'an object without a prototype': () => Object.create(null),
  'a list with holes': () => Object.assign(new Array(3), { 1: '0x1' }),
  'a list of wrong values': () => [Symbol('wrong'), 1n, null, undefined, {}],
  'a long list': () => new Array(2_000).fill('0x1'),
  'a list that says it is endless': () =>
    new Proxy([], {
      get: (list, key) => (key === 'length' ? 2 ** 32 - 1 : Reflect.get(list, key)),
    }),
  'a function': () => () => '0x1',
  'a class': () => class {},
  'a date': () => new Date(Number.NaN),
  'a promise': () => Promise.resolve('0x1'),
  'a proxy that throws': () => new Proxy({}, TRAPS),
  'a list that throws': () => new Proxy([], TRAPS),
  'a function that throws': () => new Proxy(() => {}, TRAPS),
  'a getter that throws': () => ({
    get address() {
      return refuse();
    },
    get first() {
      return refuse();
    },
    get validate() {
      return refuse();
    },
  }),
  'detached bytes': detached,
  'a detached buffer': () => detached().buffer,
  'shrunk bytes': shrunk,
  'shared bytes': () => new Uint8Array(new SharedArrayBuffer(64)),
  'no bytes': () => new Uint8Array(0),
  'wide numbers': () => new Float64Array(8),
  'a view': () => new DataView(new ArrayBuffer(8)),
};

/** Receivers of a method that are no instance of its class. */
export function wrongReceivers(name, instances) {
  const { [name]: right, ...others } = instances;
  return {
    undefined: undefined,
    null: null,
    'a number': 1,
    'an object': {},
    'another class': Object.values(others)[0],
    'an heir': Object.create(right),
    'a proxy': new Proxy(right, {}),
    'the prototype': Object.getPrototypeOf(right),
  };
}
