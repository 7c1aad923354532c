//! Runs with the machine's trace on: where contracts failed, and which statements they visited.

mod frame;
mod location;
mod recorder;

pub use frame::retrace;
pub(in crate::execution) use frame::{call_name, entry_point_name};
pub(in crate::execution) use location::{Step, Trace, steps_of};
pub(in crate::execution) use recorder::observing;
