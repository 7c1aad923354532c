//! Reports of executions as JSON.

mod emitted;
mod failure;
mod initial_reads;
mod printed;
mod receipt;
mod trace;

pub use emitted::call_events;
pub use failure::{call_failure, call_report, rejection, revert};
pub use initial_reads::initial_reads;
pub use printed::{PrintedText, printed, texts};
pub use receipt::{receipt, resources};
pub use trace::{call_trace, trace};
