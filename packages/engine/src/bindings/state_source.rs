//! The origin of a fork: a JavaScript callback that answers reads.

use std::sync::Arc;

use napi::bindgen_prelude::*;
use napi::threadsafe_function::ThreadsafeFunction;
use napi_derive::napi;

use super::arguments::time_limit;
use crate::release::Held;
use crate::{fault, origin};

type Answered = Option<Either<String, Buffer>>;
type AskJs = ThreadsafeFunction<String, Promise<Answered>, String, Status, false, true>;

#[napi]
pub struct Origin {
    pub(super) inner: Held<origin::Origin>,
}

#[napi]
impl Origin {
    /// `ask` receives a question as JSON and promises a felt, a class as JSON or packed, or null.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        #[napi(ts_arg_type = "(question: string) => Promise<string | Uint8Array | null>")]
        ask: AskJs,
        time_limit_millis: Option<f64>,
    ) -> Result<Origin> {
        let time_limit = time_limit("timeLimit", time_limit_millis)?;
        let ask = move |question: String| {
            fault::point("origin");
            // An exception of the callback would end the process without `catch`.
            let answer = async { ask.call_async_catch(question).await?.await };
            // Runs on worker threads only: the JavaScript thread would wait for itself.
            let answered: Answered = block_on(answer).map_err(|error| error.reason.clone())?;
            Ok(answered.map(|reply| match reply {
                Either::A(text) => origin::Reply::Text(text),
                Either::B(bytes) => origin::Reply::Packed(bytes.to_vec()),
            }))
        };
        let origin = origin::Origin::new(Box::new(ask), time_limit);
        Ok(Origin { inner: Held::new(Arc::new(origin)) })
    }

    /// How many different questions have been asked.
    #[napi(getter, catch_unwind)]
    pub fn answers(&self) -> u32 {
        self.inner.answers() as u32
    }
}
