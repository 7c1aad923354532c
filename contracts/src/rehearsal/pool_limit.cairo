// `pool` with a limit of the total volume, which only the writes of this class count.
#[starknet::interface]
pub trait PoolApi<TState> {
    fn fill(ref self: TState, a: u128, b: u128);
    fn swap(ref self: TState, a_to_b: bool, paid: u128) -> u128;
    fn quote(self: @TState, a_to_b: bool, paid: u128) -> u128;
    fn swaps(self: @TState) -> u64;
}

#[starknet::contract]
mod pool_limit {
    use starknet::{ContractAddress, get_caller_address, get_contract_address};
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use super::super::coin::{CoinApiDispatcher, CoinApiDispatcherTrait};

    #[derive(Copy, Drop, Serde, starknet::Store)]
    struct Reserves {
        a: u128,
        b: u128,
    }

    #[storage]
    struct Storage {
        coin_a: ContractAddress,
        coin_b: ContractAddress,
        reserves: Reserves,
        swaps: u64,
        volumes: Map<ContractAddress, u128>,
        volume: u128,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Swapped: Swapped,
    }

    #[derive(Drop, starknet::Event)]
    struct Swapped {
        #[key]
        trader: ContractAddress,
        a_to_b: bool,
        paid: u128,
        received: u128,
    }

    #[constructor]
    fn constructor(ref self: ContractState, coin_a: ContractAddress, coin_b: ContractAddress) {
        self.coin_a.write(coin_a);
        self.coin_b.write(coin_b);
    }

    #[abi(embed_v0)]
    impl PoolImpl of super::PoolApi<ContractState> {
        fn fill(ref self: ContractState, a: u128, b: u128) {
            let from = get_caller_address();
            let here = get_contract_address();
            self.coin(true).transfer_from(from, here, a.into());
            self.coin(false).transfer_from(from, here, b.into());
            let before = self.reserves.read();
            self.reserves.write(Reserves { a: before.a + a, b: before.b + b });
        }

        fn swap(ref self: ContractState, a_to_b: bool, paid: u128) -> u128 {
            let trader = get_caller_address();
            let received = self.quote(a_to_b, paid);
            assert(received != 0, 'pool: nothing to receive');
            let volume = self.volume.read() + paid;
            assert(volume <= 100000, 'pool: limit reached');
            self.volume.write(volume);
            self.coin(a_to_b).transfer_from(trader, get_contract_address(), paid.into());
            self.coin(!a_to_b).transfer(trader, received.into());
            let Reserves { a, b } = self.reserves.read();
            if a_to_b {
                self.reserves.write(Reserves { a: a + paid, b: b - received });
            } else {
                self.reserves.write(Reserves { a: a - received, b: b + paid });
            }
            self.swaps.write(self.swaps.read() + 1);
            self.volumes.write(trader, self.volumes.read(trader) + paid);
            self.emit(Swapped { trader, a_to_b, paid, received });
            received
        }

        fn quote(self: @ContractState, a_to_b: bool, paid: u128) -> u128 {
            let Reserves { a, b } = self.reserves.read();
            let (from, to) = if a_to_b { (a, b) } else { (b, a) };
            let counted = paid * 997 / 1000;
            to * counted / (from + counted)
        }

        fn swaps(self: @ContractState) -> u64 {
            self.swaps.read()
        }
    }

    #[generate_trait]
    impl Coins of CoinsTrait {
        fn coin(self: @ContractState, is_a: bool) -> CoinApiDispatcher {
            let contract_address = if is_a { self.coin_a.read() } else { self.coin_b.read() };
            CoinApiDispatcher { contract_address }
        }
    }
}
