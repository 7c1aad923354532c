// For tests: a class that is called as a library and fails in the storage of its caller.
#[starknet::interface]
pub trait FailingLibraryApi<TState> {
    fn subtract(ref self: TState, amount: u64) -> u64;
    fn check(self: @TState, value: felt252);
}

#[starknet::contract]
mod failing_library {
    use starknet::storage::{StoragePointerReadAccess, StoragePointerWriteAccess};

    #[storage]
    struct Storage {
        total: u64,
    }

    #[abi(embed_v0)]
    impl FailingLibraryImpl of super::FailingLibraryApi<ContractState> {
        fn subtract(ref self: ContractState, amount: u64) -> u64 {
            let left = self.total.read() - amount; // fails: library_subtract
            self.total.write(left);
            left
        }

        fn check(self: @ContractState, value: felt252) {
            assert(value == 0, 'library: value must be 0'); // fails: library_check
        }
    }
}
