// Correct: a bank with internal transfers that changes balances after a call of the receiver, with a guard against
// entering it again. Promise: as `bank`, it holds the sum of all balances.
#[starknet::contract]
mod escrow {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_caller_address, get_contract_address};
    use crate::asset::{AssetDispatcher, AssetDispatcherTrait};
    use crate::receiver::{ReceiverDispatcher, ReceiverDispatcherTrait};

    #[storage]
    struct Storage {
        asset: ContractAddress,
        is_entered: bool,
        balances: Map<ContractAddress, u128>,
        notified: Map<ContractAddress, bool>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Moved: Moved,
    }

    #[derive(Drop, starknet::Event)]
    struct Moved {
        #[key]
        from: ContractAddress,
        #[key]
        to: ContractAddress,
        amount: u128,
    }

    #[constructor]
    fn constructor(ref self: ContractState, asset: ContractAddress) {
        self.asset.write(asset);
    }

    #[generate_trait]
    impl Internal of InternalTrait {
        fn enter(ref self: ContractState) {
            assert(!self.is_entered.read(), 'escrow: entered again');
            self.is_entered.write(true);
        }
    }

    #[abi(embed_v0)]
    impl BankImpl of crate::bank::Bank<ContractState> {
        fn deposit(ref self: ContractState, amount: u128) {
            self.enter();
            let account = get_caller_address();
            let asset = AssetDispatcher { contract_address: self.asset.read() };
            asset.transfer_from(account, get_contract_address(), amount.into());
            self.balances.write(account, self.balances.read(account) + amount);
            self.is_entered.write(false);
        }

        fn withdraw(ref self: ContractState, amount: u128) {
            self.enter();
            let account = get_caller_address();
            let held = self.balances.read(account);
            assert(held >= amount, 'escrow: balance too low');
            let asset = AssetDispatcher { contract_address: self.asset.read() };
            asset.transfer(account, amount.into());
            if self.notified.read(account) {
                ReceiverDispatcher { contract_address: account }.on_received(amount);
            }
            self.balances.write(account, held - amount);
            self.is_entered.write(false);
        }

        fn set_notified(ref self: ContractState, is_notified: bool) {
            self.notified.write(get_caller_address(), is_notified);
        }

        fn balance_of(self: @ContractState, account: ContractAddress) -> u128 {
            self.balances.read(account)
        }
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        #[external(v0)]
        fn give(ref self: ContractState, to: ContractAddress, amount: u128) {
            self.enter();
            let from = get_caller_address();
            let held = self.balances.read(from);
            assert(held >= amount, 'escrow: balance too low');
            self.balances.write(from, held - amount);
            self.balances.write(to, self.balances.read(to) + amount);
            self.is_entered.write(false);
            self.emit(Moved { from, to, amount });
        }
    }
}
