//! Promises that a worker thread settles.

use napi::bindgen_prelude::{Env, PromiseRaw, ToNapiValue};
use starkbox_engine_core::{error, fault};

use super::error::Result;

/// Runs work on a worker thread and returns a promise of its result. The worker settles the promise
/// itself, because handing the result to another thread first would cost a transfer some percent.
#[cfg(not(target_family = "wasm"))]
pub(super) fn off_thread<'env, T: ToNapiValue + Send + 'static>(
    env: &'env Env,
    work: impl FnOnce() -> error::Result<T> + Send + 'static,
) -> Result<PromiseRaw<'env, T>> {
    use napi::bindgen_prelude::JsValue;

    use super::error::rejection;

    let (deferred, promise) = env.create_deferred()?;
    crate::worker_pool::run(
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

/// Runs work and returns a settled promise of its result: there is no other thread. Work that was suspended is
/// rejected with its request, whatever it made of the failed read.
#[cfg(target_family = "wasm")]
pub(super) fn off_thread<'env, T: ToNapiValue + Send + 'static>(
    env: &'env Env,
    work: impl FnOnce() -> error::Result<T> + Send + 'static,
) -> Result<PromiseRaw<'env, T>> {
    use crate::suspension;

    suspension::take_request();
    let result = error::catch_panic(|| {
        fault::point("worker");
        work()
    });
    if let Some(request) = suspension::take_request() {
        let error = napi::JsError::from(napi::Error::new(suspension::CODE.to_owned(), request));
        return Ok(PromiseRaw::reject(env, error.into_unknown(*env))?);
    }
    match result {
        Ok(value) => Ok(PromiseRaw::resolve(env, value)?),
        Err(failure) => {
            let error = napi::JsError::from(super::error::Thrown::Engine(failure));
            Ok(PromiseRaw::reject(env, error.into_unknown(*env))?)
        }
    }
}
