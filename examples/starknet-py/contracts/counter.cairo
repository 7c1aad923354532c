// For tests: the plainest contract there is. One number, one write, one view, one keyed event, one readable panic.
#[starknet::interface]
trait CounterApi<TState> {
    fn increase(ref self: TState, amount: u128) -> u128;
    fn get(self: @TState) -> u128;
}

#[starknet::contract]
mod counter {
    use starknet::{ContractAddress, get_caller_address};
    use starknet::storage::{StoragePointerReadAccess, StoragePointerWriteAccess};

    #[storage]
    struct Storage {
        count: u128,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        CountRaised: CountRaised,
    }

    #[derive(Drop, starknet::Event)]
    struct CountRaised {
        #[key]
        caller: ContractAddress,
        before: u128,
        after: u128,
    }

    #[constructor]
    fn constructor(ref self: ContractState, start: u128) {
        self.count.write(start);
    }

    #[abi(embed_v0)]
    impl CounterImpl of super::CounterApi<ContractState> {
        fn increase(ref self: ContractState, amount: u128) -> u128 {
            if amount == 0 {
                core::panic_with_felt252('counter: amount is 0');
            }
            let before = self.count.read();
            let after = before + amount;
            self.count.write(after);
            self.emit(CountRaised { caller: get_caller_address(), before, after });
            after
        }

        fn get(self: @ContractState) -> u128 {
            self.count.read()
        }
    }
}
