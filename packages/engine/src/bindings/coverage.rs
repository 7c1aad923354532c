//! Reached offsets of bytecode.

use std::sync::Arc;

use napi_derive::napi;
use parking_lot::Mutex;

use super::error::Result;
use starkbox_engine_core::execution::coverage;

/// Offsets of bytecode that calls reached.
#[napi]
pub struct Coverage {
    pub(super) inner: Arc<Mutex<coverage::Coverage>>,
}

#[napi]
impl Coverage {
    #[napi(constructor, catch_unwind)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Coverage {
        Coverage { inner: Arc::new(Mutex::new(coverage::Coverage::default())) }
    }

    /// Number of reached offsets.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> f64 {
        self.inner.lock().size() as f64
    }

    /// Drops the offsets of the current run and begins another.
    #[napi(catch_unwind)]
    pub fn start(&self) {
        self.inner.lock().take();
    }

    /// Ends the current run and gives the offsets that it added, by class hash, as JSON. They are not kept.
    #[napi(catch_unwind)]
    pub fn take(&self) -> Result<String> {
        Ok(self.inner.lock().take_json()?)
    }

    /// Adds offsets in the form of `take`.
    #[napi(catch_unwind)]
    pub fn add(&self, offsets: String) -> Result<()> {
        Ok(self.inner.lock().add_json(&offsets)?)
    }
}
