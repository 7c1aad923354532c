//! Executions recorded step by step, for debuggers.

mod memory;
mod recorder;
mod trace;

pub use recorder::record;
pub use trace::{Limits, Trace};
