// Rewards by stake. Promise: the rewards of all stakers are never more than the funds that are left.
#[starknet::contract]
mod staking {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_caller_address};

    const UNIT: u128 = 1000000000000;

    #[storage]
    struct Storage {
        total: u128,
        stakes: Map<ContractAddress, u128>,
        // Rewards of one staked token since the beginning, in units.
        per_token: u128,
        settled_at: Map<ContractAddress, u128>,
        settled: Map<ContractAddress, u128>,
        funds: u128,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        StakeChanged: StakeChanged,
        Claimed: Claimed,
    }

    #[derive(Drop, starknet::Event)]
    struct StakeChanged {
        #[key]
        account: ContractAddress,
        stake: u128,
    }

    #[derive(Drop, starknet::Event)]
    struct Claimed {
        #[key]
        account: ContractAddress,
        amount: u128,
    }

    #[generate_trait]
    impl Internal of InternalTrait {
        fn settle(ref self: ContractState, account: ContractAddress) {
            self.settled.write(account, self.earned(account));
            self.settled_at.write(account, self.per_token.read());
        }

        fn set_stake(ref self: ContractState, account: ContractAddress, stake: u128) {
            self.total.write(self.total.read() + stake - self.stakes.read(account));
            self.stakes.write(account, stake);
            self.emit(StakeChanged { account, stake });
        }
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        #[external(v0)]
        fn stake(ref self: ContractState, amount: u128) {
            assert(amount <= 1000000000, 'staking: amount too large');
            let account = get_caller_address();
            let before = self.stakes.read(account);
            if before == 0 { // repaired: if true {
                self.settle(account);
            }
            self.set_stake(account, before + amount);
        }

        #[external(v0)]
        fn unstake(ref self: ContractState, amount: u128) {
            let account = get_caller_address();
            let before = self.stakes.read(account);
            assert(before >= amount, 'staking: stake too low');
            self.settle(account);
            self.set_stake(account, before - amount);
        }

        // Distributes rewards to the present stakers.
        #[external(v0)]
        fn fund(ref self: ContractState, amount: u128) {
            assert(amount <= 1000000000, 'staking: amount too large');
            let total = self.total.read();
            assert(total > 0, 'staking: no stakers');
            self.per_token.write(self.per_token.read() + amount * UNIT / total);
            self.funds.write(self.funds.read() + amount);
        }

        #[external(v0)]
        fn claim(ref self: ContractState) -> u128 {
            let account = get_caller_address();
            self.settle(account);
            let amount = self.settled.read(account);
            self.settled.write(account, 0);
            self.funds.write(self.funds.read() - amount);
            self.emit(Claimed { account, amount });
            amount
        }

        #[external(v0)]
        fn earned(self: @ContractState, account: ContractAddress) -> u128 {
            let since = self.per_token.read() - self.settled_at.read(account);
            self.settled.read(account) + self.stakes.read(account) * since / UNIT
        }

        #[external(v0)]
        fn stake_of(self: @ContractState, account: ContractAddress) -> u128 {
            self.stakes.read(account)
        }

        #[external(v0)]
        fn funds(self: @ContractState) -> u128 {
            self.funds.read()
        }
    }
}
