//! Contract classes.

use std::sync::Arc;

use napi::bindgen_prelude::*;
use napi_derive::napi;

use super::error::Result;
use super::promise::off_thread;
use crate::release::Held;
use starkbox_engine_core::class::{self, Limits};
use starkbox_engine_core::error::{self, catch_panic, input};
use starkbox_engine_core::felt::hex;

#[napi(object)]
pub struct ClassLimits {
    pub compiled_bytes: Option<f64>,
    pub bytecode_felts: Option<f64>,
    pub sierra_felts: Option<f64>,
    pub compile_millis: Option<f64>,
    pub compiler_memory: Option<f64>,
}

fn class_limits(given: Option<ClassLimits>) -> error::Result<Limits> {
    let mut limits = Limits::any_size();
    let Some(given) = given else { return Ok(limits) };
    for (name, limit, value) in [
        ("compiledBytes", &mut limits.compiled_bytes, given.compiled_bytes),
        ("bytecodeFelts", &mut limits.bytecode_felts, given.bytecode_felts),
        ("sierraFelts", &mut limits.sierra_felts, given.sierra_felts),
        ("compileMillis", &mut limits.compile_millis, given.compile_millis),
        ("compilerMemory", &mut limits.compiler_memory, given.compiler_memory),
    ] {
        match value {
            None => {}
            Some(value) if value >= 0.0 => *limit = value as u64,
            Some(value) => return Err(input(format!("{name}: {value} is not a limit"))),
        }
    }
    Ok(limits)
}

/// Compiles on a thread apart from the workers, where it may wait for a compiler process.
#[cfg(not(target_family = "wasm"))]
fn compile_apart(env: &Env, text: String, limits: Limits) -> Result<PromiseRaw<'_, Class>> {
    use napi::tokio;
    use starkbox_engine_core::error::{Failure, Kind};

    use super::error::rejection;

    /// Limits the threads that compilations hold, so that other blocking work finds a free one.
    static COMPILING: tokio::sync::Semaphore = tokio::sync::Semaphore::const_new(64);

    let compiled = async move {
        let _permit = COMPILING.acquire().await;
        let compile = move || catch_panic(move || class::Class::compile(&text, &limits));
        let lost = |error| Failure::new(Kind::Internal, format!("a worker was lost: {error}"));
        Ok(tokio::task::spawn_blocking(compile).await.map_err(lost).flatten())
    };
    let settle = |env: &Env, compiled: error::Result<Arc<class::Class>>| {
        compiled.map(Class::of).map_err(|failure| rejection(*env, failure))
    };
    Ok(env.spawn_future_with_callback(compiled, settle)?)
}

#[cfg(target_family = "wasm")]
fn compile_apart(env: &Env, text: String, limits: Limits) -> Result<PromiseRaw<'_, Class>> {
    off_thread(env, move || Ok(Class::of(class::Class::compile(&text, &limits)?)))
}

#[napi(object)]
pub struct ClassFigures {
    pub sierra_version: Option<String>,
    pub sierra_felts: u32,
    pub bytecode_felts: u32,
    pub abi_bytes: u32,
}

#[napi(object)]
pub struct UnauditedLibfunc {
    pub name: String,
    pub audited_since: Option<String>,
}

#[napi(object)]
pub struct SierraFunction {
    pub first: u32,
    pub id: f64,
}

#[napi]
pub struct Class {
    pub(super) inner: Held<class::Class>,
}

impl Class {
    pub(super) fn of(class: Arc<class::Class>) -> Class {
        Class { inner: Held::new(class) }
    }
}

#[napi]
impl Class {
    #[napi(catch_unwind)]
    pub fn compile(
        env: &Env,
        text: String,
        limits: Option<ClassLimits>,
    ) -> Result<PromiseRaw<'_, Class>> {
        compile_apart(env, text, class_limits(limits)?)
    }

    #[napi(catch_unwind)]
    pub fn with_casm(env: &Env, text: String, casm: String) -> Result<PromiseRaw<'_, Class>> {
        off_thread(env, move || Ok(Class::of(class::Class::with_casm(&text, &casm)?)))
    }

    #[napi(catch_unwind)]
    pub fn unpack(bytes: &[u8]) -> Result<Class> {
        Ok(Class::of(catch_panic(|| class::Class::unpack(bytes))?))
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

    /// Whether the pinned compiler has compiled it in this process.
    #[napi(getter, catch_unwind)]
    pub fn is_compiled_here(&self) -> bool {
        self.inner.is_own()
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
    pub fn unaudited_libfunc<'env>(
        &self,
        env: &'env Env,
    ) -> Result<PromiseRaw<'env, Option<UnauditedLibfunc>>> {
        let class = self.inner.clone();
        off_thread(env, move || {
            let libfunc = class.unaudited_libfunc()?;
            Ok(libfunc.map(|libfunc| UnauditedLibfunc {
                name: libfunc.name,
                audited_since: libfunc.audited_since,
            }))
        })
    }

    /// Each function's first Sierra statement and number, ordered by the statement.
    #[napi(catch_unwind)]
    pub fn functions<'env>(&self, env: &'env Env) -> Result<PromiseRaw<'env, Vec<SierraFunction>>> {
        let class = self.inner.clone();
        off_thread(env, move || {
            let statements = class.statements()?;
            let functions = statements.functions.iter();
            Ok(functions
                .map(|(first, id)| SierraFunction { first: *first as u32, id: *id as f64 })
                .collect())
        })
    }

    /// The Sierra statements that have bytecode, in order.
    #[napi(catch_unwind)]
    pub fn coded_statements<'env>(&self, env: &'env Env) -> Result<PromiseRaw<'env, Vec<u32>>> {
        let class = self.inner.clone();
        off_thread(env, move || Ok(class.statements()?.coded()))
    }

    /// The Sierra statements with the cells of their variables, as JSON text.
    #[napi(catch_unwind)]
    pub fn variables<'env>(&self, env: &'env Env) -> Result<PromiseRaw<'env, String>> {
        let class = self.inner.clone();
        off_thread(env, move || class.variables())
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
