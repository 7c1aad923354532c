// For tests: what a contract sees of the block and of the transaction it runs in, read at once or stored for later.
use starknet::{ContractAddress, ResourcesBounds};

#[derive(Copy, Drop, Serde, starknet::Store)]
struct Snapshot {
    block_number: u64,
    block_timestamp: u64,
    sequencer: ContractAddress,
    caller: ContractAddress,
    contract: ContractAddress,
    tx_version: felt252,
    tx_hash: felt252,
    nonce: felt252,
    chain_id: felt252,
}

#[derive(Drop, Serde)]
struct TxView {
    account: ContractAddress,
    max_fee: u128,
    signature: Span<felt252>,
    resource_bounds: Span<ResourcesBounds>,
    tip: u128,
    paymaster_data: Span<felt252>,
    nonce_da_mode: u32,
    fee_da_mode: u32,
    account_deployment_data: Span<felt252>,
    selector: felt252,
}

#[starknet::interface]
trait ContextApi<TState> {
    fn current(self: @TState) -> Snapshot;
    fn transaction(self: @TState) -> TxView;
    fn store(ref self: TState);
    fn stored(self: @TState) -> Snapshot;
    fn block_hash(self: @TState, number: u64) -> felt252;
    fn store_block_hash(ref self: TState, number: u64);
    fn stored_block_hash(self: @TState) -> felt252;
}

#[starknet::contract]
mod context {
    use starknet::{SyscallResultTrait, get_execution_info};
    use starknet::storage::{StoragePointerReadAccess, StoragePointerWriteAccess};
    use starknet::syscalls::get_block_hash_syscall;
    use super::{Snapshot, TxView};

    #[storage]
    struct Storage {
        snapshot: Snapshot,
        hash: felt252,
    }

    fn observe() -> Snapshot {
        let info = get_execution_info().unbox();
        let block = info.block_info.unbox();
        let tx = info.tx_info.unbox();
        Snapshot {
            block_number: block.block_number,
            block_timestamp: block.block_timestamp,
            sequencer: block.sequencer_address,
            caller: info.caller_address,
            contract: info.contract_address,
            tx_version: tx.version,
            tx_hash: tx.transaction_hash,
            nonce: tx.nonce,
            chain_id: tx.chain_id,
        }
    }

    #[abi(embed_v0)]
    impl ContextImpl of super::ContextApi<ContractState> {
        fn current(self: @ContractState) -> Snapshot {
            observe()
        }

        fn transaction(self: @ContractState) -> TxView {
            let info = get_execution_info().unbox();
            let tx = info.tx_info.unbox();
            TxView {
                account: tx.account_contract_address,
                max_fee: tx.max_fee,
                signature: tx.signature,
                resource_bounds: tx.resource_bounds,
                tip: tx.tip,
                paymaster_data: tx.paymaster_data,
                nonce_da_mode: tx.nonce_data_availability_mode,
                fee_da_mode: tx.fee_data_availability_mode,
                account_deployment_data: tx.account_deployment_data,
                selector: info.entry_point_selector,
            }
        }

        fn store(ref self: ContractState) {
            self.snapshot.write(observe());
        }

        fn stored(self: @ContractState) -> Snapshot {
            self.snapshot.read()
        }

        fn block_hash(self: @ContractState, number: u64) -> felt252 {
            get_block_hash_syscall(number).unwrap_syscall()
        }

        fn store_block_hash(ref self: ContractState, number: u64) {
            self.hash.write(get_block_hash_syscall(number).unwrap_syscall());
        }

        fn stored_block_hash(self: @ContractState) -> felt252 {
            self.hash.read()
        }
    }
}
