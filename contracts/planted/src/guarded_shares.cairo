// Correct: shares of a pot that pays a fee to those who stay. Promise: as in `share_vault`, the assets behind a share
// never decrease.
#[starknet::contract]
mod guarded_shares {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_caller_address};

    // The pot has a share and an asset that belong to no account, so that a first depositor cannot dilute others.
    const VIRTUAL: u128 = 1;
    const LIMIT: u128 = 1000000000000;

    #[storage]
    struct Storage {
        assets: u128,
        supply: u128,
        shares: Map<ContractAddress, u128>,
        mark_assets: u128,
        mark_supply: u128,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Entered: Changed,
        Left: Changed,
    }

    #[derive(Drop, starknet::Event)]
    struct Changed {
        #[key]
        account: ContractAddress,
        assets: u128,
        shares: u128,
    }

    #[generate_trait]
    impl Internal of InternalTrait {
        fn all_assets(self: @ContractState) -> u128 {
            self.assets.read() + VIRTUAL
        }

        fn all_shares(self: @ContractState) -> u128 {
            self.supply.read() + VIRTUAL
        }

        fn burn(ref self: ContractState, shares: u128, assets: u128) {
            let account = get_caller_address();
            let held = self.shares.read(account);
            assert(held >= shares, 'shares: too few shares');
            self.shares.write(account, held - shares);
            self.supply.write(self.supply.read() - shares);
            self.assets.write(self.assets.read() - assets);
            self.emit(Event::Left(Changed { account, assets, shares }));
        }
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        #[external(v0)]
        fn enter(ref self: ContractState, assets: u128) -> u128 {
            assert(assets <= LIMIT, 'shares: too much');
            let account = get_caller_address();
            let shares = assets * self.all_shares() / self.all_assets();
            self.assets.write(self.assets.read() + assets);
            self.supply.write(self.supply.read() + shares);
            self.shares.write(account, self.shares.read(account) + shares);
            self.emit(Event::Entered(Changed { account, assets, shares }));
            shares
        }

        // Pays an amount of assets for as many shares as it needs.
        #[external(v0)]
        fn leave_with(ref self: ContractState, assets: u128) -> u128 {
            assert(assets <= self.assets.read(), 'shares: too few assets');
            let total = self.all_assets();
            let shares = (assets * self.all_shares() + total - 1) / total;
            self.burn(shares, assets);
            shares
        }

        // Pays for shares, less a fee of 1 % that stays.
        #[external(v0)]
        fn leave(ref self: ContractState, shares: u128) -> u128 {
            assert(shares <= self.supply.read(), 'shares: too few shares');
            let assets = shares * self.all_assets() / self.all_shares() * 99 / 100;
            self.burn(shares, assets);
            assets
        }

        #[external(v0)]
        fn reward(ref self: ContractState, assets: u128) {
            assert(assets <= LIMIT, 'shares: too much');
            self.assets.write(self.assets.read() + assets);
            self.mark_assets.write(self.all_assets());
            self.mark_supply.write(self.all_shares());
        }

        #[external(v0)]
        fn give(ref self: ContractState, to: ContractAddress, shares: u128) {
            let account = get_caller_address();
            let held = self.shares.read(account);
            assert(held >= shares, 'shares: too few shares');
            self.shares.write(account, held - shares);
            self.shares.write(to, self.shares.read(to) + shares);
        }

        #[external(v0)]
        fn shares_of(self: @ContractState, account: ContractAddress) -> u128 {
            self.shares.read(account)
        }

        #[external(v0)]
        fn totals(self: @ContractState) -> (u128, u128) {
            (self.all_assets(), self.all_shares())
        }

        #[external(v0)]
        fn mark(self: @ContractState) -> (u128, u128) {
            (self.mark_assets.read(), self.mark_supply.read())
        }
    }
}
