// A contract with an account at a bank. It can withdraw again while the bank notifies it.
#[starknet::interface]
pub trait Receiver<TState> {
    fn on_received(ref self: TState, amount: u128);
}

#[starknet::contract]
mod receiver {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_caller_address};
    use crate::asset::{AssetDispatcher, AssetDispatcherTrait};
    use crate::bank::{BankDispatcher, BankDispatcherTrait};

    #[storage]
    struct Storage {
        bank: ContractAddress,
        repeats: u8,
    }

    #[constructor]
    fn constructor(ref self: ContractState, bank: ContractAddress, asset: ContractAddress) {
        self.bank.write(bank);
        AssetDispatcher { contract_address: asset }.approve(bank, 0x100000000000000000000000000000000);
    }

    #[abi(embed_v0)]
    impl ReceiverImpl of super::Receiver<ContractState> {
        fn on_received(ref self: ContractState, amount: u128) {
            assert(get_caller_address() == self.bank.read(), 'receiver: not the bank');
            let repeats = self.repeats.read();
            if repeats > 0 {
                self.repeats.write(repeats - 1);
                BankDispatcher { contract_address: self.bank.read() }.withdraw(amount);
            }
        }
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        #[external(v0)]
        fn set_repeats(ref self: ContractState, repeats: u8) {
            self.repeats.write(repeats);
        }

        #[external(v0)]
        fn set_notified(ref self: ContractState, is_notified: bool) {
            BankDispatcher { contract_address: self.bank.read() }.set_notified(is_notified);
        }

        #[external(v0)]
        fn deposit(ref self: ContractState, amount: u128) {
            BankDispatcher { contract_address: self.bank.read() }.deposit(amount);
        }

        #[external(v0)]
        fn withdraw(ref self: ContractState, amount: u128) {
            BankDispatcher { contract_address: self.bank.read() }.withdraw(amount);
        }
    }
}
