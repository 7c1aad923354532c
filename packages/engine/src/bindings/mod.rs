//! Functions and classes that JavaScript calls: handles, plain values, typed errors.
//!
//! Each converts its arguments and calls the engine. Reads of values held in memory return at once;
//! whatever executes, compiles, hashes a block or may wait for a source runs on a worker thread.

mod arguments;
mod batch;
mod bench;
mod block_weights;
mod class;
mod coverage;
mod debug_trace;
mod error;
mod execution;
mod file_lock;
mod hash;
mod image;
mod invocation;
mod memory;
mod promise;
mod setup;
mod source_backend;
mod state;
mod state_execution;
mod state_source;
#[cfg(target_family = "wasm")]
mod suspension;
mod transaction;
