// For tests: the class `upgradable` is replaced by. Same storage, another version, one entry point more.
#[starknet::interface]
trait UpgradedApi<TState> {
    fn version(self: @TState) -> felt252;
    fn kept(self: @TState) -> felt252;
    fn double_kept(ref self: TState) -> felt252;
}

#[starknet::contract]
mod upgraded {
    use starknet::storage::{StoragePointerReadAccess, StoragePointerWriteAccess};

    #[storage]
    struct Storage {
        kept: felt252,
    }

    #[abi(embed_v0)]
    impl UpgradedImpl of super::UpgradedApi<ContractState> {
        fn version(self: @ContractState) -> felt252 {
            2
        }

        fn kept(self: @ContractState) -> felt252 {
            self.kept.read()
        }

        fn double_kept(ref self: ContractState) -> felt252 {
            let doubled = self.kept.read() * 2;
            self.kept.write(doubled);
            doubled
        }
    }
}
