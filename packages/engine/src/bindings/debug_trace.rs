//! Executions recorded step by step.

use std::sync::Arc;

use napi::bindgen_prelude::*;
use napi_derive::napi;

use super::error::Result;
use super::promise::off_thread;
use super::state::State;
use super::state_execution::FunctionCall;
use super::transaction::Block;
use crate::release::Held;
use starkbox_engine_core::execution::{self, classes_of, debug};

/// What a trace may keep.
#[napi(object)]
pub struct TraceLimits {
    pub steps: u32,
    pub bytes: f64,
}

impl From<TraceLimits> for debug::Limits {
    fn from(limits: TraceLimits) -> Self {
        debug::Limits { steps: limits.steps as usize, bytes: limits.bytes as usize }
    }
}

/// A recorded execution.
#[napi]
pub struct DebugTrace {
    trace: Held<debug::Trace>,
}

impl DebugTrace {
    pub(super) fn new(trace: debug::Trace) -> Self {
        DebugTrace { trace: Held::new(Arc::new(trace)) }
    }
}

#[napi]
impl DebugTrace {
    /// Runs and system calls as JSON.
    #[napi(catch_unwind)]
    pub fn report(&self) -> Result<String> {
        Ok(self.trace.report()?)
    }

    /// Registers of consecutive steps in base64.
    #[napi(catch_unwind)]
    pub fn steps(&self, run: u32, first: u32, count: u32) -> Result<String> {
        Ok(self.trace.steps(run as usize, first as usize, count as usize)?)
    }

    /// Consecutive cells of a segment.
    #[napi(catch_unwind)]
    pub fn memory(
        &self,
        run: u32,
        segment: u32,
        first: u32,
        count: u32,
    ) -> Result<Vec<Option<String>>> {
        let [run, segment, first, count] = [run, segment, first, count].map(|part| part as usize);
        Ok(self.trace.memory(run, segment, first, count)?)
    }
}

#[napi]
impl State {
    /// Calls a function and records the call.
    #[napi(catch_unwind)]
    pub fn record_call<'env>(
        &self,
        env: &'env Env,
        block: &Block,
        call: FunctionCall,
        limits: TraceLimits,
    ) -> Result<PromiseRaw<'env, DebugTrace>> {
        let call = call.parse()?;
        let (state, at, block) = (self.inner.clone(), self.at, block.inner.clone());
        let limits = limits.into();
        off_thread(env, move || {
            let classes = classes_of(state.clone(), at, &[]);
            let called = || execution::call(state, at, &block, call);
            Ok(DebugTrace::new(debug::record(limits, classes, called)?))
        })
    }
}
