// A price that its publisher reports.
#[starknet::interface]
pub trait Feed<TState> {
    fn publish(ref self: TState, price: u128);
    fn latest(self: @TState) -> (u128, u64);
}

#[starknet::contract]
mod feed {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_block_timestamp, get_caller_address};

    #[storage]
    struct Storage {
        publisher: ContractAddress,
        price: u128,
        time: u64,
    }

    #[constructor]
    fn constructor(ref self: ContractState, publisher: ContractAddress, price: u128) {
        self.publisher.write(publisher);
        self.price.write(price);
        self.time.write(get_block_timestamp());
    }

    #[abi(embed_v0)]
    impl FeedImpl of super::Feed<ContractState> {
        fn publish(ref self: ContractState, price: u128) {
            assert(get_caller_address() == self.publisher.read(), 'feed: not the publisher');
            self.price.write(price);
            self.time.write(get_block_timestamp());
        }

        fn latest(self: @ContractState) -> (u128, u64) {
            (self.price.read(), self.time.read())
        }
    }
}
