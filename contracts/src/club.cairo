// For the tools of agents: a savings club with a planted bug. Promise: the balances of all members sum up to the total.
use starknet::ContractAddress;

#[starknet::interface]
trait ClubApi<TState> {
    fn deposit(ref self: TState, amount: u128);
    fn withdraw(ref self: TState, amount: u128);
    fn give(ref self: TState, to: ContractAddress, amount: u128);
    fn balance_of(self: @TState, member: ContractAddress) -> u128;
    fn total(self: @TState) -> u128;
}

#[starknet::contract]
mod club {
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use starknet::{ContractAddress, get_caller_address};

    #[storage]
    struct Storage {
        total: u128,
        balances: Map<ContractAddress, u128>,
    }

    #[abi(embed_v0)]
    impl ClubImpl of super::ClubApi<ContractState> {
        fn deposit(ref self: ContractState, amount: u128) {
            let member = get_caller_address();
            self.balances.write(member, self.balances.read(member) + amount);
            self.total.write(self.total.read() + amount);
        }

        fn withdraw(ref self: ContractState, amount: u128) {
            let member = get_caller_address();
            let held = self.balances.read(member);
            assert(held >= amount, 'club: balance too low');
            self.balances.write(member, held - amount);
            self.total.write(self.total.read() - amount);
        }

        fn give(ref self: ContractState, to: ContractAddress, amount: u128) {
            let giver = get_caller_address();
            let given = self.balances.read(giver);
            let taken = self.balances.read(to);
            assert(given >= amount, 'club: balance too low');
            self.balances.write(giver, given - amount);
            self.balances.write(to, taken + amount); // planted: `taken` is stale if both are the same member
        }

        fn balance_of(self: @ContractState, member: ContractAddress) -> u128 {
            self.balances.read(member)
        }

        fn total(self: @ContractState) -> u128 {
            self.total.read()
        }
    }
}
