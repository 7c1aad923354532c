// An account as SNIP-6 describes one: a key of the Stark curve, any number of calls, SRC-5 to ask what it is.
use starknet::account::Call;

#[starknet::interface]
trait AccountApi<TState> {
    fn __validate__(self: @TState, calls: Array<Call>) -> felt252;
    fn __execute__(ref self: TState, calls: Array<Call>) -> Array<Span<felt252>>;
    fn __validate_declare__(self: @TState, class_hash: felt252) -> felt252;
    fn __validate_deploy__(
        self: @TState, class_hash: felt252, contract_address_salt: felt252, public_key: felt252,
    ) -> felt252;
    fn is_valid_signature(self: @TState, hash: felt252, signature: Array<felt252>) -> felt252;
    fn supports_interface(self: @TState, interface_id: felt252) -> bool;
    fn get_public_key(self: @TState) -> felt252;
}

#[starknet::contract(account)]
mod account {
    use core::ecdsa::check_ecdsa_signature;
    use core::num::traits::Zero;
    use starknet::account::Call;
    use starknet::storage::{StoragePointerReadAccess, StoragePointerWriteAccess};
    use starknet::syscalls::call_contract_syscall;
    use starknet::{SyscallResultTrait, VALIDATED, get_caller_address, get_tx_info};

    const SRC5: felt252 = 0x3f918d17e5ee77373b56385708f855659a07f75997f365cf87748628532a055;
    const SRC6: felt252 = 0x2ceccef7f994940b3962a6c67e0ba4fcd37df7d131417c604f91e03caecc1cd;

    // The node writes the key of a predeployed account under this name.
    #[storage]
    struct Storage {
        Account_public_key: felt252,
    }

    #[constructor]
    fn constructor(ref self: ContractState, public_key: felt252) {
        self.Account_public_key.write(public_key);
    }

    #[generate_trait]
    impl Signatures of SignaturesTrait {
        fn is_signed(self: @ContractState, hash: felt252, signature: Span<felt252>) -> bool {
            if signature.len() != 2 {
                return false;
            }
            check_ecdsa_signature(
                hash, self.Account_public_key.read(), *signature.at(0), *signature.at(1),
            )
        }

        fn check(self: @ContractState) -> felt252 {
            let tx = get_tx_info().unbox();
            assert(self.is_signed(tx.transaction_hash, tx.signature), 'Account: invalid signature');
            VALIDATED
        }
    }

    #[abi(embed_v0)]
    impl AccountImpl of super::AccountApi<ContractState> {
        fn __validate__(self: @ContractState, calls: Array<Call>) -> felt252 {
            self.check()
        }

        fn __execute__(ref self: ContractState, calls: Array<Call>) -> Array<Span<felt252>> {
            assert(get_caller_address().is_zero(), 'Account: invalid caller');
            let mut returned = array![];
            for Call { to, selector, calldata } in calls {
                returned.append(call_contract_syscall(to, selector, calldata).unwrap_syscall());
            }
            returned
        }

        fn __validate_declare__(self: @ContractState, class_hash: felt252) -> felt252 {
            self.check()
        }

        fn __validate_deploy__(
            self: @ContractState,
            class_hash: felt252,
            contract_address_salt: felt252,
            public_key: felt252,
        ) -> felt252 {
            self.check()
        }

        fn is_valid_signature(
            self: @ContractState, hash: felt252, signature: Array<felt252>,
        ) -> felt252 {
            if self.is_signed(hash, signature.span()) {
                VALIDATED
            } else {
                0
            }
        }

        fn supports_interface(self: @ContractState, interface_id: felt252) -> bool {
            interface_id == SRC5 || interface_id == SRC6
        }

        fn get_public_key(self: @ContractState) -> felt252 {
            self.Account_public_key.read()
        }
    }
}
