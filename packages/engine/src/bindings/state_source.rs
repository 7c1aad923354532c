//! The source below a state: a JavaScript callback that answers reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use napi_derive::napi;
use starkbox_engine_core::state_source;

use super::arguments::time_limit;
use super::error::Result;
use super::source_backend::{Ask, Backend};
use crate::release::Held;

#[napi]
pub struct StateSource {
    pub(super) inner: Held<state_source::StateSource>,
    id: u32,
}

static NEXT_ID: AtomicU32 = AtomicU32::new(0);

#[napi]
impl StateSource {
    /// `ask` receives a question as JSON and promises a felt, a class as JSON or packed, or null.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        #[napi(ts_arg_type = "(question: string) => Promise<string | Uint8Array | null>")]
        ask: Ask<'_>,
        time_limit_millis: Option<f64>,
    ) -> Result<StateSource> {
        let time_limit = time_limit("timeLimit", time_limit_millis)?;
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        let backend = Box::new(Backend::new(id, ask));
        let source = state_source::StateSource::new(backend, time_limit);
        Ok(StateSource { inner: Held::new(Arc::new(source)), id })
    }

    /// Number of the source in requests of suspended calls.
    #[napi(getter, catch_unwind)]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// How many different questions have been asked.
    #[napi(getter, catch_unwind)]
    pub fn answers(&self) -> u32 {
        self.inner.answers() as u32
    }
}
