// For tests only, never for funds: an account that checks no signature and accepts or rejects transactions on demand.
//
// The verdict is the stored mode, or, when the mode is 0, the first felt of the transaction's signature:
//   1  valid
//   2  returns a felt other than VALID
//   anything else, or no signature at all: panics
use starknet::account::Call;

#[starknet::interface]
trait AccountRejectApi<TState> {
    fn __validate__(self: @TState, calls: Array<Call>) -> felt252;
    fn __execute__(ref self: TState, calls: Array<Call>) -> Array<Span<felt252>>;
    fn __validate_declare__(self: @TState, class_hash: felt252) -> felt252;
    fn __validate_deploy__(
        self: @TState, class_hash: felt252, contract_address_salt: felt252, mode: felt252
    ) -> felt252;
    fn set_mode(ref self: TState, mode: felt252);
    fn mode(self: @TState) -> felt252;
}

#[starknet::contract(account)]
mod account_reject {
    use starknet::{SyscallResultTrait, VALIDATED, get_tx_info};
    use starknet::account::Call;
    use starknet::storage::{StoragePointerReadAccess, StoragePointerWriteAccess};
    use starknet::syscalls::call_contract_syscall;

    #[storage]
    struct Storage {
        mode: felt252,
    }

    #[constructor]
    fn constructor(ref self: ContractState, mode: felt252) {
        self.mode.write(mode);
    }

    #[generate_trait]
    impl Judge of JudgeTrait {
        fn verdict(self: @ContractState) -> felt252 {
            let mode = self.mode.read();
            let choice = if mode != 0 {
                mode
            } else {
                match get_tx_info().unbox().signature.get(0) {
                    Option::Some(felt) => *felt.unbox(),
                    Option::None => 0,
                }
            };
            if choice == 1 {
                VALIDATED
            } else if choice == 2 {
                'NOT VALID'
            } else {
                core::panic_with_felt252('account: rejected')
            }
        }
    }

    #[abi(embed_v0)]
    impl AccountRejectImpl of super::AccountRejectApi<ContractState> {
        fn __validate__(self: @ContractState, calls: Array<Call>) -> felt252 {
            self.verdict()
        }

        fn __execute__(ref self: ContractState, mut calls: Array<Call>) -> Array<Span<felt252>> {
            let mut returned: Array<Span<felt252>> = array![];
            while let Option::Some(call) = calls.pop_front() {
                let Call { to, selector, calldata } = call;
                returned.append(call_contract_syscall(to, selector, calldata).unwrap_syscall());
            };
            returned
        }

        fn __validate_declare__(self: @ContractState, class_hash: felt252) -> felt252 {
            self.verdict()
        }

        fn __validate_deploy__(
            self: @ContractState,
            class_hash: felt252,
            contract_address_salt: felt252,
            mode: felt252
        ) -> felt252 {
            self.verdict()
        }

        fn set_mode(ref self: ContractState, mode: felt252) {
            self.mode.write(mode);
        }

        fn mode(self: @ContractState) -> felt252 {
            self.mode.read()
        }
    }
}
