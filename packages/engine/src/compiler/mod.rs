//! The compiler: a process for each compilation, and a cache of its outputs on disk. On WebAssembly, JavaScript runs
//! it in an instance of its own.

#[cfg(not(target_family = "wasm"))]
mod casm_cache;
#[cfg(not(target_family = "wasm"))]
mod process;
#[cfg(target_family = "wasm")]
mod suspended;

#[cfg(not(target_family = "wasm"))]
pub use casm_cache::CasmCache;
#[cfg(not(target_family = "wasm"))]
pub use process::CompilerProcess;
#[cfg(target_family = "wasm")]
pub use suspended::SuspendedCompiler;
