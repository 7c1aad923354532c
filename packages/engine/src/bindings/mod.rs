//! Functions and classes that JavaScript calls: handles, plain values, typed errors.
//!
//! Each converts its arguments and calls the engine. Reads of values held in memory return at once;
//! whatever executes, compiles, hashes a block or may wait for an origin runs on a worker thread.

mod arguments;
mod batch;
mod bench;
mod class;
mod execution;
mod file_lock;
mod hash;
mod image;
mod memory;
mod origin;
mod promise;
mod setup;
mod state;
mod state_execution;
mod transaction;

use crate::error::Failure;

impl From<Failure> for napi::Error {
    /// JavaScript splits `kind: message` at the first colon.
    fn from(failure: Failure) -> Self {
        napi::Error::from_reason(format!("{}: {}", failure.kind.name(), failure.message))
    }
}
