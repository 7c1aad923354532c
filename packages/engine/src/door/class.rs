//! Classes and the origins of forks, as JavaScript holds them.

use std::sync::Arc;

use napi::bindgen_prelude::*;
use napi::threadsafe_function::ThreadsafeFunction;
use napi::tokio;
use napi_derive::napi;

use super::{off_thread, patience};
use crate::error::{Failure, Kind, Outcome, guarded, input};
use crate::felt::hex;
use crate::limits::Limits;
use crate::{class, origin};

#[napi(object)]
pub struct ClassLimits {
    pub compiled_bytes: Option<f64>,
    pub bytecode_felts: Option<f64>,
    pub sierra_felts: Option<f64>,
    pub compile_millis: Option<f64>,
    pub compile_bytes: Option<f64>,
}

fn class_limits(given: Option<ClassLimits>) -> Outcome<Limits> {
    let mut limits = Limits::none();
    let Some(given) = given else { return Ok(limits) };
    for (name, limit, value) in [
        ("compiledBytes", &mut limits.compiled_bytes, given.compiled_bytes),
        ("bytecodeFelts", &mut limits.bytecode_felts, given.bytecode_felts),
        ("sierraFelts", &mut limits.sierra_felts, given.sierra_felts),
        ("compileMillis", &mut limits.compile_millis, given.compile_millis),
        ("compileBytes", &mut limits.compile_bytes, given.compile_bytes),
    ] {
        match value {
            None => {}
            Some(value) if value >= 0.0 => *limit = value as u64,
            Some(value) => return Err(input(format!("{name}: {value} is not a limit"))),
        }
    }
    Ok(limits)
}

/// Compilations wait in line without a thread; others must find one free.
static COMPILING: tokio::sync::Semaphore = tokio::sync::Semaphore::const_new(64);

#[napi(object)]
pub struct ClassFigures {
    pub sierra_version: Option<String>,
    pub sierra_felts: u32,
    pub bytecode_felts: u32,
    pub abi_bytes: u32,
}

#[napi]
pub struct Class {
    pub(super) inner: Arc<class::Class>,
}

#[napi]
impl Class {
    #[napi(catch_unwind)]
    pub fn compile(
        env: &Env,
        text: String,
        limits: Option<ClassLimits>,
    ) -> Result<PromiseRaw<'_, Class>> {
        let limits = class_limits(limits)?;
        env.spawn_future(async move {
            let _place = COMPILING.acquire().await;
            let compile = move || guarded(move || class::Class::compile(&text, &limits));
            let done = tokio::task::spawn_blocking(compile).await;
            let lost = |error| Failure::new(Kind::Internal, format!("a worker was lost: {error}"));
            Ok(Class { inner: done.map_err(lost).map_err(Error::from)?? })
        })
    }

    #[napi(catch_unwind)]
    pub fn with_casm(env: &Env, text: String, casm: String) -> Result<PromiseRaw<'_, Class>> {
        off_thread(env, move || Ok(Class { inner: class::Class::with_casm(&text, &casm)? }))
    }

    #[napi(catch_unwind)]
    pub fn unpack(bytes: &[u8]) -> Result<Class> {
        Ok(Class { inner: guarded(|| class::Class::unpack(bytes))? })
    }

    #[napi(catch_unwind)]
    pub fn pack<'env>(&self, env: &'env Env) -> Result<PromiseRaw<'env, Buffer>> {
        let class = self.inner.clone();
        off_thread(env, move || Ok(Buffer::from(class.pack()?)))
    }

    #[napi(catch_unwind)]
    pub fn warm<'env>(&self, env: &'env Env) -> Result<PromiseRaw<'env, ()>> {
        let class = self.inner.clone();
        off_thread(env, move || class.runnable().map(|_| ()))
    }

    #[napi(catch_unwind)]
    pub fn hash_of(env: &Env, text: String) -> Result<PromiseRaw<'_, String>> {
        off_thread(env, move || class::Class::hash_of(&text).map(hex))
    }

    #[napi(getter, catch_unwind)]
    pub fn hash(&self) -> String {
        hex(self.inner.hash)
    }

    #[napi(getter, catch_unwind)]
    pub fn is_sierra(&self) -> bool {
        self.inner.is_sierra()
    }

    #[napi(getter, catch_unwind)]
    pub fn compiled_class_hash(&self) -> Option<String> {
        self.inner.compiled_hash.map(hex)
    }

    #[napi(getter, catch_unwind)]
    pub fn figures(&self) -> ClassFigures {
        ClassFigures {
            sierra_version: self.inner.sierra_version.as_ref().map(ToString::to_string),
            sierra_felts: self.inner.sierra_felts as u32,
            bytecode_felts: self.inner.bytecode_felts as u32,
            abi_bytes: self.inner.abi_bytes as u32,
        }
    }

    #[napi(catch_unwind)]
    pub fn compiled_class_hash_poseidon<'env>(
        &self,
        env: &'env Env,
    ) -> Result<PromiseRaw<'env, Option<String>>> {
        let class = self.inner.clone();
        off_thread(env, move || Ok(class.compiled_hash_poseidon()?.map(hex)))
    }

    #[napi(catch_unwind)]
    pub fn wire<'env>(&self, env: &'env Env) -> Result<PromiseRaw<'env, String>> {
        let class = self.inner.clone();
        off_thread(env, move || class.wire_text())
    }

    #[napi(catch_unwind)]
    pub fn casm<'env>(&self, env: &'env Env) -> Result<PromiseRaw<'env, String>> {
        let class = self.inner.clone();
        off_thread(env, move || class.casm_text())
    }
}

type Answered = Option<Either<String, Buffer>>;
type AskJs = ThreadsafeFunction<String, Promise<Answered>, String, Status, false, true>;

#[napi]
pub struct Origin {
    pub(super) inner: Arc<origin::Origin>,
}

#[napi]
impl Origin {
    /// `ask` receives a question as JSON and promises a felt, a class as JSON or packed, or null.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        #[napi(ts_arg_type = "(question: string) => Promise<string | Uint8Array | null>")]
        ask: AskJs,
        patience_millis: Option<f64>,
    ) -> Result<Origin> {
        let patience = patience("patience", patience_millis)?;
        let ask = move |question: String| {
            // Only worker threads come here; the JavaScript thread would wait for itself.
            let answered: Answered = block_on(async { ask.call_async(question).await?.await })
                .map_err(|error| error.reason.clone())?;
            Ok(answered.map(|reply| match reply {
                Either::A(text) => origin::Reply::Text(text),
                Either::B(bytes) => origin::Reply::Packed(bytes.to_vec()),
            }))
        };
        Ok(Origin { inner: Arc::new(origin::Origin::new(Box::new(ask), patience)) })
    }

    /// How many questions have been asked.
    #[napi(getter, catch_unwind)]
    pub fn answers(&self) -> u32 {
        self.inner.answers() as u32
    }
}
