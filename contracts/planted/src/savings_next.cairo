// The class that `savings` is upgraded to: a withdrawal can be cancelled. Its variables have other names.
#[starknet::contract]
mod savings_next {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_caller_address, get_contract_address};
    use crate::asset::{AssetDispatcher, AssetDispatcherTrait};

    #[storage]
    struct Storage {
        owner: ContractAddress,
        asset: ContractAddress,
        balances: Map<ContractAddress, u128>,
        requests: Map<ContractAddress, u128>,
        // The sum of the requested withdrawals.
        requested: u128,
        // Fees that the owner has not collected.
        pending: u128, // repaired: fees: u128,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Requested: Changed,
        Paid: Changed,
    }

    #[derive(Drop, starknet::Event)]
    struct Changed {
        #[key]
        account: ContractAddress,
        amount: u128,
    }

    #[generate_trait]
    impl Internal of InternalTrait {
        fn asset(self: @ContractState) -> AssetDispatcher {
            AssetDispatcher { contract_address: self.asset.read() }
        }
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        #[external(v0)]
        fn deposit(ref self: ContractState, amount: u128) {
            let account = get_caller_address();
            self.asset().transfer_from(account, get_contract_address(), amount.into());
            let fee = amount / 100;
            self.pending.write(self.pending.read() + fee); // repaired: self.fees.write(self.fees.read() + fee);
            self.balances.write(account, self.balances.read(account) + amount - fee);
        }

        #[external(v0)]
        fn request(ref self: ContractState, amount: u128) {
            let account = get_caller_address();
            let held = self.balances.read(account);
            assert(held >= amount, 'savings: balance too low');
            self.balances.write(account, held - amount);
            self.requests.write(account, self.requests.read(account) + amount);
            self.requested.write(self.requested.read() + amount);
            self.emit(Event::Requested(Changed { account, amount }));
        }

        #[external(v0)]
        fn pay(ref self: ContractState, account: ContractAddress) {
            assert(get_caller_address() == self.owner.read(), 'savings: not the owner');
            let amount = self.requests.read(account);
            assert(amount > 0, 'savings: no request');
            self.requests.write(account, 0);
            // Requests before the upgrade are not counted here.
            self.requested.write(self.requested.read() - core::cmp::min(amount, self.requested.read()));
            self.asset().transfer(account, amount.into());
            self.emit(Event::Paid(Changed { account, amount }));
        }

        #[external(v0)]
        fn collect(ref self: ContractState) {
            let owner = self.owner.read();
            assert(get_caller_address() == owner, 'savings: not the owner');
            let fees = self.pending.read(); // repaired: let fees = self.fees.read();
            self.pending.write(0); // repaired: self.fees.write(0);
            self.asset().transfer(owner, fees.into());
        }

        #[external(v0)]
        fn cancel(ref self: ContractState) {
            let account = get_caller_address();
            let amount = self.requests.read(account);
            assert(amount > 0, 'savings: no request');
            self.requests.write(account, 0);
            self.requested.write(self.requested.read() - core::cmp::min(amount, self.requested.read()));
            self.balances.write(account, self.balances.read(account) + amount);
        }

        // The savings and the requested withdrawal.
        #[external(v0)]
        fn position(self: @ContractState, account: ContractAddress) -> (u128, u128) {
            (self.balances.read(account), self.requests.read(account))
        }
    }
}
