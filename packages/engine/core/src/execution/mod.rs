//! Execution of transactions and calls on a state, and its reports.

mod block;
mod block_hash;
mod block_weights;
mod call;
mod closing;
#[cfg(feature = "compare-executors")]
pub mod compare;
pub mod coverage;
pub mod debug;
mod first_write;
mod reader;
pub mod report;
pub mod retrace;
mod session;
#[cfg(test)]
mod tests;
mod transaction;

pub use block::{Block, parse_chain_id};
pub use block_hash::{included, parse_included};
pub use block_weights::{Admission, BlockWeights, Figures, LARGEST_FIGURE};
pub use call::{Call, Called, Invoked, call, invoke};
pub use closing::{Closed, Closing};
pub use first_write::FirstWrite;
pub use reader::{Classes, Reader, classes_of};
pub use session::{Run, Session};
pub use transaction::{Flags, Transaction};
