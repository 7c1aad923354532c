//! Where the compiler lies, and the versions of the parts.

use std::path::PathBuf;
use std::sync::Arc;

use napi_derive::napi;
use starkbox_engine_core::class::compiler;
use starkbox_engine_core::error::input;

use super::error::Result;
use crate::compiler::{CasmCache, CompilerProcess};

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
    compiler::set_compiler(Arc::new(CompilerProcess {
        executable: PathBuf::from(compiler),
        cache: cache.map(|folder| CasmCache::new(PathBuf::from(folder), cache_bytes)),
    }));
    Ok(())
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
