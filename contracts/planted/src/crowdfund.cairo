// Correct: contributions with a goal and a deadline. Promise: the contract holds all contributions until the owner takes
// all of them after the deadline with the goal reached, or each contributor takes theirs.
#[starknet::contract]
mod crowdfund {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_block_timestamp, get_caller_address, get_contract_address};
    use crate::asset::{AssetDispatcher, AssetDispatcherTrait};

    const GOAL: u128 = 5000;

    #[storage]
    struct Storage {
        asset: ContractAddress,
        owner: ContractAddress,
        deadline: u64,
        total: u128,
        contributions: Map<ContractAddress, u128>,
        taken_at: u64,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Contributed: Changed,
        Refunded: Changed,
        Taken: Changed,
    }

    #[derive(Drop, starknet::Event)]
    struct Changed {
        #[key]
        account: ContractAddress,
        amount: u128,
    }

    #[constructor]
    fn constructor(ref self: ContractState, asset: ContractAddress, owner: ContractAddress) {
        self.asset.write(asset);
        self.owner.write(owner);
        self.deadline.write(get_block_timestamp() + 604800);
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
        fn contribute(ref self: ContractState, amount: u128) {
            assert(get_block_timestamp() < self.deadline.read(), 'crowdfund: ended');
            let account = get_caller_address();
            self.asset().transfer_from(account, get_contract_address(), amount.into());
            self.contributions.write(account, self.contributions.read(account) + amount);
            self.total.write(self.total.read() + amount);
            self.emit(Event::Contributed(Changed { account, amount }));
        }

        // Before the deadline, or after it if the goal was missed.
        #[external(v0)]
        fn refund(ref self: ContractState) {
            let is_open = get_block_timestamp() < self.deadline.read();
            let total = self.total.read();
            assert(is_open || total < GOAL, 'crowdfund: goal is reached');
            let account = get_caller_address();
            let amount = self.contributions.read(account);
            assert(amount > 0, 'crowdfund: nothing to refund');
            self.contributions.write(account, 0);
            // After the deadline the total still decides about refunds, and only falls.
            self.total.write(total - amount);
            self.asset().transfer(account, amount.into());
            self.emit(Event::Refunded(Changed { account, amount }));
        }

        #[external(v0)]
        fn take(ref self: ContractState) {
            let now = get_block_timestamp();
            let owner = self.owner.read();
            let amount = self.total.read();
            assert(get_caller_address() == owner, 'crowdfund: not the owner');
            assert(now >= self.deadline.read(), 'crowdfund: too early');
            assert(amount >= GOAL, 'crowdfund: goal is missed');
            assert(self.taken_at.read() == 0, 'crowdfund: already taken');
            self.taken_at.write(now);
            self.asset().transfer(owner, amount.into());
            self.emit(Event::Taken(Changed { account: owner, amount }));
        }

        #[external(v0)]
        fn contribution_of(self: @ContractState, account: ContractAddress) -> u128 {
            self.contributions.read(account)
        }

        // The deadline, and when the owner took the contributions.
        #[external(v0)]
        fn times(self: @ContractState) -> (u64, u64) {
            (self.deadline.read(), self.taken_at.read())
        }
    }
}
