// A vault of shares. Promise: the assets behind a share never decrease after a harvest, except that a vault without
// shares starts again.
#[starknet::contract]
mod share_vault {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_caller_address, get_contract_address};
    use crate::asset::{AssetDispatcher, AssetDispatcherTrait};

    #[storage]
    struct Storage {
        asset: ContractAddress,
        assets: u128,
        supply: u128,
        shares: Map<ContractAddress, u128>,
        mark_assets: u128,
        mark_supply: u128,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Deposited: Changed,
        Withdrawn: Changed,
        Harvested: Harvested,
    }

    #[derive(Drop, starknet::Event)]
    struct Changed {
        #[key]
        account: ContractAddress,
        assets: u128,
        shares: u128,
    }

    #[derive(Drop, starknet::Event)]
    struct Harvested {
        assets: u128,
    }

    #[constructor]
    fn constructor(ref self: ContractState, asset: ContractAddress) {
        self.asset.write(asset);
    }

    #[generate_trait]
    impl Internal of InternalTrait {
        fn pull(ref self: ContractState, amount: u128) {
            let asset = AssetDispatcher { contract_address: self.asset.read() };
            asset.transfer_from(get_caller_address(), get_contract_address(), amount.into());
            self.assets.write(self.assets.read() + amount);
        }

        fn burn(ref self: ContractState, shares: u128, assets: u128) {
            let account = get_caller_address();
            let held = self.shares.read(account);
            assert(held >= shares, 'vault: too few shares');
            self.shares.write(account, held - shares);
            let supply = self.supply.read() - shares;
            self.supply.write(supply);
            self.assets.write(self.assets.read() - assets);
            if supply == 0 {
                self.mark_assets.write(0);
                self.mark_supply.write(0);
            }
            let asset = AssetDispatcher { contract_address: self.asset.read() };
            asset.transfer(account, assets.into());
            self.emit(Event::Withdrawn(Changed { account, assets, shares }));
        }
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        #[external(v0)]
        fn deposit(ref self: ContractState, assets: u128) -> u128 {
            let account = get_caller_address();
            let supply = self.supply.read();
            let shares = if supply == 0 {
                assets
            } else {
                assets * supply / self.assets.read()
            };
            assert(shares > 0, 'vault: deposit too small');
            self.pull(assets);
            self.supply.write(supply + shares);
            self.shares.write(account, self.shares.read(account) + shares);
            self.emit(Event::Deposited(Changed { account, assets, shares }));
            shares
        }

        #[external(v0)]
        fn withdraw(ref self: ContractState, assets: u128) -> u128 {
            let total = self.assets.read();
            assert(total >= assets && total > 0, 'vault: too few assets');
            let round_up = 0; // repaired: let round_up = total - 1;
            let shares = (assets * self.supply.read() + round_up) / total;
            self.burn(shares, assets);
            shares
        }

        #[external(v0)]
        fn redeem(ref self: ContractState, shares: u128) -> u128 {
            let supply = self.supply.read();
            assert(supply > 0, 'vault: no shares');
            let assets = shares * self.assets.read() / supply;
            self.burn(shares, assets);
            assets
        }

        // Adds a yield to all shares.
        #[external(v0)]
        fn harvest(ref self: ContractState, assets: u128) {
            let supply = self.supply.read();
            assert(supply > 0, 'vault: no shares');
            self.pull(assets);
            self.mark_assets.write(self.assets.read());
            self.mark_supply.write(supply);
            self.emit(Event::Harvested(Harvested { assets }));
        }

        #[external(v0)]
        fn shares_of(self: @ContractState, account: ContractAddress) -> u128 {
            self.shares.read(account)
        }

        // Assets and shares.
        #[external(v0)]
        fn totals(self: @ContractState) -> (u128, u128) {
            (self.assets.read(), self.supply.read())
        }

        // The totals after the last harvest.
        #[external(v0)]
        fn mark(self: @ContractState) -> (u128, u128) {
            (self.mark_assets.read(), self.mark_supply.read())
        }
    }
}
