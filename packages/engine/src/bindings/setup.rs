//! Where the compiler lies, and the versions of the parts.

use std::sync::Arc;

use napi_derive::napi;
use starkbox_engine_core::class::compiler;
use starkbox_engine_core::error::input;

use super::error::Result;

/// What compiled classes take on disk by default.
const CACHE_BYTES: u64 = 1 << 30;

/// Sets the compiler's path, its cache and how many bytes that may hold. Called on loading; a later call
/// replaces the values.
#[napi(catch_unwind)]
pub fn configure(compiler: String, cache: Option<String>, cache_bytes: Option<f64>) -> Result<()> {
    let cache_bytes = match cache_bytes {
        None => CACHE_BYTES,
        Some(bytes) if bytes >= 0.0 => bytes as u64,
        Some(bytes) => return Err(input(format!("cacheBytes: {bytes} is not a limit")).into()),
    };
    compiler::set_compiler(host_compiler(compiler, cache, cache_bytes));
    Ok(())
}

#[cfg(not(target_family = "wasm"))]
fn host_compiler(
    executable: String,
    cache: Option<String>,
    cache_bytes: u64,
) -> Arc<dyn compiler::Compiler> {
    use std::path::PathBuf;

    use crate::compiler::{CasmCache, CompilerProcess};

    Arc::new(CompilerProcess {
        executable: PathBuf::from(executable),
        cache: cache.map(|folder| CasmCache::new(PathBuf::from(folder), cache_bytes)),
    })
}

/// JavaScript has the executable and the cache.
#[cfg(target_family = "wasm")]
fn host_compiler(
    _executable: String,
    _cache: Option<String>,
    _cache_bytes: u64,
) -> Arc<dyn compiler::Compiler> {
    Arc::new(crate::compiler::SuspendedCompiler)
}

#[napi(object)]
pub struct Versions {
    pub compiler: String,
    pub sierra: String,
    pub starknet: String,
}

#[napi(catch_unwind)]
pub fn versions() -> Versions {
    Versions {
        compiler: compiler::version(),
        sierra: compiler::newest_sierra().to_string(),
        starknet: starknet_api::block::StarknetVersion::LATEST.to_string(),
    }
}

/// Makes a place of the engine fail, once.
#[cfg(feature = "fault-injection")]
#[napi(catch_unwind)]
pub fn arm_fault(name: String) {
    starkbox_engine_core::fault::arm(name);
}
