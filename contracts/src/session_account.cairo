// For recipes: an account whose owner can allow a second key to call one function of one contract until a time.
use starknet::ContractAddress;
use starknet::account::Call;

#[starknet::interface]
trait SessionAccountApi<TState> {
    fn __validate__(self: @TState, calls: Array<Call>) -> felt252;
    fn __execute__(ref self: TState, calls: Array<Call>) -> Array<Span<felt252>>;
    fn __validate_deploy__(
        self: @TState, class_hash: felt252, contract_address_salt: felt252, public_key: felt252,
    ) -> felt252;
    fn start_session(
        ref self: TState, key: felt252, contract: ContractAddress, selector: felt252, expires: u64,
    );
    fn revoke_session(ref self: TState, key: felt252);
}

#[starknet::contract(account)]
mod session_account {
    use core::ecdsa::check_ecdsa_signature;
    use core::num::traits::Zero;
    use starknet::account::Call;
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess,
    };
    use starknet::syscalls::call_contract_syscall;
    use starknet::{
        ContractAddress, SyscallResultTrait, VALIDATED, get_block_timestamp, get_caller_address,
        get_contract_address, get_tx_info,
    };

    #[derive(Copy, Drop, starknet::Store)]
    struct Session {
        contract: ContractAddress,
        selector: felt252,
        expires: u64,
    }

    #[storage]
    struct Storage {
        public_key: felt252,
        sessions: Map<felt252, Session>,
    }

    #[constructor]
    fn constructor(ref self: ContractState, public_key: felt252) {
        self.public_key.write(public_key);
    }

    #[generate_trait]
    impl Checks of ChecksTrait {
        // A signature of the owner is (r, s), and of a session (key, r, s).
        fn session_key(self: @ContractState) -> Option<felt252> {
            let signature = get_tx_info().unbox().signature;
            if signature.len() == 3 {
                Some(*signature.at(0))
            } else {
                None
            }
        }

        fn check_signature(self: @ContractState) {
            let tx = get_tx_info().unbox();
            let length = tx.signature.len();
            assert(length == 2 || length == 3, 'session: invalid signature');
            let key = self.session_key().unwrap_or(self.public_key.read());
            let (r, s) = (*tx.signature.at(length - 2), *tx.signature.at(length - 1));
            let is_signed = check_ecdsa_signature(tx.transaction_hash, key, r, s);
            assert(is_signed, 'session: invalid signature');
        }

        fn check_owner_call(self: @ContractState) {
            assert(get_caller_address() == get_contract_address(), 'session: not the owner');
        }
    }

    #[abi(embed_v0)]
    impl SessionAccountImpl of super::SessionAccountApi<ContractState> {
        fn __validate__(self: @ContractState, calls: Array<Call>) -> felt252 {
            self.check_signature();
            if let Some(key) = self.session_key() {
                let session = self.sessions.read(key);
                for call in calls {
                    let is_allowed = call.to == session.contract
                        && call.selector == session.selector;
                    assert(is_allowed, 'session: call not allowed');
                }
            }
            VALIDATED
        }

        // `__validate__` sees a rounded time, so the end of a session is checked here.
        fn __execute__(ref self: ContractState, calls: Array<Call>) -> Array<Span<felt252>> {
            assert(get_caller_address().is_zero(), 'session: invalid caller');
            if let Some(key) = self.session_key() {
                let expires = self.sessions.read(key).expires;
                assert(get_block_timestamp() < expires, 'session: expired');
            }
            let mut returned = array![];
            for Call { to, selector, calldata } in calls {
                returned.append(call_contract_syscall(to, selector, calldata).unwrap_syscall());
            }
            returned
        }

        fn __validate_deploy__(
            self: @ContractState,
            class_hash: felt252,
            contract_address_salt: felt252,
            public_key: felt252,
        ) -> felt252 {
            self.check_signature();
            VALIDATED
        }

        fn start_session(
            ref self: ContractState,
            key: felt252,
            contract: ContractAddress,
            selector: felt252,
            expires: u64,
        ) {
            self.check_owner_call();
            self.sessions.write(key, Session { contract, selector, expires });
        }

        fn revoke_session(ref self: ContractState, key: felt252) {
            self.check_owner_call();
            let contract = Zero::zero();
            self.sessions.write(key, Session { contract, selector: 0, expires: 0 });
        }
    }
}
