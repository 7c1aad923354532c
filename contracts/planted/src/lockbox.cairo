// Boxes for a token. Promise: the contract holds the sum of all boxes.
#[starknet::contract]
mod lockbox {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_caller_address, get_contract_address};
    use crate::asset::{AssetDispatcher, AssetDispatcherTrait};

    #[storage]
    struct Storage {
        asset: ContractAddress,
        boxes: Map<ContractAddress, u128>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Changed: Changed,
    }

    #[derive(Drop, starknet::Event)]
    struct Changed {
        #[key]
        account: ContractAddress,
        content: u128,
    }

    #[constructor]
    fn constructor(ref self: ContractState, asset: ContractAddress) {
        self.asset.write(asset);
    }

    #[generate_trait]
    impl Internal of InternalTrait {
        fn set(ref self: ContractState, account: ContractAddress, content: u128) {
            self.boxes.write(account, content);
            self.emit(Changed { account, content });
        }
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        #[external(v0)]
        fn deposit(ref self: ContractState, amount: u256) {
            let account = get_caller_address();
            let asset = AssetDispatcher { contract_address: self.asset.read() };
            asset.transfer_from(account, get_contract_address(), amount);
            let added: u128 = amount.try_into().expect('lockbox: amount too large');
            self.set(account, self.boxes.read(account) + added);
        }

        #[external(v0)]
        fn withdraw(ref self: ContractState, amount: u256) {
            let account = get_caller_address();
            let removed = amount.low; // repaired: let removed: u128 = amount.try_into().expect('lockbox: amount too large');
            let content = self.boxes.read(account);
            assert(content >= removed, 'lockbox: content too low');
            self.set(account, content - removed);
            let asset = AssetDispatcher { contract_address: self.asset.read() };
            asset.transfer(account, amount);
        }

        #[external(v0)]
        fn give(ref self: ContractState, to: ContractAddress, amount: u128) {
            let account = get_caller_address();
            let content = self.boxes.read(account);
            assert(content >= amount, 'lockbox: content too low');
            self.set(account, content - amount);
            self.set(to, self.boxes.read(to) + amount);
        }

        #[external(v0)]
        fn content_of(self: @ContractState, account: ContractAddress) -> u128 {
            self.boxes.read(account)
        }
    }
}
