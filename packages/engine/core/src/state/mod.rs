//! The state of a chain with its history, as an immutable value.

pub mod cell;
mod changes;
pub mod diff;
mod history;
pub mod image;
pub mod maps;
mod storage_list;

pub use changes::Changes;
pub use diff::{ClassChanges, Diff};
pub use maps::State;
pub use storage_list::StorageList;
