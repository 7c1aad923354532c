// For recipes: prices by pair, as an oracle publishes them. Only the publisher may set one.
#[starknet::interface]
pub trait OracleApi<TState> {
    fn set_price(ref self: TState, pair: felt252, price: u128);
    fn price(self: @TState, pair: felt252) -> u128;
}

#[starknet::contract]
mod oracle {
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess,
    };
    use starknet::{ContractAddress, get_caller_address};

    #[storage]
    struct Storage {
        publisher: ContractAddress,
        prices: Map<felt252, u128>,
    }

    #[constructor]
    fn constructor(ref self: ContractState, publisher: ContractAddress) {
        self.publisher.write(publisher);
    }

    #[abi(embed_v0)]
    impl OracleImpl of super::OracleApi<ContractState> {
        fn set_price(ref self: ContractState, pair: felt252, price: u128) {
            assert(get_caller_address() == self.publisher.read(), 'oracle: not the publisher');
            self.prices.write(pair, price);
        }

        fn price(self: @ContractState, pair: felt252) -> u128 {
            self.prices.read(pair)
        }
    }
}
