//! Promises that a worker thread settles.

use napi::bindgen_prelude::{Env, JsValue, PromiseRaw, ToNapiValue};
use starkbox_engine_core::{error, fault};

use super::error::{Result, rejection};
use crate::worker_pool;

/// Runs work on a worker thread and returns a promise of its result. The worker settles the promise
/// itself, because handing the result to another thread first would cost a transfer some percent.
pub(super) fn off_thread<'env, T: ToNapiValue + Send + 'static>(
    env: &'env Env,
    work: impl FnOnce() -> error::Result<T> + Send + 'static,
) -> Result<PromiseRaw<'env, T>> {
    let (deferred, promise) = env.create_deferred()?;
    worker_pool::run(
        move || {
            fault::point("worker");
            work()
        },
        move |result| {
            deferred.resolve(move |env| result.map_err(|failure| rejection(env, failure)));
        },
    );
    Ok(PromiseRaw::new(env.raw(), promise.raw()))
}
