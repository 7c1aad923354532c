// Savings with a fee of 1 % on deposits, which can be upgraded once. Promise: it holds the sum of the savings and of the
// requested withdrawals.
#[starknet::contract]
mod savings {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_caller_address, get_contract_address};
    use starknet::syscalls::replace_class_syscall;
    use starknet::{ClassHash, SyscallResultTrait};
    use crate::asset::{AssetDispatcher, AssetDispatcherTrait};

    #[storage]
    struct Storage {
        owner: ContractAddress,
        asset: ContractAddress,
        next_class: ClassHash,
        balances: Map<ContractAddress, u128>,
        requests: Map<ContractAddress, u128>,
        // The sum of the requested withdrawals.
        pending: u128,
        // Fees that the owner has not collected.
        fees: u128,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Requested: Changed,
        Paid: Changed,
        Upgraded: Upgraded,
    }

    #[derive(Drop, starknet::Event)]
    struct Changed {
        #[key]
        account: ContractAddress,
        amount: u128,
    }

    #[derive(Drop, starknet::Event)]
    struct Upgraded {
        class: ClassHash,
    }

    #[constructor]
    fn constructor(
        ref self: ContractState,
        owner: ContractAddress,
        asset: ContractAddress,
        next_class: ClassHash,
    ) {
        self.owner.write(owner);
        self.asset.write(asset);
        self.next_class.write(next_class);
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
            self.fees.write(self.fees.read() + fee);
            self.balances.write(account, self.balances.read(account) + amount - fee);
        }

        #[external(v0)]
        fn request(ref self: ContractState, amount: u128) {
            let account = get_caller_address();
            let held = self.balances.read(account);
            assert(held >= amount, 'savings: balance too low');
            self.balances.write(account, held - amount);
            self.requests.write(account, self.requests.read(account) + amount);
            self.pending.write(self.pending.read() + amount);
            self.emit(Event::Requested(Changed { account, amount }));
        }

        #[external(v0)]
        fn pay(ref self: ContractState, account: ContractAddress) {
            assert(get_caller_address() == self.owner.read(), 'savings: not the owner');
            let amount = self.requests.read(account);
            assert(amount > 0, 'savings: no request');
            self.requests.write(account, 0);
            self.pending.write(self.pending.read() - amount);
            self.asset().transfer(account, amount.into());
            self.emit(Event::Paid(Changed { account, amount }));
        }

        #[external(v0)]
        fn collect(ref self: ContractState) {
            let owner = self.owner.read();
            assert(get_caller_address() == owner, 'savings: not the owner');
            let fees = self.fees.read();
            self.fees.write(0);
            self.asset().transfer(owner, fees.into());
        }

        #[external(v0)]
        fn cancel(ref self: ContractState) {
            core::panic_with_felt252('savings: not supported');
        }

        #[external(v0)]
        fn upgrade(ref self: ContractState) {
            assert(get_caller_address() == self.owner.read(), 'savings: not the owner');
            let class = self.next_class.read();
            replace_class_syscall(class).unwrap_syscall();
            self.emit(Upgraded { class });
        }

        // The savings and the requested withdrawal.
        #[external(v0)]
        fn position(self: @ContractState, account: ContractAddress) -> (u128, u128) {
            (self.balances.read(account), self.requests.read(account))
        }
    }
}
