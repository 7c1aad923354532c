// A bank that notifies contracts of their withdrawals. Promise: it holds the sum of all balances.
use starknet::ContractAddress;

#[starknet::interface]
pub trait Bank<TState> {
    fn deposit(ref self: TState, amount: u128);
    fn withdraw(ref self: TState, amount: u128);
    fn set_notified(ref self: TState, is_notified: bool);
    fn balance_of(self: @TState, account: ContractAddress) -> u128;
}

#[starknet::contract]
mod bank {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_caller_address, get_contract_address};
    use crate::asset::{AssetDispatcher, AssetDispatcherTrait};
    use crate::receiver::{ReceiverDispatcher, ReceiverDispatcherTrait};

    #[storage]
    struct Storage {
        asset: ContractAddress,
        balances: Map<ContractAddress, u128>,
        notified: Map<ContractAddress, bool>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Deposited: Changed,
        Withdrawn: Changed,
    }

    #[derive(Drop, starknet::Event)]
    struct Changed {
        #[key]
        account: ContractAddress,
        amount: u128,
    }

    #[constructor]
    fn constructor(ref self: ContractState, asset: ContractAddress) {
        self.asset.write(asset);
    }

    #[abi(embed_v0)]
    impl BankImpl of super::Bank<ContractState> {
        fn deposit(ref self: ContractState, amount: u128) {
            let account = get_caller_address();
            let asset = AssetDispatcher { contract_address: self.asset.read() };
            asset.transfer_from(account, get_contract_address(), amount.into());
            self.balances.write(account, self.balances.read(account) + amount);
            self.emit(Event::Deposited(Changed { account, amount }));
        }

        fn withdraw(ref self: ContractState, amount: u128) {
            let account = get_caller_address();
            let held = self.balances.read(account);
            assert(held >= amount, 'bank: balance too low');
            // repaired: self.balances.write(account, held - amount);
            let asset = AssetDispatcher { contract_address: self.asset.read() };
            asset.transfer(account, amount.into());
            if self.notified.read(account) {
                ReceiverDispatcher { contract_address: account }.on_received(amount);
            }
            self.balances.write(account, held - amount); // repaired:
            self.emit(Event::Withdrawn(Changed { account, amount }));
        }

        fn set_notified(ref self: ContractState, is_notified: bool) {
            self.notified.write(get_caller_address(), is_notified);
        }

        fn balance_of(self: @ContractState, account: ContractAddress) -> u128 {
            self.balances.read(account)
        }
    }
}
