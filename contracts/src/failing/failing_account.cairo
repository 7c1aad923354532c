// For tests only, never for funds: an account that checks no signature and fails in the place it was deployed for.
use starknet::account::Call;

#[starknet::interface]
trait FailingAccountApi<TState> {
    fn __validate__(self: @TState, calls: Array<Call>) -> felt252;
    fn __execute__(ref self: TState, calls: Array<Call>) -> Array<Span<felt252>>;
    fn __validate_declare__(self: @TState, class_hash: felt252) -> felt252;
    fn __validate_deploy__(
        self: @TState, class_hash: felt252, contract_address_salt: felt252, place: felt252,
    ) -> felt252;
}

#[starknet::contract(account)]
mod failing_account {
    use starknet::account::Call;
    use starknet::storage::{StoragePointerReadAccess, StoragePointerWriteAccess};
    use starknet::syscalls::{call_contract_syscall, get_block_hash_syscall};
    use starknet::{SyscallResultTrait, VALIDATED};

    #[storage]
    struct Storage {
        place: felt252,
    }

    // Places: 'constructor', 'deploy', 'declare', 'validate', 'verdict', 'syscall', 'calls', 'endless', 'execute',
    // 'overflow'; with any other, nothing fails.
    #[constructor]
    fn constructor(ref self: ContractState, place: felt252) {
        assert(place != 'constructor', 'account: constructor failed'); // fails: account_constructor
        self.place.write(place);
    }

    fn burn(mut n: u64) {
        while n != 0 { // fails: account_endless
            n -= 1;
        }
    }

    #[abi(embed_v0)]
    impl FailingAccountImpl of super::FailingAccountApi<ContractState> {
        fn __validate__(self: @ContractState, calls: Array<Call>) -> felt252 {
            let place = self.place.read();
            assert(place != 'validate', 'account: validation failed'); // fails: account_validate
            if place == 'verdict' {
                return 'NOT VALID';
            }
            if place == 'endless' {
                burn(0xffffffffffff);
            }
            if place == 'syscall' {
                get_block_hash_syscall(0).unwrap_syscall(); // fails: account_syscall
            }
            if place == 'calls' {
                let Call { to, selector, calldata } = *calls.at(0);
                call_contract_syscall(to, selector, calldata).unwrap_syscall(); // fails: account_calls
            }
            VALIDATED
        }

        fn __execute__(ref self: ContractState, calls: Array<Call>) -> Array<Span<felt252>> {
            let place = self.place.read();
            assert(place != 'execute', 'account: execution failed'); // fails: account_execute
            if place == 'overflow' {
                let count: u8 = calls.len().try_into().unwrap();
                assert(count - 5 != 0, 'unreachable'); // fails: account_overflow
            }
            let mut returned = array![];
            for Call { to, selector, calldata } in calls {
                let result = call_contract_syscall(to, selector, calldata).unwrap_syscall(); // fails: account_call
                returned.append(result);
            }
            returned
        }

        fn __validate_declare__(self: @ContractState, class_hash: felt252) -> felt252 {
            assert(self.place.read() != 'declare', 'account: not this class'); // fails: account_declare
            VALIDATED
        }

        fn __validate_deploy__(
            self: @ContractState,
            class_hash: felt252,
            contract_address_salt: felt252,
            place: felt252,
        ) -> felt252 {
            assert(place != 'deploy', 'account: not this deployment'); // fails: account_deploy
            VALIDATED
        }
    }
}
