// For tests: one entry point for each way to fail within a contract; `failing_calls` has those outside. The failing line is marked with the entry point's name.
use starknet::{ClassHash, ContractAddress};

#[starknet::interface]
pub trait FailuresPanicsApi<TState> {
    fn assert_short(self: @TState, value: felt252);
    fn assert_formatted(self: @TState, value: u64);
    fn assert_plain(self: @TState, value: u64);
    fn assert_equal(self: @TState, left: u64, right: u64);
    fn panic_felt(self: @TState, value: felt252);
    fn panic_felts(self: @TState, value: felt252);
    fn panic_nothing(self: @TState);
    fn panic_given(self: @TState, data: Array<felt252>);
    fn panic_text(self: @TState, name: ByteArray);
    fn panic_unicode(self: @TState);
    fn panic_nested_text(self: @TState, name: ByteArray);
    fn panic_two_texts(self: @TState);
    fn custom_error(self: @TState, kind: u8);
    fn custom_error_with_values(self: @TState, wanted: u64, held: u64);
    fn unreachable_arm(self: @TState, kind: felt252) -> felt252;
    fn helper(self: @TState, value: u32) -> u32;
    fn inlined(self: @TState, value: u32) -> u32;
    fn generic(self: @TState, value: u32) -> u32;
    fn closure(self: @TState, value: u32) -> u32;
    fn looped(self: @TState, values: Array<u32>) -> u32;
    fn only_owner(self: @TState);
}

#[starknet::interface]
pub trait FailuresValuesApi<TState> {
    fn add_u8(self: @TState, a: u8, b: u8) -> u8;
    fn subtract_u8(self: @TState, a: u8, b: u8) -> u8;
    fn multiply_u8(self: @TState, a: u8, b: u8) -> u8;
    fn add_u64(self: @TState, a: u64, b: u64) -> u64;
    fn add_u128(self: @TState, a: u128, b: u128) -> u128;
    fn multiply_u128(self: @TState, a: u128, b: u128) -> u128;
    fn add_u256(self: @TState, a: u256, b: u256) -> u256;
    fn subtract_u256(self: @TState, a: u256, b: u256) -> u256;
    fn multiply_u256(self: @TState, a: u256, b: u256) -> u256;
    fn add_i32(self: @TState, a: i32, b: i32) -> i32;
    fn subtract_i32(self: @TState, a: i32, b: i32) -> i32;
    fn divide_u64(self: @TState, a: u64, b: u64) -> u64;
    fn divide_u256(self: @TState, a: u256, b: u256) -> u256;
    fn modulo_u128(self: @TState, a: u128, b: u128) -> u128;
    fn divide_felt(self: @TState, a: felt252, b: felt252) -> felt252;
    fn array_index(self: @TState, values: Array<felt252>, index: u32) -> felt252;
    fn span_slice(self: @TState, values: Span<felt252>, start: u32, length: u32) -> u32;
    fn text_index(self: @TState, text: ByteArray, index: u32) -> u8;
    fn option_unwrap(self: @TState, values: Array<felt252>) -> felt252;
    fn option_expect(self: @TState, values: Array<felt252>) -> felt252;
    fn result_unwrap(self: @TState, value: u8) -> u8;
    fn result_expect(self: @TState, value: u8) -> u8;
    fn result_unwrap_err(self: @TState, value: u8) -> felt252;
    fn felt_to_address(self: @TState, value: felt252) -> ContractAddress;
    fn felt_to_class_hash(self: @TState, value: felt252) -> ClassHash;
    fn felt_to_u8(self: @TState, value: felt252) -> u8;
    fn u256_to_felt(self: @TState, value: u256) -> felt252;
    fn i32_to_u32(self: @TState, value: i32) -> u32;
    fn dictionary_overflow(self: @TState, key: felt252, value: u8) -> u8;
}

#[starknet::contract]
mod failures {
    use core::byte_array::BYTE_ARRAY_MAGIC;
    use core::dict::Felt252Dict;
    use core::panic_with_felt252;
    use core::panics::panic;
    use starknet::storage::{StoragePointerReadAccess, StoragePointerWriteAccess};
    use starknet::{ClassHash, ContractAddress, get_caller_address, get_contract_address};

    #[storage]
    struct Storage {
        owner: ContractAddress,
    }

    #[constructor]
    fn constructor(ref self: ContractState, value: felt252) {
        assert!(value == 0, "failures: constructor got {value}"); // fails: failures_constructor
        self.owner.write(get_contract_address());
    }

    #[derive(Drop, Copy)]
    enum Failure {
        Closed,
        Locked,
        Unknown: u8,
    }

    impl FailureIntoFelt of Into<Failure, felt252> {
        fn into(self: Failure) -> felt252 {
            match self {
                Failure::Closed => 'failure: closed',
                Failure::Locked => 'failure: locked',
                Failure::Unknown(kind) => kind.into(),
            }
        }
    }

    #[derive(Drop, Serde)]
    struct TooLittle {
        name: felt252,
        wanted: u64,
        held: u64,
    }

    #[inline(never)]
    fn serialized<T, +Serde<T>>(value: @T) -> Array<felt252> {
        let mut data = array![];
        value.serialize(ref data);
        data
    }

    #[inline(never)]
    fn checked(value: u32) -> u32 {
        lowered(value) * 2
    }

    #[inline(never)]
    fn lowered(value: u32) -> u32 {
        value - 100 // fails: helper
    }

    #[inline(always)]
    fn inlined_check(value: u32) -> u32 {
        assert(value > 99, 'inlined: value too low'); // fails: inlined
        value
    }

    fn difference<T, +Sub<T>, +Drop<T>>(a: T, b: T) -> T {
        a - b // fails: generic
    }

    fn small(value: u8) -> Result<u8, felt252> {
        if value < 10 {
            Result::Ok(value)
        } else {
            Result::Err('result: value too high')
        }
    }

    #[abi(embed_v0)]
    impl PanicsImpl of super::FailuresPanicsApi<ContractState> {
        fn assert_short(self: @ContractState, value: felt252) {
            assert(value == 0, 'value must be 0'); // fails: assert_short
        }

        fn assert_formatted(self: @ContractState, value: u64) {
            assert!(value == 0, "value is {value}, but it has to be {} here", 0); // fails: assert_formatted
        }

        fn assert_plain(self: @ContractState, value: u64) {
            assert!(value == 0); // fails: assert_plain
        }

        fn assert_equal(self: @ContractState, left: u64, right: u64) {
            assert!(left == right, "{left} and {right} are not equal"); // fails: assert_equal
        }

        fn panic_felt(self: @ContractState, value: felt252) {
            panic_with_felt252(value) // fails: panic_felt
        }

        fn panic_felts(self: @ContractState, value: felt252) {
            panic(array!['several felts', value, 0, 'last']) // fails: panic_felts
        }

        fn panic_nothing(self: @ContractState) {
            panic(array![]) // fails: panic_nothing
        }

        // Without a mark: the compiler keeps no place of a panic whose data is not made on its line.
        fn panic_given(self: @ContractState, data: Array<felt252>) {
            panic(data)
        }

        fn panic_text(self: @ContractState, name: ByteArray) {
            panic!("the name {name} is not one of those that are known here") // fails: panic_text
        }

        fn panic_unicode(self: @ContractState) {
            // The sign of the euro, which a literal cannot have.
            let mut text: ByteArray = "price in ";
            text.append_word(0xe282ac, 3);
            core::panics::panic_with_byte_array(@text) // fails: panic_unicode
        }

        // A text between felts, as a contract that passes a failure on would write it.
        fn panic_nested_text(self: @ContractState, name: ByteArray) {
            panic(serialized(@('before', BYTE_ARRAY_MAGIC, name, 'after'))) // fails: panic_nested_text
        }

        fn panic_two_texts(self: @ContractState) {
            let (one, two): (ByteArray, ByteArray) = ("first text", "second text");
            panic(serialized(@(BYTE_ARRAY_MAGIC, one, BYTE_ARRAY_MAGIC, two))) // fails: panic_two_texts
        }

        fn custom_error(self: @ContractState, kind: u8) {
            let failure = match kind {
                0 => Failure::Closed,
                1 => Failure::Locked,
                _ => Failure::Unknown(kind),
            };
            panic_with_felt252(failure.into()) // fails: custom_error
        }

        fn custom_error_with_values(self: @ContractState, wanted: u64, held: u64) {
            panic(serialized(@TooLittle { name: 'TooLittle', wanted, held })) // fails: custom_error_with_values
        }

        fn unreachable_arm(self: @ContractState, kind: felt252) -> felt252 {
            match kind {
                0 => 1,
                _ => core::panics::panic_with_byte_array(@"no such kind"), // fails: unreachable_arm
            }
        }

        // Fails two functions below.
        fn helper(self: @ContractState, value: u32) -> u32 {
            checked(value)
        }

        fn inlined(self: @ContractState, value: u32) -> u32 {
            inlined_check(value)
        }

        fn generic(self: @ContractState, value: u32) -> u32 {
            difference(value, 100)
        }

        fn closure(self: @ContractState, value: u32) -> u32 {
            let lower = |by: u32| value - by; // fails: closure
            lower(50) + lower(100)
        }

        // Fails at the first value that is 0.
        fn looped(self: @ContractState, values: Array<u32>) -> u32 {
            let mut sum = 0;
            for value in values {
                assert!(value != 0, "value after {sum} is 0"); // fails: looped
                sum += value;
            }
            sum
        }

        fn only_owner(self: @ContractState) {
            assert(get_caller_address() == self.owner.read(), 'caller is not the owner'); // fails: only_owner
        }
    }

    #[abi(embed_v0)]
    impl ValuesImpl of super::FailuresValuesApi<ContractState> {
        fn add_u8(self: @ContractState, a: u8, b: u8) -> u8 {
            a + b // fails: add_u8
        }

        fn subtract_u8(self: @ContractState, a: u8, b: u8) -> u8 {
            a - b // fails: subtract_u8
        }

        fn multiply_u8(self: @ContractState, a: u8, b: u8) -> u8 {
            a * b // fails: multiply_u8
        }

        fn add_u64(self: @ContractState, a: u64, b: u64) -> u64 {
            a + b // fails: add_u64
        }

        fn add_u128(self: @ContractState, a: u128, b: u128) -> u128 {
            a + b // fails: add_u128
        }

        fn multiply_u128(self: @ContractState, a: u128, b: u128) -> u128 {
            a * b // fails: multiply_u128
        }

        fn add_u256(self: @ContractState, a: u256, b: u256) -> u256 {
            a + b // fails: add_u256
        }

        fn subtract_u256(self: @ContractState, a: u256, b: u256) -> u256 {
            a - b // fails: subtract_u256
        }

        fn multiply_u256(self: @ContractState, a: u256, b: u256) -> u256 {
            a * b // fails: multiply_u256
        }

        fn add_i32(self: @ContractState, a: i32, b: i32) -> i32 {
            a + b // fails: add_i32
        }

        fn subtract_i32(self: @ContractState, a: i32, b: i32) -> i32 {
            a - b // fails: subtract_i32
        }

        fn divide_u64(self: @ContractState, a: u64, b: u64) -> u64 {
            a / b // fails: divide_u64
        }

        fn divide_u256(self: @ContractState, a: u256, b: u256) -> u256 {
            a / b // fails: divide_u256
        }

        fn modulo_u128(self: @ContractState, a: u128, b: u128) -> u128 {
            a % b // fails: modulo_u128
        }

        fn divide_felt(self: @ContractState, a: felt252, b: felt252) -> felt252 {
            core::felt252_div(a, b.try_into().unwrap()) // fails: divide_felt
        }

        fn array_index(self: @ContractState, values: Array<felt252>, index: u32) -> felt252 {
            *values.at(index) // fails: array_index
        }

        fn span_slice(self: @ContractState, values: Span<felt252>, start: u32, length: u32) -> u32 {
            values.slice(start, length).len() // fails: span_slice
        }

        fn text_index(self: @ContractState, text: ByteArray, index: u32) -> u8 {
            text[index] // fails: text_index
        }

        fn option_unwrap(self: @ContractState, values: Array<felt252>) -> felt252 {
            let mut values = values;
            values.pop_front().unwrap() // fails: option_unwrap
        }

        fn option_expect(self: @ContractState, values: Array<felt252>) -> felt252 {
            let mut values = values;
            values.pop_front().expect('no value given') // fails: option_expect
        }

        fn result_unwrap(self: @ContractState, value: u8) -> u8 {
            small(value).unwrap() // fails: result_unwrap
        }

        fn result_expect(self: @ContractState, value: u8) -> u8 {
            small(value).expect('a small value was expected') // fails: result_expect
        }

        fn result_unwrap_err(self: @ContractState, value: u8) -> felt252 {
            small(value).unwrap_err() // fails: result_unwrap_err
        }

        fn felt_to_address(self: @ContractState, value: felt252) -> ContractAddress {
            value.try_into().unwrap() // fails: felt_to_address
        }

        fn felt_to_class_hash(self: @ContractState, value: felt252) -> ClassHash {
            value.try_into().expect('not a class hash') // fails: felt_to_class_hash
        }

        fn felt_to_u8(self: @ContractState, value: felt252) -> u8 {
            value.try_into().unwrap() // fails: felt_to_u8
        }

        fn u256_to_felt(self: @ContractState, value: u256) -> felt252 {
            value.try_into().unwrap() // fails: u256_to_felt
        }

        fn i32_to_u32(self: @ContractState, value: i32) -> u32 {
            value.try_into().unwrap() // fails: i32_to_u32
        }

        // Leaves a dictionary behind that has to be squashed after the failure.
        fn dictionary_overflow(self: @ContractState, key: felt252, value: u8) -> u8 {
            let mut dict: Felt252Dict<u8> = Default::default();
            dict.insert(key, value);
            dict.get(key) + 200 // fails: dictionary_overflow
        }
    }
}
