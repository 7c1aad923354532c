//! Executions recorded step by step.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use napi::bindgen_prelude::*;
use napi_derive::napi;

use super::arguments::duration;
use super::batch::{Batch, Sliced, end};
use super::error::Result;
use super::promise::off_thread;
use super::state::State;
use super::state_execution::{FunctionCall, SlotWrite};
use super::transaction::{Block, Flags, Transaction};
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
    fn new(trace: debug::Trace) -> Self {
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

/// Transactions that are executed, the last one recorded.
#[napi]
pub struct DebugRecording {
    sliced: Held<Sliced>,
    limits: debug::Limits,
    last: usize,
}

#[napi]
impl DebugRecording {
    #[napi(constructor, catch_unwind)]
    pub fn new(
        state: &State,
        block: &Block,
        transactions: Vec<ClassInstance<'_, Transaction>>,
        flags: Vec<Flags>,
        limits: TraceLimits,
        first_write: Option<SlotWrite>,
    ) -> Result<DebugRecording> {
        let last = transactions.len().saturating_sub(1);
        let batch = Batch::new(state, block, &transactions, flags, first_write)?;
        Ok(DebugRecording { sliced: Sliced::held(batch), limits: limits.into(), last })
    }

    /// Index of the next transaction; their number if none is executed any more.
    #[napi(getter, catch_unwind)]
    pub fn next(&self) -> u32 {
        self.sliced.next.load(Ordering::Acquire)
    }

    /// Executes transactions for some time, and gives the trace of the last one.
    #[napi(catch_unwind)]
    pub fn run<'env>(
        &self,
        env: &'env Env,
        slice_millis: f64,
    ) -> Result<PromiseRaw<'env, Vec<DebugTrace>>> {
        let slice = duration("slice", slice_millis)?;
        let (sliced, last, limits) = (Arc::clone(&self.sliced), self.last, self.limits);
        off_thread(env, move || {
            let mut traces = Vec::new();
            sliced.run(slice, last, |batch, index| {
                let Batch { session, state, at, transactions, flags, .. } = batch;
                let (transaction, flags) = (&transactions[index], flags[index]);
                if index < last {
                    session.run(transaction, flags)?;
                    return Ok(index + 1);
                }
                let classes = classes_of(state.clone(), *at, transactions);
                let (run, trace) =
                    debug::record(limits, Box::new(classes), || session.run(transaction, flags));
                run?;
                traces.push(DebugTrace::new(trace));
                Ok(index + 1)
            })?;
            Ok(traces)
        })
    }

    /// Drops what is left of it.
    #[napi(catch_unwind)]
    pub fn end<'env>(&self, env: &'env Env) -> Result<PromiseRaw<'env, ()>> {
        end(env, &self.sliced)
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
            let (called, trace) = debug::record(limits, Box::new(classes), || {
                execution::call(state, at, &block, call)
            });
            called?;
            Ok(DebugTrace::new(trace))
        })
    }
}
