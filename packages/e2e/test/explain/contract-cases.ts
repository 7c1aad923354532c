// Failures within contracts: panics, values, calls of others, system calls, calldata, and code of the older compiler.

import type { FailingChain } from '@starkbox/test-support/failing-chain';
import { deployment, hex, LEGACY_UDC, STRK, selector, short } from '@starkbox/test-support/signing';
import { type Case, callee, fails, MAX_U256, text, u256 } from './failing-case.js';

export const PANICS: readonly Case[] = [
  fails('failures', 'assert_short', '0x1'),
  fails('failures', 'assert_formatted', '0x7'),
  fails('failures', 'assert_plain', '0x7'),
  fails('failures', 'assert_equal', '0x1', '0x2'),
  fails('failures', 'panic_felt', short('a single felt')),
  fails('failures', 'panic_felt', '0x7'),
  fails('failures', 'panic_felts', '0x7'),
  fails('failures', 'panic_nothing'),
  fails('failures', 'panic_text', ...text('bob')),
  fails('failures', 'panic_unicode'),
  fails('failures', 'panic_nested_text', ...text('between')),
  fails('failures', 'panic_two_texts'),
  fails('failures', 'custom_error', '0x1'),
  fails('failures', 'custom_error', '0x9'),
  fails('failures', 'custom_error_with_values', '0xa', '0x3'),
  fails('failures', 'unreachable_arm', '0x1'),
  fails('failures', 'looped', '0x3', '0x1', '0x2', '0x0'),
  fails('failures', 'only_owner'),
];

export const VALUES: readonly Case[] = [
  fails('failures', 'add_u8', '0xff', '0x1'),
  fails('failures', 'subtract_u8', '0x1', '0x2'),
  fails('failures', 'multiply_u128', hex(2n ** 127n), '0x2'),
  fails('failures', 'add_u256', ...MAX_U256, ...u256(1n)),
  fails('failures', 'subtract_u256', ...u256(1n), ...u256(2n)),
  fails('failures', 'multiply_u256', ...MAX_U256, ...u256(2n)),
  fails('failures', 'add_i32', '0x7fffffff', '0x1'),
  fails('failures', 'divide_u64', '0x1', '0x0'),
  fails('failures', 'divide_u256', ...u256(1n), ...u256(0n)),
  fails('failures', 'modulo_u128', '0x1', '0x0'),
  fails('failures', 'array_index', '0x2', '0x1', '0x2', '0x2'),
  fails('failures', 'span_slice', '0x1', '0x1', '0x0', '0x5'),
  fails('failures', 'text_index', ...text('abc'), '0x9'),
  fails('failures', 'option_unwrap', '0x0'),
  fails('failures', 'option_expect', '0x0'),
  fails('failures', 'result_unwrap', '0x63'),
  fails('failures', 'felt_to_u8', '0x100'),
  fails('failures', 'felt_to_address', hex(2n ** 251n)),
];

/** Calldata with the addresses and class hashes of the chain. */
const calls = (entry: string, calldata: (chain: FailingChain) => readonly string[]): Case => [
  `failing_calls: ${entry}`,
  (chain) =>
    chain.explainInvoke([
      { to: chain.contracts['failing_calls'] ?? '', name: entry, calldata: calldata(chain) },
    ]),
];
const library = ({ classes }: FailingChain): string => classes['failing_library']?.hash ?? '';

export const NESTED: readonly Case[] = [
  calls('call_check', (chain) => [callee(chain), '0x1']),
  calls('call_subtract', (chain) => [callee(chain), '0x1', '0x2']),
  calls('call_nested', (chain) => [callee(chain), '0x2', callee(chain), callee(chain), '0x9']),
  calls('call_into_library', (chain) => [callee(chain), library(chain), '0x1']),
  calls('call_missing', (chain) => [callee(chain)]),
  calls('call_other_type', (chain) => [callee(chain)]),
  calls('call_raw', () => ['0x1234', selector('check'), '0x0']),
  calls('call_caught', (chain) => [callee(chain), '0x1']),
  calls('library_check', (chain) => [library(chain), '0x1']),
  calls('library_subtract', (chain) => [library(chain), '0x1']),
  calls('library_check', () => ['0x1234', '0x1']),
  calls('deploy', ({ classes }) => [classes['failing_callee']?.hash ?? '', '0x1', '0x1', '0x7']),
  calls('deploy', () => ['0x1234', '0x1', '0x0']),
  calls('deploy_twice', ({ classes }) => [classes['failing_callee']?.hash ?? '', '0x9']),
  calls('replace', () => ['0x1234']),
  calls('reenter', (chain) => [callee(chain)]),
  calls('call_forever', () => ['0x0']),
];

export const SYSCALLS: readonly Case[] = [
  calls('block_hash', () => ['0xffff']),
  calls('keccak', () => ['0x1', '0x1']),
  calls('secp_k1_point', () => [...MAX_U256, ...u256(1n)]),
  calls('storage_domain', () => ['0x1']),
];

export const CALLDATA: readonly Case[] = [
  fails('reverter', 'write'),
  fails('reverter', 'write', '0x1', '0x2'),
  fails('reverter', 'fail', '0x5', '0x1'),
  fails('failures', 'panic_text', '0x1'),
  [
    'STRK: half of a u256',
    ({ explainInvoke }) =>
      explainInvoke([{ to: STRK, name: 'transfer', calldata: ['0x1', '0x5'] }]),
  ],
  fails('reverter', 'fial'),
  fails('reverter', 'failVia'),
  fails('reverter', 'something_else'),
  [
    'a contract that is not there',
    ({ explainInvoke }) => explainInvoke([{ to: '0x1234', name: 'x' }]),
  ],
  [
    'a constructor that panics',
    ({ classes, explainInvoke }) =>
      explainInvoke([deployment(classes['failures']?.hash ?? '', ['0x7']).call]),
  ],
  [
    'a constructor without its argument',
    ({ classes, explainInvoke }) =>
      explainInvoke([deployment(classes['counter']?.hash ?? '').call]),
  ],
  [
    'a class that is not declared',
    ({ explainInvoke }) => explainInvoke([deployment('0x1234').call]),
  ],
  [
    'a class that is not declared, by the older deployer',
    ({ explainInvoke }) => explainInvoke([deployment('0x1234', [], { udc: LEGACY_UDC }).call]),
  ],
  [
    'an address that is taken',
    ({ classes, explainInvoke }) =>
      explainInvoke([deployment(classes['counter']?.hash ?? '', ['0x5'], { salt: '0x5' }).call]),
  ],
];

export const OLDER: readonly Case[] = [
  fails('counter-2.8', 'increase', '0x0'),
  fails('counter-2.8', 'increase', hex(2n ** 128n - 1n)),
  fails('reverter-2.8', 'fail', '0x0'),
  fails('reverter-2.8', 'fail', '0x2', short('oops'), '0x7'),
  fails('reverter-2.8', 'fail_text'),
  [
    'reverter-2.8: fail_via, two deep',
    ({ contracts, explainInvoke }) => {
      const to = contracts['reverter-2.8'] ?? '';
      const inner = [to, '0x1', short('deep')];
      const calldata = [to, selector('fail_via'), hex(inner.length), ...inner];
      return explainInvoke([{ to, name: 'forward', calldata }]);
    },
  ],
  [
    'reverter-2.8: library',
    ({ contracts, classes, explainInvoke }) =>
      explainInvoke([
        {
          to: contracts['reverter-2.8'] ?? '',
          name: 'library',
          calldata: [classes['failing_library']?.hash ?? '', selector('check'), '0x1', '0x1'],
        },
      ]),
  ],
  fails('reverter-2.8', 'recurse', '0x64'),
  fails('reverter-2.8', 'recurse'),
];
