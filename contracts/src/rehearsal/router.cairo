// A contract that swaps in a pool for its callers, for rehearsals of upgrades.
use starknet::ContractAddress;

#[starknet::interface]
trait RouterApi<TState> {
    fn swap_through(
        ref self: TState,
        pool: ContractAddress,
        paid_coin: ContractAddress,
        received_coin: ContractAddress,
        a_to_b: bool,
        paid: u128
    ) -> u128;
}

#[starknet::contract]
mod router {
    use starknet::{ContractAddress, get_caller_address, get_contract_address};
    use super::super::coin::{CoinApiDispatcher, CoinApiDispatcherTrait};
    use super::super::pool::{PoolApiDispatcher, PoolApiDispatcherTrait};

    #[storage]
    struct Storage {}

    #[abi(embed_v0)]
    impl RouterImpl of super::RouterApi<ContractState> {
        fn swap_through(
            ref self: ContractState,
            pool: ContractAddress,
            paid_coin: ContractAddress,
            received_coin: ContractAddress,
            a_to_b: bool,
            paid: u128
        ) -> u128 {
            let caller = get_caller_address();
            let coin = CoinApiDispatcher { contract_address: paid_coin };
            coin.transfer_from(caller, get_contract_address(), paid.into());
            coin.approve(pool, paid.into());
            let received = PoolApiDispatcher { contract_address: pool }.swap(a_to_b, paid);
            CoinApiDispatcher { contract_address: received_coin }.transfer(caller, received.into());
            received
        }
    }
}
