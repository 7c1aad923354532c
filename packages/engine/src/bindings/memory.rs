//! Figures of the allocators, and the return of free memory.

use napi::bindgen_prelude::*;
use napi_derive::napi;

use super::error::Result;
use super::promise::off_thread;
use crate::memory;

#[napi(object)]
pub struct AllocatorFigures {
    pub engine_committed: f64,
    pub system_used: f64,
    pub system_free: f64,
}

#[napi(catch_unwind)]
pub fn allocator_figures() -> AllocatorFigures {
    let figures = memory::figures();
    AllocatorFigures {
        engine_committed: figures.engine_committed as f64,
        system_used: figures.system_used as f64,
        system_free: figures.system_free as f64,
    }
}

#[napi(catch_unwind)]
pub fn trim_memory(env: &Env) -> Result<PromiseRaw<'_, ()>> {
    off_thread(env, || {
        memory::trim();
        Ok(())
    })
}
