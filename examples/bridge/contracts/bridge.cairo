// For tests and the example: the L2 side of contracts/solidity/Bridge.sol.
use starknet::{ContractAddress, EthAddress};

#[starknet::interface]
trait BridgeApi<TState> {
    fn connect(ref self: TState, l1_bridge: EthAddress);
    fn withdraw(ref self: TState, l1_recipient: EthAddress, amount: u128);
    fn balance_of(self: @TState, user: ContractAddress) -> u128;
}

#[starknet::contract]
mod bridge {
    use starknet::{ContractAddress, EthAddress, SyscallResultTrait, get_caller_address};
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use starknet::syscalls::send_message_to_l1_syscall;

    #[storage]
    struct Storage {
        partner: felt252,
        held: Map<ContractAddress, u128>,
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
        user: ContractAddress,
        amount: u128,
    }

    #[derive(Drop, starknet::Event)]
    struct Withdrawn {
        #[key]
        user: ContractAddress,
        l1_recipient: EthAddress,
        amount: u128,
    }

    // Only the partner's messages count: anybody can send one.
    #[l1_handler]
    fn deposit(ref self: ContractState, from_address: felt252, user: ContractAddress, amount: u128) {
        if from_address != self.partner.read() {
            core::panic_with_felt252('bridge: not from my partner');
        }
        if amount == 0 {
            core::panic_with_felt252('bridge: empty deposit');
        }
        self.held.write(user, self.held.read(user) + amount);
        self.emit(Deposited { user, amount });
    }

    #[abi(embed_v0)]
    impl BridgeImpl of super::BridgeApi<ContractState> {
        // Each side needs the other's address, so one of them learns it later; once.
        fn connect(ref self: ContractState, l1_bridge: EthAddress) {
            if self.partner.read() != 0 {
                core::panic_with_felt252('bridge: already connected');
            }
            self.partner.write(l1_bridge.into());
        }

        // From the caller's balance. The payload is [recipient, amount].
        fn withdraw(ref self: ContractState, l1_recipient: EthAddress, amount: u128) {
            let user = get_caller_address();
            let held = self.held.read(user);
            if held < amount {
                core::panic_with_felt252('bridge: balance too low');
            }
            self.held.write(user, held - amount);
            let payload = array![l1_recipient.into(), amount.into()];
            send_message_to_l1_syscall(self.partner.read(), payload.span()).unwrap_syscall();
            self.emit(Withdrawn { user, l1_recipient, amount });
        }

        fn balance_of(self: @ContractState, user: ContractAddress) -> u128 {
            self.held.read(user)
        }
    }
}
