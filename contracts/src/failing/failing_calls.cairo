// For tests: one entry point for each way to fail by a call, a system call or a limit; the failing line is marked.
use starknet::{ClassHash, ContractAddress};

#[starknet::interface]
pub trait FailingCallsApi<TState> {
    fn call_check(self: @TState, target: ContractAddress, value: felt252);
    fn call_subtract(self: @TState, target: ContractAddress, from: u128, amount: u128) -> u128;
    fn call_panic(self: @TState, target: ContractAddress, data: Array<felt252>);
    fn call_nested(self: @TState, first: ContractAddress, rest: Array<ContractAddress>, value: felt252);
    fn call_into_library(
        self: @TState, target: ContractAddress, class_hash: ClassHash, value: felt252,
    );
    fn call_missing(self: @TState, target: ContractAddress);
    fn call_other_type(self: @TState, target: ContractAddress) -> (felt252, felt252);
    fn call_raw(
        self: @TState, target: ContractAddress, selector: felt252, calldata: Array<felt252>,
    ) -> Span<felt252>;
    fn call_caught(self: @TState, target: ContractAddress, value: felt252);
    fn library_check(self: @TState, class_hash: ClassHash, value: felt252);
    fn library_subtract(ref self: TState, class_hash: ClassHash, amount: u64) -> u64;
    fn deploy(ref self: TState, class_hash: ClassHash, salt: felt252, calldata: Array<felt252>) -> ContractAddress;
    fn deploy_twice(ref self: TState, class_hash: ClassHash, salt: felt252);
    fn replace(ref self: TState, class_hash: ClassHash);
    fn reenter(ref self: TState, callee: ContractAddress);
}

#[starknet::interface]
pub trait FailingLimitsApi<TState> {
    fn read_forever(self: @TState) -> felt252;
    fn write_forever(ref self: TState);
    fn recurse_forever(self: @TState, value: felt252) -> felt252;
    fn call_forever(self: @TState, depth: u32) -> u32;
    fn block_hash(self: @TState, number: u64) -> felt252;
    fn keccak(self: @TState, words: Array<u64>) -> u256;
    fn secp_k1_point(self: @TState, x: u256, y: u256) -> bool;
    fn secp_r1_point(self: @TState, x: u256, y: u256) -> bool;
    fn send_message(ref self: TState, to: felt252, length: u32);
    fn emit(ref self: TState, keys: u32, data: u32);
    fn storage_domain(self: @TState, domain: u32) -> felt252;
}

#[starknet::interface]
trait Absent<TState> {
    fn not_there(self: @TState);
}

// `one` of the callee returns one felt.
#[starknet::interface]
trait OtherType<TState> {
    fn one(self: @TState) -> (felt252, felt252);
}

#[starknet::contract]
mod failing_calls {
    use starknet::secp256_trait::Secp256Trait;
    use starknet::secp256k1::Secp256k1Point;
    use starknet::secp256r1::Secp256r1Point;
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess,
    };
    use starknet::syscalls::{
        call_contract_syscall, deploy_syscall, emit_event_syscall, get_block_hash_syscall,
        keccak_syscall, replace_class_syscall, send_message_to_l1_syscall, storage_read_syscall,
    };
    use starknet::{ClassHash, ContractAddress, SyscallResultTrait, get_contract_address};
    use super::super::failing_callee::{FailingCalleeApiDispatcher, FailingCalleeApiDispatcherTrait};
    use super::super::failing_library::{
        FailingLibraryApiDispatcherTrait, FailingLibraryApiLibraryDispatcher,
    };
    use super::{
        AbsentDispatcher, AbsentDispatcherTrait, FailingLimitsApiDispatcher,
        FailingLimitsApiDispatcherTrait, OtherTypeDispatcher, OtherTypeDispatcherTrait,
    };

    #[storage]
    struct Storage {
        is_entered: bool,
        slot: Map<felt252, felt252>,
    }

    #[l1_handler]
    fn handle(ref self: ContractState, from_address: felt252, amount: u128) {
        assert(from_address != 0x666, 'handler: unknown sender'); // fails: handle_sender
        let left = 1000 - amount; // fails: handle_amount
        self.slot.write(0, left.into());
    }

    fn zeros(count: u32) -> Span<felt252> {
        let mut felts = array![];
        for _ in 0..count {
            felts.append(0);
        }
        felts.span()
    }

    fn endless(value: felt252) -> felt252 { // fails: recurse_forever
        if value == 0 {
            return 0;
        }
        endless(value + 1) + value
    }

    #[abi(embed_v0)]
    impl CallsImpl of super::FailingCallsApi<ContractState> {
        fn call_check(self: @ContractState, target: ContractAddress, value: felt252) {
            FailingCalleeApiDispatcher { contract_address: target }.check(value); // fails: call_check
        }

        fn call_subtract(
            self: @ContractState, target: ContractAddress, from: u128, amount: u128,
        ) -> u128 {
            let callee = FailingCalleeApiDispatcher { contract_address: target };
            callee.subtract(from, amount) // fails: call_subtract
        }

        fn call_panic(self: @ContractState, target: ContractAddress, data: Array<felt252>) {
            FailingCalleeApiDispatcher { contract_address: target }.panic_with(data); // fails: call_panic
        }

        fn call_nested(
            self: @ContractState,
            first: ContractAddress,
            rest: Array<ContractAddress>,
            value: felt252,
        ) {
            let callee = FailingCalleeApiDispatcher { contract_address: first };
            callee.pass_on(rest, value); // fails: call_nested
        }

        fn call_into_library(
            self: @ContractState, target: ContractAddress, class_hash: ClassHash, value: felt252,
        ) {
            let callee = FailingCalleeApiDispatcher { contract_address: target };
            callee.pass_to_library(class_hash, value); // fails: call_into_library
        }

        fn call_missing(self: @ContractState, target: ContractAddress) {
            AbsentDispatcher { contract_address: target }.not_there(); // fails: call_missing
        }

        fn call_other_type(self: @ContractState, target: ContractAddress) -> (felt252, felt252) {
            OtherTypeDispatcher { contract_address: target }.one() // fails: call_other_type
        }

        fn call_raw(
            self: @ContractState,
            target: ContractAddress,
            selector: felt252,
            calldata: Array<felt252>,
        ) -> Span<felt252> {
            call_contract_syscall(target, selector, calldata.span()).unwrap_syscall() // fails: call_raw
        }

        // Catches the failure and fails with a text of its own.
        fn call_caught(self: @ContractState, target: ContractAddress, value: felt252) {
            let calldata = array![value].span();
            if let Result::Err(reason) = call_contract_syscall(target, selector!("check"), calldata) {
                panic!("caught a failure of {} felts", reason.len()); // fails: call_caught
            }
        }

        fn library_check(self: @ContractState, class_hash: ClassHash, value: felt252) {
            FailingLibraryApiLibraryDispatcher { class_hash }.check(value); // fails: library_call
        }

        fn library_subtract(ref self: ContractState, class_hash: ClassHash, amount: u64) -> u64 {
            FailingLibraryApiLibraryDispatcher { class_hash }.subtract(amount) // fails: library_call_subtract
        }

        fn deploy(
            ref self: ContractState, class_hash: ClassHash, salt: felt252, calldata: Array<felt252>,
        ) -> ContractAddress {
            let calldata = calldata.span();
            let (address, _) = deploy_syscall(class_hash, salt, calldata, false).unwrap_syscall(); // fails: deploy
            address
        }

        fn deploy_twice(ref self: ContractState, class_hash: ClassHash, salt: felt252) {
            let calldata = array![0].span();
            deploy_syscall(class_hash, salt, calldata, false).unwrap_syscall();
            deploy_syscall(class_hash, salt, calldata, false).unwrap_syscall(); // fails: deploy_twice
        }

        fn replace(ref self: ContractState, class_hash: ClassHash) {
            replace_class_syscall(class_hash).unwrap_syscall(); // fails: replace
        }

        // The callee enters this again.
        fn reenter(ref self: ContractState, callee: ContractAddress) {
            assert(!self.is_entered.read(), 'reentrant call'); // fails: reenter
            self.is_entered.write(true);
            let me = get_contract_address();
            FailingCalleeApiDispatcher { contract_address: callee }.call_back(me); // fails: reenter_call
            self.is_entered.write(false);
        }
    }

    #[abi(embed_v0)]
    impl LimitsImpl of super::FailingLimitsApi<ContractState> {
        fn read_forever(self: @ContractState) -> felt252 {
            let mut key = 1;
            while key != 0 {
                key += self.slot.read(key) + 1; // fails: read_forever
            }
            key
        }

        fn write_forever(ref self: ContractState) {
            let mut key = 1;
            while key != 0 {
                self.slot.write(key, key); // fails: write_forever
                key += 1;
            }
        }

        fn recurse_forever(self: @ContractState, value: felt252) -> felt252 {
            endless(value)
        }

        fn call_forever(self: @ContractState, depth: u32) -> u32 {
            let me = FailingLimitsApiDispatcher { contract_address: get_contract_address() };
            me.call_forever(depth + 1) + 1 // fails: call_forever
        }

        fn block_hash(self: @ContractState, number: u64) -> felt252 {
            get_block_hash_syscall(number).unwrap_syscall() // fails: block_hash
        }

        // Fails unless 17 divides the number of words.
        fn keccak(self: @ContractState, words: Array<u64>) -> u256 {
            keccak_syscall(words.span()).unwrap_syscall() // fails: keccak
        }

        fn secp_k1_point(self: @ContractState, x: u256, y: u256) -> bool {
            let point = Secp256Trait::<Secp256k1Point>::secp256_ec_new_syscall(x, y); // fails: secp_k1_point
            point.unwrap_syscall().is_some()
        }

        fn secp_r1_point(self: @ContractState, x: u256, y: u256) -> bool {
            let point = Secp256Trait::<Secp256r1Point>::secp256_ec_new_syscall(x, y); // fails: secp_r1_point
            point.unwrap_syscall().is_some()
        }

        fn send_message(ref self: ContractState, to: felt252, length: u32) {
            send_message_to_l1_syscall(to, zeros(length)).unwrap_syscall(); // fails: send_message
        }

        fn emit(ref self: ContractState, keys: u32, data: u32) {
            emit_event_syscall(zeros(keys), zeros(data)).unwrap_syscall(); // fails: emit
        }

        fn storage_domain(self: @ContractState, domain: u32) -> felt252 {
            storage_read_syscall(domain, 0.try_into().unwrap()).unwrap_syscall() // fails: storage_domain
        }
    }
}
