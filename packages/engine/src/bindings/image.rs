//! Reading and writing of state images.

use std::sync::Arc;

use napi::bindgen_prelude::*;
use napi_derive::napi;
use parking_lot::Mutex;

use super::error::Result;
use super::promise::off_thread;
use super::state::State;
use super::state_source::StateSource;
use crate::release::Held;
use starkbox_engine_core::error::{Failure, Kind};
use starkbox_engine_core::state::image;

#[napi]
pub struct StateExport {
    inner: Held<Mutex<image::Export>>,
}

#[napi]
impl StateExport {
    #[napi(constructor, catch_unwind)]
    pub fn new(state: &State) -> Result<StateExport> {
        let export = image::Export::new(state.writable()?.clone());
        Ok(StateExport { inner: Held::new(Arc::new(Mutex::new(export))) })
    }

    /// The next piece; null at the end.
    #[napi(catch_unwind)]
    pub fn next<'env>(&self, env: &'env Env) -> Result<PromiseRaw<'env, Option<Buffer>>> {
        let export = self.inner.clone();
        off_thread(env, move || Ok(export.lock().next_piece().map(Buffer::from)))
    }
}

#[napi]
pub struct StateImport {
    inner: Held<Mutex<Option<image::Import>>>,
}

#[napi]
impl StateImport {
    #[napi(constructor, catch_unwind)]
    pub fn new(source: Option<&StateSource>) -> StateImport {
        let import = image::Import::new(source.map(|source| source.inner.clone()));
        StateImport { inner: Held::new(Arc::new(Mutex::new(Some(import)))) }
    }

    #[napi(catch_unwind)]
    pub fn push<'env>(&self, env: &'env Env, piece: Buffer) -> Result<PromiseRaw<'env, ()>> {
        let import = self.inner.clone();
        let piece = piece.to_vec();
        off_thread(env, move || {
            let mut import = import.lock();
            // It is lost if reading fails or panics.
            let mut reading = import.take().ok_or_else(spent)?;
            reading.push(&piece)?;
            *import = Some(reading);
            Ok(())
        })
    }

    #[napi(catch_unwind)]
    pub fn finish<'env>(&self, env: &'env Env) -> Result<PromiseRaw<'env, State>> {
        let import = self.inner.clone();
        off_thread(env, move || {
            let state = import.lock().take().ok_or_else(spent)?.finish()?;
            Ok(State::head(Arc::new(state)))
        })
    }
}

fn spent() -> Failure {
    Failure::new(Kind::Image, "this import has already ended")
}
