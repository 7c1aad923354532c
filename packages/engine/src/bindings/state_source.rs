//! The source below a state: a JavaScript callback that answers reads.

use std::sync::Arc;
use std::time::{Duration, Instant};

use napi::bindgen_prelude::*;
use napi::threadsafe_function::ThreadsafeFunction;
use napi_derive::napi;
use starkbox_engine_core::fault;
use starkbox_engine_core::state_source::{self, Reply, SourceBackend};

use super::arguments::time_limit;
use super::error::Result;
use crate::release::Held;

type Answer = Option<Either<String, Buffer>>;
type AskJs = ThreadsafeFunction<String, Promise<Answer>, String, Status, false, true>;

struct Callback {
    ask: AskJs,
    made: Instant,
}

impl SourceBackend for Callback {
    fn ask(&self, question: String) -> std::result::Result<Option<Reply>, String> {
        fault::point("source");
        // An exception of the callback would end the process without `catch`.
        let answer = async { self.ask.call_async_catch(question).await?.await };
        // Runs on worker threads only: the JavaScript thread would wait for itself.
        let answer: Answer = block_on(answer).map_err(|error| error.reason.clone())?;
        Ok(answer.map(|reply| match reply {
            Either::A(text) => Reply::Text(text),
            Either::B(bytes) => Reply::Packed(bytes.to_vec()),
        }))
    }

    fn now(&self) -> Duration {
        self.made.elapsed()
    }
}

#[napi]
pub struct StateSource {
    pub(super) inner: Held<state_source::StateSource>,
}

#[napi]
impl StateSource {
    /// `ask` receives a question as JSON and promises a felt, a class as JSON or packed, or null.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        #[napi(ts_arg_type = "(question: string) => Promise<string | Uint8Array | null>")]
        ask: AskJs,
        time_limit_millis: Option<f64>,
    ) -> Result<StateSource> {
        let time_limit = time_limit("timeLimit", time_limit_millis)?;
        let callback = Callback { ask, made: Instant::now() };
        let source = state_source::StateSource::new(Box::new(callback), time_limit);
        Ok(StateSource { inner: Held::new(Arc::new(source)) })
    }

    /// How many different questions have been asked.
    #[napi(getter, catch_unwind)]
    pub fn answers(&self) -> u32 {
        self.inner.answers() as u32
    }
}
