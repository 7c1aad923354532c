// For tests: many storage writes in one transaction, for state diffs, dumps and fees.
#[starknet::interface]
trait SlotsApi<TState> {
    fn fill(ref self: TState, start: felt252, n: u32);
    fn clear(ref self: TState, start: felt252, n: u32);
    fn put(ref self: TState, key: felt252, value: felt252);
    fn read(self: @TState, key: felt252) -> felt252;
}

#[starknet::contract]
mod slots {
    use starknet::storage::{Map, StorageMapReadAccess, StorageMapWriteAccess};

    #[storage]
    struct Storage {
        slot: Map<felt252, felt252>,
    }

    #[abi(embed_v0)]
    impl SlotsImpl of super::SlotsApi<ContractState> {
        // Writes key + 1 at each of the n keys from `start` on.
        fn fill(ref self: ContractState, start: felt252, n: u32) {
            let end = start + n.into();
            let mut key = start;
            while key != end {
                self.slot.write(key, key + 1);
                key += 1;
            }
        }

        // Writes 0 at each of the n keys from `start` on.
        fn clear(ref self: ContractState, start: felt252, n: u32) {
            let end = start + n.into();
            let mut key = start;
            while key != end {
                self.slot.write(key, 0);
                key += 1;
            }
        }

        fn put(ref self: ContractState, key: felt252, value: felt252) {
            self.slot.write(key, value);
        }

        fn read(self: @ContractState, key: felt252) -> felt252 {
            self.slot.read(key)
        }
    }
}
