// Grants that vest over time. Promise: the contract holds everything that was granted and not claimed.
#[starknet::contract]
mod vesting {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_block_timestamp, get_caller_address, get_contract_address};
    use crate::asset::{AssetDispatcher, AssetDispatcherTrait};

    #[derive(Copy, Drop, Serde, starknet::Store)]
    struct Grant {
        amount: u128,
        claimed: u128,
        start: u64,
        duration: u64,
    }

    #[storage]
    struct Storage {
        asset: ContractAddress,
        grants: Map<ContractAddress, Grant>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Granted: Changed,
        Claimed: Changed,
    }

    #[derive(Drop, starknet::Event)]
    struct Changed {
        #[key]
        account: ContractAddress,
        amount: u128,
    }

    const EMPTY: Grant = Grant { amount: 0, claimed: 0, start: 0, duration: 0 };

    #[constructor]
    fn constructor(ref self: ContractState, asset: ContractAddress) {
        self.asset.write(asset);
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        #[external(v0)]
        fn grant(ref self: ContractState, to: ContractAddress, amount: u128, duration: u64) {
            assert(amount > 0, 'vesting: empty grant');
            assert(duration >= 86400 && duration <= 31536000, 'vesting: invalid duration');
            assert(self.grants.read(to).amount == 0, 'vesting: has a grant');
            let asset = AssetDispatcher { contract_address: self.asset.read() };
            asset.transfer_from(get_caller_address(), get_contract_address(), amount.into());
            let start = get_block_timestamp();
            self.grants.write(to, Grant { amount, claimed: 0, start, duration });
            self.emit(Event::Granted(Changed { account: to, amount }));
        }

        #[external(v0)]
        fn claim(ref self: ContractState) {
            let account = get_caller_address();
            let grant = self.grants.read(account);
            assert(grant.amount > 0, 'vesting: no grant');
            let passed = get_block_timestamp() - grant.start;
            let vested = if passed >= grant.duration {
                grant.amount
            } else {
                grant.amount * passed.into() / grant.duration.into()
            };
            let amount = vested - grant.claimed;
            assert(amount > 0, 'vesting: nothing to claim');
            self.grants.write(account, Grant { claimed: vested, ..grant });
            let asset = AssetDispatcher { contract_address: self.asset.read() };
            asset.transfer(account, amount.into());
            self.emit(Event::Claimed(Changed { account, amount }));
        }

        // Gives the rest of the caller's grant to another account.
        #[external(v0)]
        fn hand_over(ref self: ContractState, to: ContractAddress) {
            let account = get_caller_address();
            let grant = self.grants.read(account);
            assert(grant.amount > 0, 'vesting: no grant');
            assert(self.grants.read(to).amount == 0, 'vesting: has a grant');
            self.grants.write(account, EMPTY);
            let claimed = 0; // repaired: let claimed = grant.claimed;
            self.grants.write(to, Grant { claimed, ..grant });
        }

        #[external(v0)]
        fn grant_of(self: @ContractState, account: ContractAddress) -> Grant {
            self.grants.read(account)
        }
    }
}
