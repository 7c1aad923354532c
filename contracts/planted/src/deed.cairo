// Deeds that have one owner each. Promise: an approval is the present owner's.
#[starknet::contract]
mod deed {
    use core::num::traits::Zero;
    use starknet::storage::*;
    use starknet::{ContractAddress, get_caller_address};

    #[storage]
    struct Storage {
        count: u64,
        owners: Map<u64, ContractAddress>,
        balances: Map<ContractAddress, u64>,
        approved: Map<u64, ContractAddress>,
        approved_by: Map<u64, ContractAddress>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Transfer: Transfer,
        Approval: Approval,
    }

    #[derive(Drop, starknet::Event)]
    struct Transfer {
        #[key]
        from: ContractAddress,
        #[key]
        to: ContractAddress,
        #[key]
        id: u64,
    }

    #[derive(Drop, starknet::Event)]
    struct Approval {
        #[key]
        owner: ContractAddress,
        #[key]
        spender: ContractAddress,
        #[key]
        id: u64,
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        #[external(v0)]
        fn register(ref self: ContractState) -> u64 {
            let owner = get_caller_address();
            let id = self.count.read() + 1;
            self.count.write(id);
            self.owners.write(id, owner);
            self.balances.write(owner, self.balances.read(owner) + 1);
            self.emit(Transfer { from: Zero::zero(), to: owner, id });
            id
        }

        #[external(v0)]
        fn approve(ref self: ContractState, spender: ContractAddress, id: u64) {
            let owner = get_caller_address();
            assert(self.owners.read(id) == owner, 'deed: not the owner');
            self.approved.write(id, spender);
            self.approved_by.write(id, owner);
            self.emit(Approval { owner, spender, id });
        }

        #[external(v0)]
        fn transfer(ref self: ContractState, to: ContractAddress, id: u64) {
            let caller = get_caller_address();
            let owner = self.owners.read(id);
            assert(owner.is_non_zero() && to.is_non_zero(), 'deed: no owner');
            let is_spender = self.approved.read(id) == caller;
            assert(owner == caller || is_spender, 'deed: not allowed');
            if is_spender { // repaired: if true {
                self.approved.write(id, Zero::zero());
            }
            self.balances.write(owner, self.balances.read(owner) - 1);
            self.balances.write(to, self.balances.read(to) + 1);
            self.owners.write(id, to);
            self.emit(Transfer { from: owner, to, id });
        }

        #[external(v0)]
        fn count(self: @ContractState) -> u64 {
            self.count.read()
        }

        #[external(v0)]
        fn owner_of(self: @ContractState, id: u64) -> ContractAddress {
            self.owners.read(id)
        }

        #[external(v0)]
        fn balance_of(self: @ContractState, account: ContractAddress) -> u64 {
            self.balances.read(account)
        }

        // Who may move the deed, and who allowed it.
        #[external(v0)]
        fn approval(self: @ContractState, id: u64) -> (ContractAddress, ContractAddress) {
            (self.approved.read(id), self.approved_by.read(id))
        }
    }
}
