// The token that the other contracts hold: a fixed supply, transfers and allowances.
use starknet::ContractAddress;

#[starknet::interface]
pub trait Asset<TState> {
    fn transfer(ref self: TState, recipient: ContractAddress, amount: u256) -> bool;
    fn transfer_from(
        ref self: TState, sender: ContractAddress, recipient: ContractAddress, amount: u256,
    ) -> bool;
    fn approve(ref self: TState, spender: ContractAddress, amount: u256) -> bool;
    fn balance_of(self: @TState, account: ContractAddress) -> u256;
    fn allowance(self: @TState, owner: ContractAddress, spender: ContractAddress) -> u256;
    fn total_supply(self: @TState) -> u256;
}

#[starknet::contract]
mod asset {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_caller_address};

    #[storage]
    struct Storage {
        supply: u256,
        balances: Map<ContractAddress, u256>,
        allowances: Map<(ContractAddress, ContractAddress), u256>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Transfer: Transfer,
    }

    #[derive(Drop, starknet::Event)]
    struct Transfer {
        #[key]
        from: ContractAddress,
        #[key]
        to: ContractAddress,
        value: u256,
    }

    #[constructor]
    fn constructor(ref self: ContractState, holders: Span<ContractAddress>, amount: u256) {
        for holder in holders {
            self.balances.write(*holder, amount);
            self.supply.write(self.supply.read() + amount);
        }
    }

    #[generate_trait]
    impl Internal of InternalTrait {
        fn move(
            ref self: ContractState, from: ContractAddress, to: ContractAddress, amount: u256,
        ) {
            let held = self.balances.read(from);
            assert(held >= amount, 'asset: balance too low');
            self.balances.write(from, held - amount);
            self.balances.write(to, self.balances.read(to) + amount);
            self.emit(Transfer { from, to, value: amount });
        }
    }

    #[abi(embed_v0)]
    impl AssetImpl of super::Asset<ContractState> {
        fn transfer(ref self: ContractState, recipient: ContractAddress, amount: u256) -> bool {
            self.move(get_caller_address(), recipient, amount);
            true
        }

        fn transfer_from(
            ref self: ContractState,
            sender: ContractAddress,
            recipient: ContractAddress,
            amount: u256,
        ) -> bool {
            let spender = get_caller_address();
            let allowed = self.allowances.read((sender, spender));
            assert(allowed >= amount, 'asset: allowance too low');
            self.allowances.write((sender, spender), allowed - amount);
            self.move(sender, recipient, amount);
            true
        }

        fn approve(ref self: ContractState, spender: ContractAddress, amount: u256) -> bool {
            self.allowances.write((get_caller_address(), spender), amount);
            true
        }

        fn balance_of(self: @ContractState, account: ContractAddress) -> u256 {
            self.balances.read(account)
        }

        fn allowance(
            self: @ContractState, owner: ContractAddress, spender: ContractAddress,
        ) -> u256 {
            self.allowances.read((owner, spender))
        }

        fn total_supply(self: @ContractState) -> u256 {
            self.supply.read()
        }
    }
}
