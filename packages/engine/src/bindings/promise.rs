//! Promises that a worker thread settles.

use napi::bindgen_prelude::*;

use crate::{error, fault, worker_pool};

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
        move |done| match done {
            Ok(value) => deferred.resolve(move |_| Ok(value)),
            Err(failure) => deferred.reject(failure.into()),
        },
    );
    Ok(PromiseRaw::new(env.raw(), promise.raw()))
}
