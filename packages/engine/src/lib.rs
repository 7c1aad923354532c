//! The sequencer's engine for JavaScript. `door` is what JavaScript sees; the rest knows nothing of it.

mod account;
mod bench;
mod block;
mod cell;
mod class;
mod compiler;
mod diff;
mod door;
mod error;
mod execute;
mod fault;
mod felt;
mod hash;
mod history;
mod image;
mod origin;
mod report;
mod state;
mod transaction;
mod workers;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[napi_derive::module_init]
fn start() {
    error::keep_panics_off_the_terminal();
}
