// Causes of failures in calls: what is called does not exist, calldata does not fit, checks of accounts and arithmetic.
import type { Abi, AbiFunction, Parameter } from '../abi.js';
import { decodeShortString, shortHash } from '../felt.js';
import { selectorOf } from '../selector.js';
import { DEEPEST, shapeOf } from '../shape.js';
import { readTypeName, shortType } from '../type-name.js';
import type { Facts, PossibleFinding, Rule } from './finding.js';
import { accountNotDeployed } from './gas-rules.js';
import { findMistyped } from './nearest-function.js';

const MAX_NAMES = 15;

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
const canonical = (felt: string): string => `0x${BigInt(felt).toString(16)}`;

function missingFunction(_: RegExpExecArray, { frame, view }: Facts): PossibleFinding {
  if (!frame) return undefined;
  const name = view.contract(frame);
  const calledName = view.functionOf(frame);
  if (frame.phase === 'validate') {
    return {
      what: `${name} has no function ${calledName}`,
      isWhole: true,
      hint: `${name} is not an account: send the transaction from an account, with the contract in its calls.`,
    };
  }
  const abi = view.abiOf(frame);
  const correction = abi && findMistyped(frame.selector, abi);
  const functionName = calledName.startsWith('0x') ? correction?.written : calledName;
  const what =
    functionName === undefined
      ? `${name} has no function with the selector ${frame.selector}`
      : `${name} has no function '${functionName}'`;
  return {
    what,
    isWhole: true,
    hint: correction ? `Did you mean '${correction.meant}'?` : listFunctions(abi),
  };
}

function listFunctions(abi: Abi | undefined): string {
  const names = [...(abi?.functions.values() ?? [])].map((entry) => entry.name);
  if (names.length === 0) return 'The class has no ABI: look up its functions in the source.';
  const more = names.length > MAX_NAMES ? `, … ${names.length} in all` : '';
  return `It has ${names.slice(0, MAX_NAMES).join(', ')}${more}.`;
}

function signatureOf({ name, inputs }: AbiFunction): string {
  return `${name}(${inputs.map((input) => `${input.name}: ${shortType(input.type)}`).join(', ')})`;
}

/** How many felts a type takes, where that is always the same number. */
function feltsOf(type: string): string {
  const { name, ...parsed } = { name: '', ...readTypeName(type) };
  if (/u256|Uint256/.test(name)) return '2 felts: low and high';
  if (/ByteArray/.test(name))
    return 'the number of whole words, the words, the rest, the length of the rest';
  if (/Array|Span/.test(name)) return 'its length and then its items';
  if (parsed.kind === 'tuple') return `${parsed.of.length} values`;
  return '';
}

/** How many felts a value takes; undefined for lists, byte arrays, enums and unknown types. */
function feltCount(type: string, abi: Abi | undefined, depth = 0): number | undefined {
  if (!abi || depth > DEEPEST) return undefined;
  const shape = shapeOf(type, abi);
  switch (shape.kind) {
    case 'felt':
    case 'bool':
    case 'address':
    case 'class':
      return 1;
    case 'unit':
      return 0;
    case 'integer':
      return shape.bits === 256 ? 2 : 1;
    case 'record':
      return feltSum(shape.members, abi, depth + 1);
    default:
      return undefined;
  }
}

function feltSum(
  parameters: readonly Parameter[],
  abi: Abi | undefined,
  depth = 0,
): number | undefined {
  return parameters.reduce<number | undefined>((sum, { type }) => {
    const count = feltCount(type, abi, depth);
    return sum === undefined || count === undefined ? undefined : sum + count;
  }, 0);
}

const DEPLOYING = ['deployContract', 'deploy_contract'].map(selectorOf);
const CONSTRUCTOR = selectorOf('constructor');

/** A revert reason has no calldata of a constructor, but a call of the universal deployer holds it. */
function calldataOf({ frame, caller }: Facts): readonly string[] | undefined {
  if (frame?.calldata || frame?.selector !== CONSTRUCTOR) return frame?.calldata;
  if (!caller?.calldata || !DEPLOYING.includes(caller.selector)) return undefined;
  const [, , , length = '0x0', ...calldata] = caller.calldata;
  return BigInt(length) === BigInt(calldata.length) ? calldata : undefined;
}

/** What a function takes, and what the calldata has. */
function takenText(entry: AbiFunction, facts: Facts): string {
  const { frame, view } = facts;
  const feltCount = feltSum(entry.inputs, frame && view.abiOf(frame));
  const takes = `${signatureOf(entry)} takes ${feltCount === undefined ? plural(entry.inputs.length, 'argument') : plural(feltCount, 'felt')}`;
  const calldata = calldataOf(facts);
  if (calldata === undefined) return `${takes}.`;
  const count = feltCount === undefined ? plural(calldata.length, 'felt') : calldata.length;
  const felts = calldata.slice(0, 6).map(shortHash).join(', ');
  return `${takes}; the calldata has ${count}${felts === '' ? '' : `: ${felts}`}${calldata.length > 6 ? ', …' : ''}.`;
}

function wrongParameter([, number = '1']: RegExpExecArray, facts: Facts): PossibleFinding {
  const { frame, view } = facts;
  const entry = frame && view.entryOf(frame);
  const parameter = entry?.inputs[Number(number) - 1];
  if (!entry || !parameter) return undefined;
  const type = shortType(parameter.type);
  const felts = feltsOf(parameter.type);
  const start = feltSum(entry.inputs.slice(0, Number(number) - 1), view.abiOf(frame));
  const length = calldataOf(facts)?.length;
  const isMissing = start !== undefined && length !== undefined && length <= start;
  return {
    what: isMissing
      ? `the calldata is too short: ${parameter.name} (${type}) is missing`
      : `the calldata does not fit its parameter ${number}, ${parameter.name}: ${type}`,
    hint: `${takenText(entry, facts)}${felts === '' ? '' : ` ${type} takes ${felts}.`}`,
  };
}

function tooLong(_: RegExpExecArray, facts: Facts): PossibleFinding {
  const { frame, view } = facts;
  const entry = frame && view.entryOf(frame);
  return entry
    ? { what: 'the calldata is longer than its parameters', hint: takenText(entry, facts) }
    : undefined;
}

function notDeployed(
  [, address = '0x0']: RegExpExecArray,
  { view, sender }: Facts,
): PossibleFinding {
  const felt = canonical(address);
  if (felt === sender) return accountNotDeployed(felt, view);
  return {
    what: `no contract is deployed at ${view.address(felt)}`,
    isWhole: true,
    hint: `Deploy a contract to ${felt} first, or correct the address: devnet_listContracts lists the contracts of this chain. Restarting the chain removes contracts.`,
    actions: [{ kind: 'deploy', label: 'Deploy a contract', params: { contract_address: felt } }],
  };
}

function notDeclared([, hash = '0x0']: RegExpExecArray): PossibleFinding {
  const felt = canonical(hash.startsWith('0x') ? hash : `0x${hash}`);
  return {
    what: `class ${shortHash(felt)} is not declared`,
    isWhole: true,
    hint: `Declare ${felt} first, or correct the hash: devnet_listClasses lists declared classes. A recompiled class can have another hash.`,
    actions: [
      { kind: 'declare', label: `Declare class ${shortHash(felt)}`, params: { class_hash: felt } },
    ],
  };
}

function alreadyDeclared([, hash = '0x0']: RegExpExecArray): PossibleFinding {
  const felt = canonical(hash);
  return {
    what: `class ${shortHash(felt)} is already declared`,
    isWhole: true,
    hint: `You do not need to declare it again: deploy ${felt}.`,
    actions: [
      {
        kind: 'deploy',
        label: `Deploy class ${shortHash(felt)}`,
        params: { class_hash: felt },
      },
    ],
  };
}

function otherCompiler([
  ,
  sentHash = '',
  expected = '',
  version,
]: RegExpExecArray): PossibleFinding {
  const compiler = version === undefined ? 'this node' : `this node, with the compiler ${version},`;
  return {
    what: `compiled_class_hash is ${sentHash}, and the class compiles to ${expected}`,
    hint: `Send ${expected}: ${compiler} compiles the Sierra class itself. Other compiler versions, and tools that hash CASM with Poseidon as before Starknet 0.14.1, compute another hash.`,
  };
}

function explainTakenAddress(
  [, address, otherAddress = '0x0']: RegExpExecArray,
  { view }: Facts,
): PossibleFinding {
  const felt = canonical(address ?? otherAddress);
  return {
    what: `a contract already exists at ${view.address(felt)}`,
    isWhole: true,
    hint: 'Deploy with another salt, or use the existing contract.',
  };
}

function signature(_: RegExpExecArray, { frame, view, sender }: Facts): PossibleFinding {
  const who = sender === undefined ? 'the account' : view.address(sender);
  if (frame && frame.phase !== 'validate') return undefined;
  return {
    hint: `The signature does not match the key of ${who}. Check the private key, and sign exactly the transaction that you send: the hash covers chain id, nonce, resource bounds, tip and calldata. devnet_impersonateAccount turns the check off.`,
    ...(sender === undefined
      ? {}
      : {
          actions: [
            {
              kind: 'impersonate',
              label: `Accept transactions of ${who} without a signature`,
              method: 'devnet_impersonateAccount',
              params: { account_address: sender },
            },
          ],
        }),
  };
}

/** Cairo 0 code fails without a message where its authors wrote none. */
function cairo0(match: RegExpExecArray, facts: Facts): PossibleFinding {
  const what = 'an assertion in its Cairo 0 code failed';
  if (facts.frame?.phase === 'validate') {
    return {
      what,
      hint: `Cairo 0 accounts expect the older call encoding, with all headers before all calldata (cairoVersion '0' in starknet.js), and a signature of two felts. ${signature(match, facts)?.hint}`,
    };
  }
  return {
    what,
    hint: 'Cairo 0 code gives no reason here: compare the arguments with the checks of the contract.',
  };
}

const says =
  (hint: string): Rule['find'] =>
  () => ({ hint });

function overflow([, type = '', operation = '']: RegExpExecArray): PossibleFinding {
  const limit =
    operation === 'sub'
      ? `The subtraction goes below the minimum of ${type}`
      : `The ${operation === 'mul' ? 'product' : 'sum'} exceeds the maximum of ${type}`;
  return { hint: `${limit}: compare the values first, or use a wider type.` };
}

export const CALL_RULES: readonly Rule[] = [
  {
    pattern: /ENTRYPOINT_NOT_FOUND|Entry point .{0,200}not found in contract/,
    find: missingFunction,
  },
  { pattern: /^Failed to deserialize param #(\d+)/m, find: wrongParameter },
  { pattern: /^Input too long for arguments/m, find: tooLong },
  { pattern: /Requested contract address (0x[0-9a-f]+) is not deployed/, find: notDeployed },
  {
    pattern: /Class with hash (0x[0-9a-f]+) is not declared|No class hash ([0-9a-f]+) /,
    find: (match) =>
      notDeclared(match[1] === undefined ? Object.assign(match, { 1: match[2] }) : match),
  },
  {
    pattern: /[Cc]lass (?:with hash )?(0x[0-9a-f]+) is (?:declared already|already declared)/,
    find: alreadyDeclared,
  },
  {
    pattern:
      /gives (0x[0-9a-f]+), and the class compiles to (0x[0-9a-f]+)(?: with the compiler (\S+?))?\.?$/m,
    find: otherCompiler,
  },
  {
    pattern:
      /already deployed at address (0x[0-9a-f]+)|(0x[0-9a-f]+) is unavailable for deployment/,
    find: explainTakenAddress,
  },
  { pattern: /invalid[-_ ](?:\w+[-_ ])?sig|INVALID_SIG|signature.{0,40}invalid/i, find: signature },
  {
    pattern: /An ASSERT_EQ instruction failed|Unknown value for memory cell/,
    find: cairo0,
  },
  {
    pattern: /recursion depth exceeded/,
    find: says('Calls can be nested up to 50 deep: look for endless recursion between contracts.'),
  },
  { pattern: /\b([ui]\d+)_(add|sub|mul) (?:Over|Under)flow/, find: overflow },
  { pattern: /Division by 0/, find: says('A divisor is 0: check it before dividing.') },
  {
    pattern: /Index out of bounds/,
    find: says('An index exceeds the length of its array: check the index first.'),
  },
  {
    pattern: /Option::(?:unwrap|expect) failed/,
    find: says(
      'A value was None, for example because a conversion failed: match on it, or pass another value.',
    ),
  },
  {
    pattern: /Result::unwrap failed/,
    find: says('A Result was an error: match on it to see which error.'),
  },
  {
    pattern: /Unauthorized syscall (\w+) .{0,40}Validate/,
    find: ([, syscall]) => ({
      what: `${syscall} is not allowed during validation`,
      hint: "Move it from the account's validation to its execution.",
    }),
  },
  {
    pattern: /should return `VALID`\. Got Retdata\(\[(0x[0-9a-f]+)/,
    find: ([, felt = '0x0']) => ({
      what: `its account returned ${decodeShortString(felt) ?? felt} instead of VALID from its validation`,
      isWhole: true,
      hint: 'The account rejected the transaction: read its validation code.',
    }),
  },
  {
    pattern: /Returned data too short/,
    find: says(
      "The callee returned fewer felts than the caller's interface expects: compare that interface with the ABI of the callee.",
    ),
  },
  {
    pattern: /caller is not the owner|missing role|not authorized|unauthorized/i,
    find: says(
      'Only another account may call this: send from that account, or use devnet_impersonateAccount.',
    ),
  },
  {
    pattern: /Block number out of range|block number .{0,80}too (?:recent|big|high)/i,
    find: says(
      'Contracts can read the hashes of blocks that are at least 10 blocks old: add blocks with devnet_createBlock.',
    ),
  },
];
