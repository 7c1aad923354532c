// For recipes: a position that closes only after a delay, valued with the price of an oracle.
#[starknet::interface]
trait VaultApi<TState> {
    fn request_exit(ref self: TState);
    fn exit(ref self: TState);
    fn is_open(self: @TState) -> bool;
    fn value_of(self: @TState, amount: u128) -> u128;
}

#[starknet::contract]
mod vault {
    use starknet::storage::{StoragePointerReadAccess, StoragePointerWriteAccess};
    use starknet::{ContractAddress, get_block_timestamp};
    use crate::oracle::{OracleApiDispatcher, OracleApiDispatcherTrait};

    // Prices have 8 decimals.
    const ONE: u128 = 100_000_000;

    #[storage]
    struct Storage {
        oracle: ContractAddress,
        delay: u64,
        exit_from: u64,
        closed: bool,
    }

    #[constructor]
    fn constructor(ref self: ContractState, oracle: ContractAddress, delay: u64) {
        self.oracle.write(oracle);
        self.delay.write(delay);
    }

    #[abi(embed_v0)]
    impl VaultImpl of super::VaultApi<ContractState> {
        fn request_exit(ref self: ContractState) {
            self.exit_from.write(get_block_timestamp() + self.delay.read());
        }

        fn exit(ref self: ContractState) {
            let exit_from = self.exit_from.read();
            assert(exit_from != 0, 'vault: no exit requested');
            assert(get_block_timestamp() >= exit_from, 'vault: too early');
            self.closed.write(true);
        }

        fn is_open(self: @ContractState) -> bool {
            !self.closed.read()
        }

        fn value_of(self: @ContractState, amount: u128) -> u128 {
            let oracle = OracleApiDispatcher { contract_address: self.oracle.read() };
            amount * oracle.price('STRK/USD') / ONE
        }
    }
}
