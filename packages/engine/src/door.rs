//! The door between JavaScript and the engine: handles, plain values, typed failures.
//!
//! Every function behind it is thin. Reads that are in memory answer at once; everything that
//! executes, compiles, hashes a block or may wait for an origin runs on a worker thread.

mod bench;
mod class;
mod execution;
mod hash;
mod image;
mod lock;
mod state;
mod transaction;

use std::path::PathBuf;
use std::sync::{Arc, LazyLock, mpsc};
use std::time::Duration;

use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::compiler;
use crate::error::{Outcome, guarded, input};
use crate::state::State;
use crate::workers;

/// Runs work on a worker thread and gives JavaScript a promise of it. The worker settles the promise
/// itself: each hand-over to another thread would cost a transfer some percent.
fn off_thread<'env, T: ToNapiValue + Send + 'static>(
    env: &'env Env,
    work: impl FnOnce() -> Outcome<T> + Send + 'static,
) -> Result<PromiseRaw<'env, T>> {
    let (deferred, promise) = env.create_deferred()?;
    workers::run(
        move || guarded(work),
        move |done| match done {
            Ok(value) => deferred.resolve(move |_| Ok(value)),
            Err(failure) => deferred.reject(failure.into()),
        },
    );
    Ok(PromiseRaw::new(env.raw(), promise.raw()))
}

/// Lets go of a state. The last owner of a large one would be busy freeing it for a while, so a
/// thread of its own does that: no collection of garbage stops the JavaScript thread.
fn let_go(state: Arc<State>) {
    static REAPER: LazyLock<mpsc::Sender<Arc<State>>> = LazyLock::new(|| {
        let (sender, receiver) = mpsc::channel::<Arc<State>>();
        std::thread::spawn(move || receiver.into_iter().for_each(drop));
        sender
    });
    if Arc::strong_count(&state) == 1 {
        let _ = REAPER.send(state);
    }
}

fn version_number(what: &str, number: f64) -> Outcome<u64> {
    const MOST: f64 = 9_007_199_254_740_991.0;
    if number.fract() == 0.0 && (0.0..=MOST).contains(&number) {
        Ok(number as u64)
    } else {
        Err(input(format!("{what}: {number} is not a block number")))
    }
}

/// How long something may take, from milliseconds.
fn patience(what: &str, millis: Option<f64>) -> Outcome<Option<Duration>> {
    let patience = millis.map(|millis| Duration::try_from_secs_f64(millis / 1000.0)).transpose();
    patience.map_err(|error| input(format!("{what}: {error}")))
}

/// Where the compiler and its cache are. The door says so on loading; a later call replaces it.
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
