// For tests: `println!` before an answer and before a failure.
#[starknet::interface]
trait PrintsApi<TState> {
    fn print_text(self: @TState) -> felt252;
    fn print_values(self: @TState, number: u64, felt: felt252) -> felt252;
    fn print_then_fail(self: @TState, value: u8) -> u8;
}

#[starknet::contract]
mod prints {
    #[storage]
    struct Storage {}

    #[abi(embed_v0)]
    impl PrintsImpl of super::PrintsApi<ContractState> {
        fn print_text(self: @ContractState) -> felt252 {
            println!("prints: a line that is longer than one felt can hold");
            1
        }

        fn print_values(self: @ContractState, number: u64, felt: felt252) -> felt252 {
            println!("number {number}, felt {felt:?}");
            println!("second line");
            2
        }

        fn print_then_fail(self: @ContractState, value: u8) -> u8 {
            println!("value is {value}");
            value - 10 // fails: print_then_fail
        }
    }
}
