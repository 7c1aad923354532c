// Ways to reach each marked line of our own contracts, with the marks of the frames that fail.
import { type Class, starknetKeccak, type TransactionValues } from '@starkbox/engine';
import {
  bounds,
  type Call,
  contract,
  declareRequest,
  deployAccountRequest,
  hex,
  invokeRequest,
  newAccount,
  short,
} from '@starkbox/test-support/signing';
import { ACCOUNTS, CONTRACTS, type Name } from './marked-contracts.js';

const CALLEE = CONTRACTS.failing_callee;
const MAX = `0x${'f'.repeat(32)}`;
const MINUS_ONE = '0x800000000000011000000000000000000000000000000000000000000000000';
const LEAST_I32 = '0x800000000000010ffffffffffffffffffffffffffffffffffffffff80000001';
const TEXT = ['0x0', '0x616263', '0x3'];

/** The class hash of a contract by its name. */
type HashOf = (name: string) => string;

/** Entry points of `failures`, which fail at the line with their name. */
export const WITHIN: readonly (readonly [entry: string, calldata: readonly string[]])[] = [
  ['assert_short', ['0x1']],
  ['assert_formatted', ['0x1']],
  ['assert_plain', ['0x1']],
  ['assert_equal', ['0x1', '0x2']],
  ['panic_felt', ['0x1']],
  ['panic_felts', ['0x1']],
  ['panic_nothing', []],
  ['panic_text', TEXT],
  ['panic_unicode', []],
  ['panic_nested_text', TEXT],
  ['panic_two_texts', []],
  ['custom_error', ['0x0']],
  ['custom_error', ['0x5']],
  ['custom_error_with_values', ['0x1', '0x2']],
  ['unreachable_arm', ['0x1']],
  ['helper', ['0x1']],
  ['inlined', ['0x1']],
  ['generic', ['0x1']],
  ['closure', ['0x40']],
  ['looped', ['0x3', '0x1', '0x0', '0x2']],
  ['only_owner', []],
  ['add_u8', ['0xff', '0x1']],
  ['subtract_u8', ['0x0', '0x1']],
  ['multiply_u8', ['0xff', '0x2']],
  ['add_u64', ['0xffffffffffffffff', '0x1']],
  ['add_u128', [MAX, '0x1']],
  ['multiply_u128', [MAX, '0x2']],
  ['add_u256', [MAX, MAX, '0x1', '0x0']],
  ['subtract_u256', ['0x0', '0x0', '0x1', '0x0']],
  ['multiply_u256', [MAX, MAX, '0x2', '0x0']],
  ['add_i32', ['0x7fffffff', '0x1']],
  ['subtract_i32', [LEAST_I32, '0x1']],
  ['divide_u64', ['0x1', '0x0']],
  ['divide_u256', ['0x1', '0x0', '0x0', '0x0']],
  ['modulo_u128', ['0x1', '0x0']],
  ['divide_felt', ['0x1', '0x0']],
  ['array_index', ['0x1', '0x7', '0x1']],
  ['span_slice', ['0x1', '0x7', '0x1', '0x1']],
  ['text_index', [...TEXT, '0x9']],
  ['option_unwrap', ['0x0']],
  ['option_expect', ['0x0']],
  ['result_unwrap', ['0xa']],
  ['result_expect', ['0xa']],
  ['result_unwrap_err', ['0x1']],
  ['felt_to_address', [`0x8${'0'.repeat(62)}`]],
  ['felt_to_class_hash', [`0x8${'0'.repeat(62)}`]],
  ['felt_to_u8', ['0x100']],
  ['u256_to_felt', [MAX, MAX]],
  ['i32_to_u32', [MINUS_ONE]],
  ['dictionary_overflow', ['0x1', '0x64']],
];

/** Entry points of `failing_calls`, and the marks of the frames that fail, outermost first. */
export const ACROSS: readonly (readonly [
  entry: string,
  calldata: (hashOf: HashOf) => readonly string[],
  path: readonly string[],
])[] = [
  ['call_check', () => [CALLEE, '0x1'], ['call_check', 'callee_check']],
  ['call_subtract', () => [CALLEE, '0x1', '0x2'], ['call_subtract', 'callee_subtract']],
  ['call_panic', () => [CALLEE, '0x1', '0x7'], ['call_panic', 'callee_panic']],
  [
    'call_nested',
    () => [CALLEE, '0x2', CALLEE, CALLEE, '0x1'],
    ['call_nested', 'pass_on_call', 'pass_on_call', 'pass_on'],
  ],
  [
    'call_into_library',
    (hashOf) => [CALLEE, hashOf('failing_library'), '0x1'],
    ['call_into_library', 'pass_to_library', 'library_check'],
  ],
  ['call_missing', () => [CALLEE], ['call_missing', '']],
  ['call_other_type', () => [CALLEE], ['call_other_type']],
  ['call_raw', () => [CALLEE, starknetKeccak('check'), '0x1', '0x1'], ['call_raw', 'callee_check']],
  ['call_caught', () => [CALLEE, '0x1'], ['call_caught', 'callee_check']],
  [
    'library_check',
    (hashOf) => [hashOf('failing_library'), '0x1'],
    ['library_call', 'library_check'],
  ],
  [
    'library_subtract',
    (hashOf) => [hashOf('failing_library'), '0x1'],
    ['library_call_subtract', 'library_subtract'],
  ],
  [
    'deploy',
    (hashOf) => [hashOf('failing_callee'), '0x1', '0x1', '0x1'],
    ['deploy', 'constructor'],
  ],
  [
    'deploy',
    (hashOf) => [hashOf('failures'), '0x1', '0x1', '0x1'],
    ['deploy', 'failures_constructor'],
  ],
  ['deploy_twice', (hashOf) => [hashOf('failing_callee'), '0x1'], ['deploy_twice']],
  ['replace', () => ['0x1234'], ['replace']],
  ['reenter', () => [CALLEE], ['reenter_call', 'call_back', 'reenter']],
  ['block_hash', () => ['0x13'], ['block_hash']],
  ['keccak', () => ['0x1', '0x1'], ['keccak']],
  ['secp_k1_point', () => [MAX, MAX, MAX, MAX], ['secp_k1_point']],
  ['secp_r1_point', () => [MAX, MAX, MAX, MAX], ['secp_r1_point']],
  ['send_message', () => [`0x1${'0'.repeat(50)}`, '0x1'], ['send_message']],
  ['emit', () => ['0x64', '0x1'], ['emit']],
  ['storage_domain', () => ['0x1'], ['storage_domain']],
];

/** Classes with hints that networks refuse. */
export const REFUSED: readonly (readonly [name: Name, mark: string])[] = [
  ['backtrace', 'deep'],
  ['backtrace', 'shallow'],
  ['prints', 'print_then_fail'],
];

/** No signature is checked, and a little gas is soon used. */
const changes = (l2_gas = 4_000_000n): TransactionValues => ({
  signature: [],
  resource_bounds: bounds({ l1_gas: 100_000n, l1_data_gas: 100_000n, l2_gas }),
});
const account = (failingStep: keyof typeof ACCOUNTS) => ({
  address: ACCOUNTS[failingStep],
  privateKey: '0x7',
});
export const invoke = (
  failingStep: keyof typeof ACCOUNTS,
  call: Call,
  gas?: bigint,
): TransactionValues => invokeRequest(account(failingStep), [call], 0, { changes: changes(gas) });
const FAILING = { to: CONTRACTS.failures, name: 'assert_short', calldata: ['0x1'] };
export const limits = (name: string, ...calldata: readonly string[]) => ({
  to: CONTRACTS.failing_calls,
  name,
  calldata,
});
const deployment = (failingStep: string, hashOf: HashOf): TransactionValues =>
  deployAccountRequest(
    newAccount('0x7', {
      classHash: hashOf('failing_account'),
      constructorCalldata: [short(failingStep)],
    }),
    { changes: changes() },
  );
const message = (from: string, amount: string): TransactionValues => ({
  type: 'L1_HANDLER',
  version: '0x0',
  contract_address: CONTRACTS.failing_calls,
  entry_point_selector: starknetKeccak('handle'),
  calldata: [from, amount],
  nonce: '0x0',
  paid_fee_on_l1: '0xffffffffffffff',
});
/** A transaction, and how it is run. */
export interface MarkedTransaction {
  readonly values: TransactionValues;
  readonly declared?: Class;
  /** Whether it runs in a block before which there are too few for the hash of one. */
  readonly isEarly?: boolean;
}

/** Transactions, and the marks of the frames that fail, outermost first. */
export const TRANSACTIONS: readonly (readonly [
  title: string,
  transaction: (hashOf: HashOf) => MarkedTransaction | Promise<MarkedTransaction>,
  path: readonly string[],
])[] = [
  [
    'an account that validates',
    () => ({ values: invoke('validate', FAILING) }),
    ['account_validate'],
  ],
  [
    'a system call of the validation',
    () => ({ values: invoke('syscall', FAILING), isEarly: true }),
    ['account_syscall'],
  ],
  ['a call of the validation', () => ({ values: invoke('calls', FAILING) }), ['account_calls']],
  ['a validation without end', () => ({ values: invoke('endless', FAILING) }), ['account_endless']],
  ['an account that executes', () => ({ values: invoke('execute', FAILING) }), ['account_execute']],
  [
    'arithmetic of an account',
    () => ({ values: invoke('overflow', FAILING) }),
    ['account_overflow'],
  ],
  [
    'a call of an account',
    () => ({ values: invoke('nowhere', FAILING) }),
    ['account_call', 'assert_short'],
  ],
  [
    'a declaration',
    async () => {
      const declared = await contract('slots');
      const values = declareRequest(account('declare'), declared, 0, { changes: changes() });
      return { values, declared: declared.class };
    },
    ['account_declare'],
  ],
  [
    'the validation of a deployment',
    (hashOf) => ({ values: deployment('deploy', hashOf) }),
    ['account_deploy'],
  ],
  [
    'the constructor of an account',
    (hashOf) => ({ values: deployment('constructor', hashOf) }),
    ['account_constructor'],
  ],
  ['the sender of a message', () => ({ values: message('0x666', '0x1') }), ['handle_sender']],
  ['the amount of a message', () => ({ values: message('0x1', hex(1001)) }), ['handle_amount']],
  [
    'a recursion without end',
    () => ({ values: invoke('nowhere', limits('recurse_forever', '0x1')) }),
    ['account_call', 'recurse_forever'],
  ],
];

/** Loops that take gas at their head, and more by a system call in their body. */
export const LOOPS: readonly string[] = ['read_forever', 'write_forever'];
