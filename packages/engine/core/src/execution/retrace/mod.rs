//! Runs with the machine's trace on: where contracts failed, which statements they visited, and each step.

mod frame;
mod location;
mod machine;
mod recorder;

pub use frame::report;
pub use recorder::{TraceOptions, record};
