//! Transactions that are executed one after another on a temporary layer, in slices of time. Between two slices
//! no thread is held, so that other work gets its turn, and the caller can stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use napi::bindgen_prelude::*;
use napi_derive::napi;
use parking_lot::Mutex;

use super::arguments::duration;
use super::debug_trace::{DebugTrace, TraceLimits};
use super::error::Result;
use super::execution::{Content, Execution};
use super::promise::off_thread;
use super::state::State;
use super::state_execution::SlotWrite;
use super::transaction::{Block, Flags, Transaction};
use crate::release::Held;
use starkbox_engine_core::error::{self, input};
use starkbox_engine_core::execution::{
    self, Classes, FirstWrite, Run, Session, classes_of, debug, report, retrace,
};

/// Bytes of reports after which a slice ends, because the thread of JavaScript converts them at once.
const SLICE_BYTES: usize = 1 << 20;

/// The transactions of a batch and the layer that they change.
struct Work {
    session: Session,
    /// How many transactions the session has executed.
    executed: usize,
    state: Arc<starkbox_engine_core::state::State>,
    at: u64,
    block: Arc<execution::Block>,
    transactions: Vec<Arc<execution::Transaction>>,
    flags: Vec<execution::Flags>,
    /// Precedes the first transaction.
    first_write: Option<FirstWrite>,
}

impl Work {
    fn new(
        state: &State,
        block: &Block,
        transactions: &[ClassInstance<'_, Transaction>],
        flags: Vec<Flags>,
        first_write: Option<SlotWrite>,
    ) -> error::Result<Work> {
        if flags.len() != transactions.len() {
            let counts = (flags.len(), transactions.len());
            return Err(input(format!("flags: {} for {} transactions", counts.0, counts.1)));
        }
        let (state, at, block) = (state.inner.clone(), state.at, block.inner.clone());
        let mut work = Work {
            session: Session::new(state.clone(), at, block.clone()),
            executed: 0,
            state,
            at,
            block,
            transactions: transactions.iter().map(|tx| tx.inner.clone()).collect(),
            flags: flags.into_iter().map(execution::Flags::from).collect(),
            first_write: first_write.as_ref().map(SlotWrite::parse).transpose()?,
        };
        work.restart()?;
        Ok(work)
    }

    /// Begins again, because a suspended transaction may have changed the session.
    fn restart(&mut self) -> error::Result<()> {
        self.session = Session::new(self.state.clone(), self.at, self.block.clone());
        self.executed = 0;
        self.first_write.as_ref().map_or(Ok(()), |write| self.session.write(write))
    }

    /// Executes the transactions before the next one again, after a restart.
    fn execute_up_to(&mut self, next: usize) -> error::Result<()> {
        while self.executed < next {
            self.run(self.executed)?;
            self.executed += 1;
        }
        Ok(())
    }

    fn run(&mut self, index: usize) -> error::Result<Run> {
        self.session.run(&self.transactions[index], self.flags[index])
    }
}

/// Work that one slice at a time continues; without it after its end.
struct Sliced {
    work: Mutex<Option<Work>>,
    /// Index of the next transaction.
    next: AtomicU32,
}

impl Sliced {
    /// Runs `step` with the index of each next transaction until the time is over or the reports are long, but at least
    /// once, and not across `border`. The step gives the index after it, and the bytes of its report. An error ends the
    /// batch.
    fn run(
        &self,
        slice: Duration,
        border: usize,
        mut step: impl FnMut(&mut Work, usize) -> error::Result<(usize, usize)>,
    ) -> error::Result<()> {
        let Some(mut held) = self.work.try_lock() else {
            return Err(input("a slice of this batch is running already"));
        };
        let Some(mut work) = held.take() else { return Err(input("this batch has ended")) };
        let begun = Instant::now();
        let count = work.transactions.len();
        let mut bytes = 0;
        let mut next = self.next.load(Ordering::Acquire) as usize;
        let until = if next < border { border.min(count) } else { count };
        while next < until {
            let result = work.execute_up_to(next).and_then(|()| step(&mut work, next));
            if is_suspended() {
                work.restart()?;
                *held = Some(work);
                return Ok(());
            }
            let (after, length) = result?;
            next = after;
            bytes += length;
            work.executed = next;
            self.next.store(next as u32, Ordering::Release);
            // A suspended call has no reports, so that none may precede its transaction.
            if cfg!(target_family = "wasm") || begun.elapsed() >= slice || bytes >= SLICE_BYTES {
                break;
            }
        }
        if next < count {
            *held = Some(work);
        }
        Ok(())
    }
}

/// Whether the call is repeated with the answer that it lacks.
fn is_suspended() -> bool {
    #[cfg(target_family = "wasm")]
    return crate::suspension::is_suspended();
    #[cfg(not(target_family = "wasm"))]
    false
}

/// Transactions that are executed one after another.
#[napi]
pub struct Batch {
    sliced: Held<Sliced>,
}

#[napi]
impl Batch {
    #[napi(constructor, catch_unwind)]
    pub fn new(
        state: &State,
        block: &Block,
        transactions: Vec<ClassInstance<'_, Transaction>>,
        flags: Vec<Flags>,
        first_write: Option<SlotWrite>,
    ) -> Result<Batch> {
        let work = Work::new(state, block, &transactions, flags, first_write)?;
        let sliced = Sliced { work: Mutex::new(Some(work)), next: AtomicU32::new(0) };
        Ok(Batch { sliced: Held::new(Arc::new(sliced)) })
    }

    /// Index of the next transaction; their number if none is executed any more.
    #[napi(getter, catch_unwind)]
    pub fn next(&self) -> u32 {
        self.sliced.next.load(Ordering::Acquire)
    }

    /// Executes transactions for some time, and reports each. The batch ends at the first that is rejected.
    #[napi(catch_unwind)]
    pub fn simulate<'env>(
        &self,
        env: &'env Env,
        slice_millis: f64,
        content: Content,
        initial_reads: bool,
    ) -> Result<PromiseRaw<'env, Vec<Execution>>> {
        let slice = duration("slice", slice_millis)?;
        let sliced = Arc::clone(&self.sliced);
        off_thread(env, move || {
            let mut reports = Vec::new();
            sliced.run(slice, 0, |work, index| {
                let run = work.run(index)?;
                let (transaction, constants) =
                    (&work.transactions[index], work.session.constants());
                let mut report = Execution::from_run(&run, transaction, constants, content)?;
                let count = work.transactions.len();
                let next = if matches!(run, Run::Rejected(_)) { count } else { index + 1 };
                if initial_reads && next == count {
                    report.reads = Some(report::initial_reads(&work.session.initial_reads()?)?);
                }
                let bytes = report.length();
                reports.push(report);
                Ok((next, bytes))
            })?;
            Ok(reports)
        })
    }

    /// Executes transactions for some time, and gives the frames of each from `first` on as JSON, with the visited
    /// statements if they are wanted.
    #[napi(catch_unwind)]
    pub fn retrace<'env>(
        &self,
        env: &'env Env,
        slice_millis: f64,
        first: u32,
        visited: bool,
    ) -> Result<PromiseRaw<'env, Vec<String>>> {
        self.trace(env, slice_millis, first, move |classes, run| {
            retrace::retrace(visited, classes, run)
        })
    }

    /// Executes transactions for some time, and records each from `first` on step by step.
    #[napi(catch_unwind)]
    pub fn record<'env>(
        &self,
        env: &'env Env,
        slice_millis: f64,
        first: u32,
        limits: TraceLimits,
    ) -> Result<PromiseRaw<'env, Vec<DebugTrace>>> {
        let limits = limits.into();
        self.trace(env, slice_millis, first, move |classes, run| {
            Ok(DebugTrace::new(debug::record(limits, classes, run)?))
        })
    }

    /// Drops what is left of it, on a worker thread.
    #[napi(catch_unwind)]
    pub fn end<'env>(&self, env: &'env Env) -> Result<PromiseRaw<'env, ()>> {
        let work = self.sliced.work.try_lock().and_then(|mut held| held.take());
        off_thread(env, move || {
            drop(work);
            Ok(())
        })
    }
}

impl Batch {
    /// Executes transactions for some time, those from `first` on by `trace`. A slice does not go on from transactions
    /// that are not traced to those that are.
    fn trace<'env, T: ToNapiValue + Send + 'static>(
        &self,
        env: &'env Env,
        slice_millis: f64,
        first: u32,
        trace: impl Fn(Classes, &mut dyn FnMut() -> error::Result<Run>) -> error::Result<T>
        + Send
        + 'static,
    ) -> Result<PromiseRaw<'env, Vec<T>>> {
        let slice = duration("slice", slice_millis)?;
        let (sliced, first) = (Arc::clone(&self.sliced), first as usize);
        off_thread(env, move || {
            let mut traces = Vec::new();
            sliced.run(slice, first, |work, index| {
                if index < first {
                    work.run(index)?;
                } else {
                    let classes = classes_of(work.state.clone(), work.at, &work.transactions);
                    traces.push(trace(classes, &mut || work.run(index))?);
                }
                Ok((index + 1, 0))
            })?;
            Ok(traces)
        })
    }
}
