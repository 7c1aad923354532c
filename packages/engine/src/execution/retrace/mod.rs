//! Runs with the machine's trace on: where contracts failed, and which statements they visited.

mod frame;
mod place;
mod recorder;

pub use frame::report;
pub use recorder::{Wanted, record};
