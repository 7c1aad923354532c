// For tests: what `failing_calls` calls and deploys.
use starknet::{ClassHash, ContractAddress};

#[starknet::interface]
pub trait FailingCalleeApi<TState> {
    fn check(self: @TState, value: felt252);
    fn subtract(self: @TState, from: u128, amount: u128) -> u128;
    fn panic_with(self: @TState, data: Array<felt252>);
    fn pass_on(self: @TState, rest: Array<ContractAddress>, value: felt252);
    fn pass_to_library(self: @TState, class_hash: ClassHash, value: felt252);
    fn call_back(ref self: TState, target: ContractAddress);
    fn one(self: @TState) -> felt252;
}

#[starknet::contract]
mod failing_callee {
    use starknet::{ClassHash, ContractAddress, get_contract_address};
    use super::super::failing_library::{
        FailingLibraryApiDispatcherTrait, FailingLibraryApiLibraryDispatcher,
    };
    use super::super::failing_calls::{FailingCallsApiDispatcher, FailingCallsApiDispatcherTrait};
    use super::{FailingCalleeApiDispatcher, FailingCalleeApiDispatcherTrait};

    #[storage]
    struct Storage {}

    #[constructor]
    fn constructor(ref self: ContractState, value: felt252) {
        assert(value == 0, 'constructor: value must be 0'); // fails: constructor
    }

    // The compiler keeps no place of a panic whose data is not made on its line.
    #[inline(never)]
    fn copied(data: Array<felt252>) -> Array<felt252> {
        let mut copy = array![];
        copy.append_span(data.span());
        copy
    }

    #[abi(embed_v0)]
    impl FailingCalleeImpl of super::FailingCalleeApi<ContractState> {
        fn check(self: @ContractState, value: felt252) {
            assert(value == 0, 'callee: value must be 0'); // fails: callee_check
        }

        fn subtract(self: @ContractState, from: u128, amount: u128) -> u128 {
            from - amount // fails: callee_subtract
        }

        fn panic_with(self: @ContractState, data: Array<felt252>) {
            core::panics::panic(copied(data)) // fails: callee_panic
        }

        // Calls the first of the rest with what remains of it; the last one checks the value.
        fn pass_on(self: @ContractState, rest: Array<ContractAddress>, value: felt252) {
            let mut rest = rest;
            if let Option::Some(next) = rest.pop_front() {
                let callee = FailingCalleeApiDispatcher { contract_address: next };
                callee.pass_on(rest, value); // fails: pass_on_call
            } else {
                assert!(value == 0, "callee: {value} is not 0"); // fails: pass_on
            }
        }

        fn pass_to_library(self: @ContractState, class_hash: ClassHash, value: felt252) {
            FailingLibraryApiLibraryDispatcher { class_hash }.check(value); // fails: pass_to_library
        }

        // Enters the caller again.
        fn call_back(ref self: ContractState, target: ContractAddress) {
            let me = get_contract_address();
            FailingCallsApiDispatcher { contract_address: target }.reenter(me); // fails: call_back
        }

        fn one(self: @ContractState) -> felt252 {
            1
        }
    }
}
