// An exchange of two tokens with a constant product. Promise: swaps never decrease the product of the reserves.
#[starknet::contract]
mod exchange {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_caller_address};

    #[storage]
    struct Storage {
        // By token, 0 and 1.
        balances: Map<(ContractAddress, u8), u128>,
        reserves: Map<u8, u128>,
        supply: u128,
        shares: Map<ContractAddress, u128>,
        // The product after the last change of the liquidity.
        product: u128,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Swapped: Swapped,
        LiquidityChanged: LiquidityChanged,
    }

    #[derive(Drop, starknet::Event)]
    struct Swapped {
        #[key]
        account: ContractAddress,
        amount_in: u128,
        amount_out: u128,
    }

    #[derive(Drop, starknet::Event)]
    struct LiquidityChanged {
        #[key]
        account: ContractAddress,
        first: u128,
        second: u128,
    }

    #[constructor]
    fn constructor(ref self: ContractState, holders: Span<ContractAddress>, amount: u128) {
        for holder in holders {
            self.balances.write((*holder, 0), amount);
            self.balances.write((*holder, 1), amount);
        }
    }

    #[generate_trait]
    impl Internal of InternalTrait {
        fn take(ref self: ContractState, token: u8, amount: u128) {
            let account = get_caller_address();
            let held = self.balances.read((account, token));
            assert(held >= amount, 'exchange: balance too low');
            self.balances.write((account, token), held - amount);
            self.reserves.write(token, self.reserves.read(token) + amount);
        }

        fn give(ref self: ContractState, token: u8, amount: u128) {
            let account = get_caller_address();
            let reserve = self.reserves.read(token);
            assert(reserve > amount, 'exchange: reserve too low');
            self.reserves.write(token, reserve - amount);
            self.balances.write((account, token), self.balances.read((account, token)) + amount);
        }

        fn swap(ref self: ContractState, is_second: bool, amount_in: u128, amount_out: u128) {
            assert(amount_in > 0 && amount_out > 0, 'exchange: amount too small');
            let (token_in, token_out) = if is_second {
                (1, 0)
            } else {
                (0, 1)
            };
            self.take(token_in, amount_in);
            self.give(token_out, amount_out);
            self.emit(Swapped { account: get_caller_address(), amount_in, amount_out });
        }

        fn finish(ref self: ContractState, first: u128, second: u128) {
            self.product.write(self.reserves.read(0) * self.reserves.read(1));
            self.emit(LiquidityChanged { account: get_caller_address(), first, second });
        }

        // The reserves of the token that comes in, and of the one that goes out.
        fn sides(self: @ContractState, is_second: bool) -> (u128, u128) {
            let (first, second) = (self.reserves.read(0), self.reserves.read(1));
            assert(first > 0 && second > 0, 'exchange: no liquidity');
            if is_second {
                (second, first)
            } else {
                (first, second)
            }
        }
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        #[external(v0)]
        fn add_liquidity(ref self: ContractState, first: u128, second: u128) -> u128 {
            assert(first >= 1000 && second >= 1000, 'exchange: amount too small');
            let account = get_caller_address();
            let supply = self.supply.read();
            let shares = if supply == 0 {
                first
            } else {
                let by_first = first * supply / self.reserves.read(0);
                let by_second = second * supply / self.reserves.read(1);
                core::cmp::min(by_first, by_second)
            };
            assert(shares > 0, 'exchange: amount too small');
            self.take(0, first);
            self.take(1, second);
            self.supply.write(supply + shares);
            self.shares.write(account, self.shares.read(account) + shares);
            self.finish(first, second);
            shares
        }

        #[external(v0)]
        fn remove_liquidity(ref self: ContractState, shares: u128) {
            let account = get_caller_address();
            let held = self.shares.read(account);
            assert(held >= shares && shares > 0, 'exchange: too few shares');
            let supply = self.supply.read();
            let first = self.reserves.read(0) * shares / supply;
            let second = self.reserves.read(1) * shares / supply;
            self.shares.write(account, held - shares);
            self.supply.write(supply - shares);
            self.give(0, first);
            self.give(1, second);
            self.finish(first, second);
        }

        // Sells an exact amount. The fee is 0.3 %.
        #[external(v0)]
        fn sell(ref self: ContractState, is_second: bool, amount_in: u128, min_out: u128) -> u128 {
            let (reserve_in, reserve_out) = self.sides(is_second);
            let counted = amount_in * 997;
            let amount_out = counted * reserve_out / (reserve_in * 1000 + counted);
            assert(amount_out >= min_out, 'exchange: price too low');
            self.swap(is_second, amount_in, amount_out);
            amount_out
        }

        // Buys an exact amount. The fee is 0.3 %.
        #[external(v0)]
        fn buy(ref self: ContractState, is_second: bool, amount_out: u128, max_in: u128) -> u128 {
            let (reserve_in, reserve_out) = self.sides(is_second);
            assert(amount_out < reserve_out, 'exchange: reserve too low');
            let bare = reserve_in * amount_out / (reserve_out - amount_out) + 1;
            let amount_in = bare * 997 / 1000 + 1; // repaired: let amount_in = bare * 1000 / 997 + 1;
            assert(amount_in <= max_in, 'exchange: price too high');
            self.swap(is_second, amount_in, amount_out);
            amount_in
        }

        #[external(v0)]
        fn reserves(self: @ContractState) -> (u128, u128) {
            (self.reserves.read(0), self.reserves.read(1))
        }

        #[external(v0)]
        fn product(self: @ContractState) -> u128 {
            self.product.read()
        }

        #[external(v0)]
        fn balance_of(self: @ContractState, account: ContractAddress, token: u8) -> u128 {
            self.balances.read((account, token))
        }
    }
}
