// The contracts of the tests, one module each. `failing` has those that fail, with the failing lines marked.
mod account;
mod account_reject;
mod bridge;
mod context;
mod counter;
mod emitter;
mod failing;
mod ledger;
mod messenger;
mod reverter;
mod slots;
mod token;
mod upgradable;
mod upgraded;
