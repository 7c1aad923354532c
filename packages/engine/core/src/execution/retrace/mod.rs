//! Runs with the machine's trace on: where contracts failed, which statements they visited, and each step.

mod frame;
mod location;
mod machine;
mod recorder;

pub use frame::report;
pub(in crate::execution) use frame::{call_name, entry_point_name};
pub(in crate::execution) use location::{Step, Trace, steps_of};
pub(in crate::execution) use machine::Code;
pub(in crate::execution) use recorder::observing;
pub use recorder::{Classes, TraceOptions, record};
