// Correct: a token whose votes can be delegated. Promise: the votes of all accounts sum up to the supply, and an account
// has the balances of those who delegated to it.
#[starknet::contract]
mod delegation {
    use core::num::traits::Zero;
    use starknet::storage::*;
    use starknet::{ContractAddress, get_block_timestamp, get_caller_address};

    #[storage]
    struct Storage {
        supply: u128,
        balances: Map<ContractAddress, u128>,
        delegates: Map<ContractAddress, ContractAddress>,
        votes: Map<ContractAddress, u128>,
        // Allowances end at a time.
        allowances: Map<(ContractAddress, ContractAddress), u128>,
        allowed_until: Map<(ContractAddress, ContractAddress), u64>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Transfer: Transfer,
        Delegated: Delegated,
    }

    #[derive(Drop, starknet::Event)]
    struct Transfer {
        #[key]
        from: ContractAddress,
        #[key]
        to: ContractAddress,
        value: u128,
    }

    #[derive(Drop, starknet::Event)]
    struct Delegated {
        #[key]
        from: ContractAddress,
        #[key]
        to: ContractAddress,
    }

    #[constructor]
    fn constructor(ref self: ContractState, holders: Span<ContractAddress>, amount: u128) {
        for holder in holders {
            self.balances.write(*holder, amount);
            self.votes.write(*holder, amount);
            self.supply.write(self.supply.read() + amount);
        }
    }

    #[generate_trait]
    impl Internal of InternalTrait {
        fn move_votes(
            ref self: ContractState, from: ContractAddress, to: ContractAddress, amount: u128,
        ) {
            self.votes.write(from, self.votes.read(from) - amount);
            self.votes.write(to, self.votes.read(to) + amount);
        }

        fn move(
            ref self: ContractState, from: ContractAddress, to: ContractAddress, amount: u128,
        ) {
            let held = self.balances.read(from);
            assert(held >= amount, 'delegation: balance too low');
            self.balances.write(from, held - amount);
            self.balances.write(to, self.balances.read(to) + amount);
            self.move_votes(self.delegate_of(from), self.delegate_of(to), amount);
            self.emit(Transfer { from, to, value: amount });
        }
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        #[external(v0)]
        fn transfer(ref self: ContractState, to: ContractAddress, amount: u128) {
            self.move(get_caller_address(), to, amount);
        }

        #[external(v0)]
        fn approve(ref self: ContractState, spender: ContractAddress, amount: u128, seconds: u32) {
            let key = (get_caller_address(), spender);
            self.allowances.write(key, amount);
            self.allowed_until.write(key, get_block_timestamp() + seconds.into());
        }

        #[external(v0)]
        fn transfer_from(
            ref self: ContractState, from: ContractAddress, to: ContractAddress, amount: u128,
        ) {
            let key = (from, get_caller_address());
            assert(get_block_timestamp() < self.allowed_until.read(key), 'delegation: expired');
            let allowed = self.allowances.read(key);
            assert(allowed >= amount, 'delegation: allowance too low');
            self.allowances.write(key, allowed - amount);
            self.move(from, to, amount);
        }

        // The address 0 stands for the account itself.
        #[external(v0)]
        fn delegate(ref self: ContractState, to: ContractAddress) {
            let from = get_caller_address();
            let before = self.delegate_of(from);
            self.delegates.write(from, to);
            self.move_votes(before, self.delegate_of(from), self.balances.read(from));
            self.emit(Delegated { from, to });
        }

        #[external(v0)]
        fn delegate_of(self: @ContractState, account: ContractAddress) -> ContractAddress {
            let delegate = self.delegates.read(account);
            if delegate.is_zero() {
                account
            } else {
                delegate
            }
        }

        #[external(v0)]
        fn balance_of(self: @ContractState, account: ContractAddress) -> u128 {
            self.balances.read(account)
        }

        #[external(v0)]
        fn votes_of(self: @ContractState, account: ContractAddress) -> u128 {
            self.votes.read(account)
        }

        #[external(v0)]
        fn total_supply(self: @ContractState) -> u128 {
            self.supply.read()
        }
    }
}
