// For tests: failures and call trees. Panics of any content, nested and caught failures, recursion, loops, library calls.
use starknet::{ClassHash, ContractAddress};

#[starknet::interface]
trait ReverterApi<TState> {
    fn fail(self: @TState, data: Array<felt252>);
    fn fail_text(self: @TState);
    fn fail_via(self: @TState, target: ContractAddress, data: Array<felt252>);
    fn write(ref self: TState, value: felt252);
    fn write_then_fail(ref self: TState, value: felt252, data: Array<felt252>);
    fn written(self: @TState) -> felt252;
    fn forward(
        ref self: TState, target: ContractAddress, selector: felt252, calldata: Array<felt252>
    ) -> Span<felt252>;
    fn catch(
        ref self: TState, target: ContractAddress, selector: felt252, calldata: Array<felt252>
    ) -> (bool, Span<felt252>);
    fn library(
        ref self: TState, class_hash: ClassHash, selector: felt252, calldata: Array<felt252>
    ) -> Span<felt252>;
    fn recurse(self: @TState, depth: u32) -> u32;
    fn burn(self: @TState, n: u64) -> felt252;
}

#[starknet::contract]
mod reverter {
    use starknet::{ClassHash, ContractAddress, SyscallResultTrait, get_contract_address};
    use starknet::storage::{StoragePointerReadAccess, StoragePointerWriteAccess};
    use starknet::syscalls::{call_contract_syscall, library_call_syscall};
    use super::{ReverterApiDispatcher, ReverterApiDispatcherTrait};

    #[storage]
    struct Storage {
        value: felt252,
    }

    #[abi(embed_v0)]
    impl ReverterImpl of super::ReverterApi<ContractState> {
        // Panics with exactly these felts, none included.
        fn fail(self: @ContractState, data: Array<felt252>) {
            core::panics::panic(data)
        }

        // Panics with a byte array longer than one felt.
        fn fail_text(self: @ContractState) {
            panic!("reverter: this message is longer than one felt can hold")
        }

        fn fail_via(self: @ContractState, target: ContractAddress, data: Array<felt252>) {
            ReverterApiDispatcher { contract_address: target }.fail(data)
        }

        fn write(ref self: ContractState, value: felt252) {
            self.value.write(value);
        }

        fn write_then_fail(ref self: ContractState, value: felt252, data: Array<felt252>) {
            self.value.write(value);
            core::panics::panic(data)
        }

        fn written(self: @ContractState) -> felt252 {
            self.value.read()
        }

        // Any call; a failure of the target is passed on.
        fn forward(
            ref self: ContractState,
            target: ContractAddress,
            selector: felt252,
            calldata: Array<felt252>
        ) -> Span<felt252> {
            call_contract_syscall(target, selector, calldata.span()).unwrap_syscall()
        }

        // Any call; a failure of the target comes back as (false, its panic data).
        fn catch(
            ref self: ContractState,
            target: ContractAddress,
            selector: felt252,
            calldata: Array<felt252>
        ) -> (bool, Span<felt252>) {
            match call_contract_syscall(target, selector, calldata.span()) {
                Result::Ok(returned) => (true, returned),
                Result::Err(reason) => (false, reason.span()),
            }
        }

        // Runs an entry point of another class on this contract's storage.
        fn library(
            ref self: ContractState,
            class_hash: ClassHash,
            selector: felt252,
            calldata: Array<felt252>
        ) -> Span<felt252> {
            library_call_syscall(class_hash, selector, calldata.span()).unwrap_syscall()
        }

        // Calls itself through the network `depth` times and returns the number of calls made.
        fn recurse(self: @ContractState, depth: u32) -> u32 {
            if depth == 0 {
                return 0;
            }
            let myself = ReverterApiDispatcher { contract_address: get_contract_address() };
            myself.recurse(depth - 1) + 1
        }

        // n turns of a small loop: steps without storage, events or calls.
        fn burn(self: @ContractState, n: u64) -> felt252 {
            let mut mix: felt252 = 1;
            let mut left = n;
            while left != 0 {
                mix = mix * 3 + left.into();
                left -= 1;
            };
            mix
        }
    }
}
