// For tests: compiled with the panic backtrace, which marks each function that a panic passes.
#[starknet::interface]
trait BacktraceApi<TState> {
    fn deep(self: @TState, value: u8) -> u8;
    fn shallow(self: @TState, value: u8) -> u8;
}

#[inline(never)]
fn outer(value: u8) -> u8 {
    inner(value) + 1
}

#[inline(never)]
fn inner(value: u8) -> u8 {
    value - 10 // fails: deep
}

#[starknet::contract]
mod backtrace {
    #[storage]
    struct Storage {}

    #[abi(embed_v0)]
    impl BacktraceImpl of super::BacktraceApi<ContractState> {
        // Two functions below the entry point.
        fn deep(self: @ContractState, value: u8) -> u8 {
            super::outer(value)
        }

        fn shallow(self: @ContractState, value: u8) -> u8 {
            assert(value > 9, 'backtrace: value too low'); // fails: shallow
            value
        }
    }
}
