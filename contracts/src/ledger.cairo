// For names of storage slots: nested maps, keys of several felts, a storage node, a component, packed structs, values of several slots.
use starknet::ContractAddress;
use starknet::storage::Map;
use starknet::storage_access::StorePacking;

/// In four slots, one after the other.
#[derive(Copy, Drop, Serde, starknet::Store)]
struct Position {
    amount: u256,
    opened: u64,
    is_open: bool,
}

/// In one slot.
#[derive(Copy, Drop, Serde)]
struct Limits {
    daily: u64,
    single: u32,
    is_strict: bool,
}

const SINGLE_SHIFT: felt252 = 0x10000000000000000;
const STRICT_SHIFT: felt252 = 0x1000000000000000000000000;

impl LimitsPacking of StorePacking<Limits, felt252> {
    fn pack(value: Limits) -> felt252 {
        value.daily.into()
            + value.single.into() * SINGLE_SHIFT
            + value.is_strict.into() * STRICT_SHIFT
    }

    fn unpack(value: felt252) -> Limits {
        let whole: u256 = value.into();
        let (rest, daily) = DivRem::div_rem(whole, 0x10000000000000000);
        let (strict, single) = DivRem::div_rem(rest, 0x100000000);
        Limits {
            daily: daily.try_into().unwrap(),
            single: single.try_into().unwrap(),
            is_strict: strict == 1,
        }
    }
}

/// Each member at an address of its own.
#[starknet::storage_node]
struct Pool {
    reserve: u256,
    fee: u16,
    shares: Map<ContractAddress, u128>,
}

#[starknet::interface]
trait PausingApi<TState> {
    fn pause(ref self: TState, paused: bool);
}

#[starknet::component]
mod pausing {
    use starknet::storage::StoragePointerWriteAccess;

    #[storage]
    pub struct Storage {
        Pausing_paused: bool,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    pub enum Event {}

    #[embeddable_as(PausingImpl)]
    impl Pausing<
        TContractState, +HasComponent<TContractState>,
    > of super::PausingApi<ComponentState<TContractState>> {
        fn pause(ref self: ComponentState<TContractState>, paused: bool) {
            self.Pausing_paused.write(paused);
        }
    }
}

#[starknet::interface]
trait LedgerApi<TState> {
    fn rename(ref self: TState, title: ByteArray);
    fn approve(ref self: TState, spender: ContractAddress, amount: u256);
    fn grant(ref self: TState, to: ContractAddress, role: felt252, level: u8, amount: u128);
    fn open(ref self: TState, amount: u256, opened: u64);
    fn limit(ref self: TState, region: u32, limits: Limits);
    fn limit_all(ref self: TState, limits: Limits);
    fn fund(ref self: TState, pool: felt252, amount: u256, fee: u16);
    fn share(ref self: TState, pool: felt252, holder: ContractAddress, amount: u128);
    fn note(ref self: TState, entry: felt252);
    fn register(ref self: TState, id: u256);
    fn mark(ref self: TState, time: u64);
    fn get_position(self: @TState, account: ContractAddress) -> Position;
    fn get_limits(self: @TState, region: u32) -> Limits;
    fn allowance(
        self: @TState, owner: ContractAddress, spender: ContractAddress,
    ) -> u256;
}

#[starknet::contract]
mod ledger {
    use starknet::storage::{
        Map, MutableVecTrait, StorageMapReadAccess, StorageMapWriteAccess, StoragePathEntry,
        StoragePointerWriteAccess, Vec,
    };
    use starknet::{ContractAddress, get_caller_address};
    use super::{Limits, Pool, Position, pausing};

    component!(path: pausing, storage: pausing, event: PausingEvent);

    #[abi(embed_v0)]
    impl PausingImpl = pausing::PausingImpl<ContractState>;

    #[storage]
    struct Storage {
        owner: ContractAddress,
        title: ByteArray,
        allowances: Map<(ContractAddress, ContractAddress), u256>,
        grants: Map<ContractAddress, Map<felt252, Map<u8, u128>>>,
        positions: Map<ContractAddress, Position>,
        limits: Map<u32, Limits>,
        common_limits: Limits,
        pools: Map<felt252, Pool>,
        entries: Vec<felt252>,
        holders: Map<u256, ContractAddress>,
        last_mark: Option<u64>,
        #[substorage(v0)]
        pausing: pausing::Storage,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        PausingEvent: pausing::Event,
    }

    #[constructor]
    fn constructor(ref self: ContractState, owner: ContractAddress) {
        self.owner.write(owner);
    }

    #[abi(embed_v0)]
    impl LedgerImpl of super::LedgerApi<ContractState> {
        fn rename(ref self: ContractState, title: ByteArray) {
            self.title.write(title);
        }

        fn approve(ref self: ContractState, spender: ContractAddress, amount: u256) {
            self.allowances.write((get_caller_address(), spender), amount);
        }

        fn grant(
            ref self: ContractState, to: ContractAddress, role: felt252, level: u8, amount: u128,
        ) {
            self.grants.entry(to).entry(role).entry(level).write(amount);
        }

        fn open(ref self: ContractState, amount: u256, opened: u64) {
            let position = Position { amount, opened, is_open: true };
            self.positions.write(get_caller_address(), position);
        }

        fn limit(ref self: ContractState, region: u32, limits: Limits) {
            self.limits.write(region, limits);
        }

        fn limit_all(ref self: ContractState, limits: Limits) {
            self.common_limits.write(limits);
        }

        fn fund(ref self: ContractState, pool: felt252, amount: u256, fee: u16) {
            self.pools.entry(pool).reserve.write(amount);
            self.pools.entry(pool).fee.write(fee);
        }

        fn share(ref self: ContractState, pool: felt252, holder: ContractAddress, amount: u128) {
            self.pools.entry(pool).shares.entry(holder).write(amount);
        }

        fn note(ref self: ContractState, entry: felt252) {
            self.entries.push(entry);
        }

        fn register(ref self: ContractState, id: u256) {
            self.holders.write(id, get_caller_address());
        }

        fn mark(ref self: ContractState, time: u64) {
            self.last_mark.write(Option::Some(time));
        }

        fn get_position(self: @ContractState, account: ContractAddress) -> Position {
            self.positions.read(account)
        }

        fn get_limits(self: @ContractState, region: u32) -> Limits {
            self.limits.read(region)
        }

        fn allowance(
            self: @ContractState, owner: ContractAddress, spender: ContractAddress,
        ) -> u256 {
            self.allowances.read((owner, spender))
        }
    }
}
