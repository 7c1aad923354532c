// Savings that leave through a queue. Promise: the request at the head of the queue can always be processed.
#[starknet::contract]
mod exit_queue {
    use starknet::storage::*;
    use starknet::{ContractAddress, get_caller_address};

    #[derive(Copy, Drop, Serde, starknet::Store)]
    struct Request {
        account: ContractAddress,
        amount: u128,
    }

    #[storage]
    struct Storage {
        balances: Map<ContractAddress, u128>,
        paid: Map<ContractAddress, u128>,
        requests: Map<u64, Request>,
        head: u64,
        tail: u64,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Requested: Changed,
        Processed: Changed,
    }

    #[derive(Drop, starknet::Event)]
    struct Changed {
        #[key]
        account: ContractAddress,
        id: u64,
        amount: u128,
    }

    #[abi(per_item)]
    #[generate_trait]
    impl External of ExternalTrait {
        #[external(v0)]
        fn deposit(ref self: ContractState, amount: u128) {
            assert(amount <= 1000000000, 'queue: deposit too large');
            let account = get_caller_address();
            self.balances.write(account, self.balances.read(account) + amount);
        }

        #[external(v0)]
        fn request(ref self: ContractState, amount: u128) -> u64 {
            let account = get_caller_address();
            let balance = self.balances.read(account);
            assert(amount > 0 && balance >= amount, 'queue: balance too low');
            self.balances.write(account, balance - amount);
            let id = self.tail.read();
            self.requests.write(id, Request { account, amount });
            self.tail.write(id + 1);
            self.emit(Event::Requested(Changed { account, id, amount }));
            id
        }

        // Returns a part of a request to the balance.
        #[external(v0)]
        fn reduce(ref self: ContractState, id: u64, amount: u128) {
            let account = get_caller_address();
            let request = self.requests.read(id);
            assert(request.account == account && id >= self.head.read(), 'queue: no such request');
            assert(request.amount >= amount, 'queue: request too low');
            self.requests.write(id, Request { account, amount: request.amount - amount });
            self.balances.write(account, self.balances.read(account) + amount);
        }

        #[external(v0)]
        fn process(ref self: ContractState) {
            let id = self.head.read();
            assert(id < self.tail.read(), 'queue: empty');
            let Request { account, amount } = self.requests.read(id);
            assert(amount > 0, 'queue: nothing to pay'); // repaired:
            self.head.write(id + 1);
            self.paid.write(account, self.paid.read(account) + amount);
            self.emit(Event::Processed(Changed { account, id, amount }));
        }

        // The ids of the head and of the next request.
        #[external(v0)]
        fn ends(self: @ContractState) -> (u64, u64) {
            (self.head.read(), self.tail.read())
        }

        #[external(v0)]
        fn request_of(self: @ContractState, id: u64) -> Request {
            self.requests.read(id)
        }
    }
}
