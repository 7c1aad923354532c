// For tests: messages between L1 and L2. Deposits arrive through an L1 handler, withdrawals leave as messages.
use starknet::{ContractAddress, EthAddress};

#[starknet::interface]
trait MessengerApi<TState> {
    fn withdraw(ref self: TState, to_l1: EthAddress, amount: u128);
    fn send(ref self: TState, to_l1: felt252, payload: Array<felt252>);
    fn balance_of(self: @TState, user: ContractAddress) -> u128;
    fn last_sender(self: @TState) -> felt252;
}

#[starknet::contract]
mod messenger {
    use starknet::{ContractAddress, EthAddress, SyscallResultTrait, get_caller_address};
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use starknet::syscalls::send_message_to_l1_syscall;

    #[storage]
    struct Storage {
        held: Map<ContractAddress, u128>,
        sender: felt252,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        DepositReceived: DepositReceived,
        WithdrawalSent: WithdrawalSent,
    }

    #[derive(Drop, starknet::Event)]
    struct DepositReceived {
        #[key]
        user: ContractAddress,
        l1_sender: felt252,
        amount: u128,
    }

    #[derive(Drop, starknet::Event)]
    struct WithdrawalSent {
        #[key]
        user: ContractAddress,
        to_l1: EthAddress,
        amount: u128,
    }

    #[l1_handler]
    fn deposit(ref self: ContractState, from_address: felt252, user: ContractAddress, amount: u128) {
        if amount == 0 {
            core::panic_with_felt252('messenger: empty deposit');
        }
        self.held.write(user, self.held.read(user) + amount);
        self.sender.write(from_address);
        self.emit(DepositReceived { user, l1_sender: from_address, amount });
    }

    #[abi(embed_v0)]
    impl MessengerImpl of super::MessengerApi<ContractState> {
        // Takes from the caller's balance. The payload is [user, amount].
        fn withdraw(ref self: ContractState, to_l1: EthAddress, amount: u128) {
            let user = get_caller_address();
            let held = self.held.read(user);
            if held < amount {
                core::panic_with_felt252('messenger: balance too low');
            }
            self.held.write(user, held - amount);
            let payload = array![user.into(), amount.into()];
            send_message_to_l1_syscall(to_l1.into(), payload.span()).unwrap_syscall();
            self.emit(WithdrawalSent { user, to_l1, amount });
        }

        // Any payload to any address, no balance involved.
        fn send(ref self: ContractState, to_l1: felt252, payload: Array<felt252>) {
            send_message_to_l1_syscall(to_l1, payload.span()).unwrap_syscall();
        }

        fn balance_of(self: @ContractState, user: ContractAddress) -> u128 {
            self.held.read(user)
        }

        fn last_sender(self: @ContractState) -> felt252 {
            self.sender.read()
        }
    }
}
