// For tests: a contract that replaces its own class; `upgraded` is the class to replace it by.
use starknet::ClassHash;

#[starknet::interface]
trait UpgradableApi<TState> {
    fn version(self: @TState) -> felt252;
    fn set_kept(ref self: TState, value: felt252);
    fn kept(self: @TState) -> felt252;
    fn replace_class(ref self: TState, class_hash: ClassHash);
    fn replace_class_and_ask(ref self: TState, class_hash: ClassHash) -> felt252;
}

#[starknet::contract]
mod upgradable {
    use starknet::{ClassHash, SyscallResultTrait, get_contract_address};
    use starknet::storage::{StoragePointerReadAccess, StoragePointerWriteAccess};
    use starknet::syscalls::replace_class_syscall;
    use super::{UpgradableApiDispatcher, UpgradableApiDispatcherTrait};

    #[storage]
    struct Storage {
        kept: felt252,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        ClassReplaced: ClassReplaced,
    }

    #[derive(Drop, starknet::Event)]
    struct ClassReplaced {
        class_hash: ClassHash,
    }

    #[abi(embed_v0)]
    impl UpgradableImpl of super::UpgradableApi<ContractState> {
        fn version(self: @ContractState) -> felt252 {
            1
        }

        fn set_kept(ref self: ContractState, value: felt252) {
            self.kept.write(value);
        }

        fn kept(self: @ContractState) -> felt252 {
            self.kept.read()
        }

        fn replace_class(ref self: ContractState, class_hash: ClassHash) {
            replace_class_syscall(class_hash).unwrap_syscall();
            self.emit(ClassReplaced { class_hash });
        }

        // Replaces the class, then asks the new class for its version within the same transaction.
        fn replace_class_and_ask(ref self: ContractState, class_hash: ClassHash) -> felt252 {
            replace_class_syscall(class_hash).unwrap_syscall();
            UpgradableApiDispatcher { contract_address: get_contract_address() }.version()
        }
    }
}
