// For tests: events of any shape and number, and the order of events when one contract calls another.
use starknet::ContractAddress;

#[starknet::interface]
trait EmitterApi<TState> {
    fn emit_batch(ref self: TState, count: u32, keys: u32, data: u32);
    fn emit_raw(ref self: TState, keys: Array<felt252>, data: Array<felt252>);
    fn emit_through(ref self: TState, target: ContractAddress, count: u32, keys: u32, data: u32);
}

#[starknet::contract]
mod emitter {
    use starknet::{ContractAddress, SyscallResultTrait};
    use starknet::syscalls::emit_event_syscall;
    use super::{EmitterApiDispatcher, EmitterApiDispatcherTrait};

    #[storage]
    struct Storage {}

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Calling: Calling,
        Called: Called,
    }

    #[derive(Drop, starknet::Event)]
    struct Calling {
        #[key]
        target: ContractAddress,
        count: u32,
    }

    #[derive(Drop, starknet::Event)]
    struct Called {
        #[key]
        target: ContractAddress,
        count: u32,
    }

    // `len` felts: base, base + 1, base + 2 ...
    fn run_of(base: felt252, len: u32) -> Span<felt252> {
        let mut felts: Array<felt252> = array![];
        let mut next = base;
        while felts.len() < len {
            felts.append(next);
            next += 1;
        };
        felts.span()
    }

    #[abi(embed_v0)]
    impl EmitterImpl of super::EmitterApi<ContractState> {
        // Event i (from 0) has the keys 1000*i, 1000*i + 1 ... and the data 1000*i + 500, 1000*i + 501 ...
        fn emit_batch(ref self: ContractState, count: u32, keys: u32, data: u32) {
            let mut emitted: u32 = 0;
            while emitted < count {
                let base: felt252 = emitted.into() * 1000;
                emit_event_syscall(run_of(base, keys), run_of(base + 500, data)).unwrap_syscall();
                emitted += 1;
            }
        }

        fn emit_raw(ref self: ContractState, keys: Array<felt252>, data: Array<felt252>) {
            emit_event_syscall(keys.span(), data.span()).unwrap_syscall();
        }

        // Calling from here, then the batch from the target, then Called from here.
        fn emit_through(
            ref self: ContractState, target: ContractAddress, count: u32, keys: u32, data: u32
        ) {
            self.emit(Calling { target, count });
            EmitterApiDispatcher { contract_address: target }.emit_batch(count, keys, data);
            self.emit(Called { target, count });
        }
    }
}
