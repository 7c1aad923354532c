//! Where the compiler lies, and the versions of the parts.

use std::path::PathBuf;

use napi_derive::napi;

use crate::class::compiler;

/// Sets the compiler's path and its cache. Called on loading; a later call replaces the values.
#[napi(catch_unwind)]
pub fn configure(compiler: String, cache: Option<String>) {
    compiler::set_up(compiler::Setup {
        executable: PathBuf::from(compiler),
        cache: cache.map(PathBuf::from),
    });
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
pub fn arm_fault(place: String) {
    crate::fault::arm(place);
}
