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
mod oracle;
mod reverter;
mod session_account;
mod slots;
mod token;
mod upgradable;
mod upgraded;
mod vault;
