//! Contract classes: reading, hashing, compiling and packing them.

mod audited;
mod checksum;
pub mod compiler;
mod compression;
mod contract_class;
mod limits;
mod packed;
mod runnable;
pub mod sierra;
mod sierra_version;
mod source;
mod statement_map;
mod statements;
#[cfg(test)]
mod tests;

pub use contract_class::Class;
pub use limits::Limits;
pub use statement_map::{Hints, Statements};
