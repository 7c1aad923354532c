// Method facts of the OpenRPC documents, in fields that begin with x-.

/** @typedef {readonly (string | boolean)[]} Values */

/** Every method states these. @type {Readonly<Record<string, Values>>} */
const REQUIRED = {
  'x-writes': [true, false],
  'x-restricted': [true, false],
  'x-forwarded': ['block', 'transaction', 'message', false],
  'x-waits': [true, false],
  'x-listener': [true, false],
  'x-redacted': ['params', 'list params', 'result', false],
};

const FINALITY = ['block', 'block with receipts', 'receipt', 'status', 'messages'];

/**
 * What is missing or wrong in the facts of a method, each problem with the method's name.
 *
 * @param {Readonly<Record<string, unknown>>} method
 * @returns {readonly string[]}
 */
export function factProblems(method) {
  const name = String(method['name']);
  /** @type {string[]} */
  const problems = [];
  /** @param {string} problem */
  const add = (problem) => problems.push(`${name}: ${problem}`);
  for (const [field, values] of Object.entries(REQUIRED)) {
    const value = method[field];
    if (value === undefined) add(`${field} is missing`);
    else if (!values.some((allowed) => allowed === value)) {
      add(`${field} must be one of ${values.map((allowed) => JSON.stringify(allowed)).join(', ')}`);
    }
  }
  const journalled = method['x-journalled'];
  const reason = method['x-not-journalled-because'];
  if (method['x-writes'] !== true) {
    if (journalled !== undefined) add('x-journalled is only for methods that write');
  } else if (typeof journalled !== 'boolean') {
    add('x-journalled is missing: a method that writes is in the journal, or says why not');
  } else if (journalled === (typeof reason === 'string')) {
    add(
      'x-not-journalled-because is for methods that write and are not journalled, and only those',
    );
  }
  const finality = method['x-finality'];
  if (finality !== undefined) {
    if (!FINALITY.some((allowed) => allowed === finality))
      add(`x-finality must be one of ${FINALITY}`);
    if (method['x-forwarded'] === false) add('x-finality is only for methods that are forwarded');
  }
  if (method['x-external'] === true && journalled === true) {
    add('x-journalled must be false: loading a journal reaches no file and no other host');
  }
  /** The parameter that is looked up. */
  const decides = {
    block: 'block_id',
    transaction: 'transaction_hash',
    message: 'transaction_hash',
  };
  for (const [kind, param] of Object.entries(decides)) {
    if (method['x-forwarded'] === kind && !requiredParams(method).includes(param)) {
      add(`x-forwarded is "${kind}", so the parameter ${param} must be required`);
    }
  }
  return problems;
}

/**
 * The facts that hold: a fact that is false is left out.
 *
 * @param {Readonly<Record<string, unknown>>} method without problems
 * @returns {Readonly<Record<string, unknown>>}
 */
export function factsOf(method) {
  const facts = {
    writes: method['x-writes'],
    journalled: method['x-journalled'],
    restricted: method['x-restricted'],
    forwarded: method['x-forwarded'],
    finality: method['x-finality'],
    waits: method['x-waits'],
    needsListener: method['x-listener'],
    redacted: method['x-redacted'],
    unlogged: method['x-logged'] === false,
    external: method['x-external'],
  };
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact));
}

/** The TypeScript type of these facts. */
export const FACTS_TYPE = `{
  /** Something is not as before once it was called. */
  readonly writes?: true;
  /** Journals hold it: repeated, it changes the chain in the same way. */
  readonly journalled?: true;
  /** \`--restrictive-mode\` without names forbids it. */
  readonly restricted?: true;
  /** What is looked up first; if this chain lacks it, the origin of a fork is asked. */
  readonly forwarded?: ${union(REQUIRED['x-forwarded'])};
  /** Where a response of the origin states a finality. */
  readonly finality?: ${union(FINALITY)};
  /** It may hold a thread of the engine for as long as the origin takes. */
  readonly waits?: true;
  /** It only exists where there is a listener: a WebSocket. */
  readonly needsListener?: true;
  /** Which part may hold secrets without a name; list params have no names at all. */
  readonly redacted?: ${union(REQUIRED['x-redacted'])};
  /** The request log leaves it out. */
  readonly unlogged?: true;
  /** It reads or writes a file, or makes requests to another host. */
  readonly external?: true;
}`;

/** @param {Values | undefined} values a fact that is false is absent */
function union(values = []) {
  return values
    .filter((value) => value !== false)
    .map((value) => JSON.stringify(value))
    .join(' | ');
}

/** @param {Readonly<Record<string, unknown>>} method */
function requiredParams({ params }) {
  const all = Array.isArray(params) ? params : [];
  return all.filter(({ required }) => required).map(({ name }) => name);
}
