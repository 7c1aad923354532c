//! State images: the binary form of a whole state with its history.

mod export;
mod format;
mod import;
mod record_reader;

pub use export::Export;
pub use import::Import;
