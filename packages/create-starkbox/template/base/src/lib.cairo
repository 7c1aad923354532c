// A savings vault: an account deposits tokens and can withdraw them after a lock period.
use starknet::ContractAddress;

#[starknet::interface]
pub trait IVault<TState> {
    /// Moves tokens from the caller into the vault. The caller must approve the amount first.
    fn deposit(ref self: TState, amount: u256);
    /// Moves tokens back to the caller, after the caller's lock period.
    fn withdraw(ref self: TState, amount: u256);
    fn balance_of(self: @TState, account: ContractAddress) -> u256;
    /// The time, in seconds since 1970, from which the account can withdraw.
    fn unlock_time(self: @TState, account: ContractAddress) -> u64;
}

#[starknet::interface]
trait IToken<TState> {
    fn transfer(ref self: TState, recipient: ContractAddress, amount: u256) -> bool;
    fn transfer_from(
        ref self: TState, sender: ContractAddress, recipient: ContractAddress, amount: u256,
    ) -> bool;
}

#[starknet::contract]
mod Vault {
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess,
    };
    use starknet::{
        ContractAddress, get_block_timestamp, get_caller_address, get_contract_address,
    };
    use super::{ITokenDispatcher, ITokenDispatcherTrait};

    #[storage]
    struct Storage {
        token: ContractAddress,
        lock_seconds: u64,
        balances: Map<ContractAddress, u256>,
        unlock_times: Map<ContractAddress, u64>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Deposited: Deposited,
        Withdrawn: Withdrawn,
    }

    #[derive(Drop, starknet::Event)]
    struct Deposited {
        #[key]
        account: ContractAddress,
        amount: u256,
        unlock_time: u64,
    }

    #[derive(Drop, starknet::Event)]
    struct Withdrawn {
        #[key]
        account: ContractAddress,
        amount: u256,
    }

    #[constructor]
    fn constructor(ref self: ContractState, token: ContractAddress, lock_seconds: u64) {
        self.token.write(token);
        self.lock_seconds.write(lock_seconds);
    }

    #[abi(embed_v0)]
    impl VaultImpl of super::IVault<ContractState> {
        fn deposit(ref self: ContractState, amount: u256) {
            assert(amount > 0, 'vault: amount is 0');
            let account = get_caller_address();
            let unlock_time = get_block_timestamp() + self.lock_seconds.read();
            self.balances.write(account, self.balances.read(account) + amount);
            self.unlock_times.write(account, unlock_time);
            let token = ITokenDispatcher { contract_address: self.token.read() };
            let is_paid = token.transfer_from(account, get_contract_address(), amount);
            assert(is_paid, 'vault: transfer failed');
            self.emit(Deposited { account, amount, unlock_time });
        }

        fn withdraw(ref self: ContractState, amount: u256) {
            let account = get_caller_address();
            let balance = self.balances.read(account);
            assert(amount <= balance, 'vault: balance too low');
            assert(get_block_timestamp() >= self.unlock_times.read(account), 'vault: still locked');
            self.balances.write(account, balance - amount);
            let token = ITokenDispatcher { contract_address: self.token.read() };
            assert(token.transfer(account, amount), 'vault: transfer failed');
            self.emit(Withdrawn { account, amount });
        }

        fn balance_of(self: @ContractState, account: ContractAddress) -> u256 {
            self.balances.read(account)
        }

        fn unlock_time(self: @ContractState, account: ContractAddress) -> u64 {
            self.unlock_times.read(account)
        }
    }
}
