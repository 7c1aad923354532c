//! The compiler: a process for each compilation, and a cache of its outputs on disk.

mod casm_cache;
mod process;

pub use casm_cache::CasmCache;
pub use process::CompilerProcess;
