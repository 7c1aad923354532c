//! Transactions that are executed one after another on a temporary layer, in slices of time. Between two slices
//! no thread is held, so that other work gets its turn, and the caller can stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use napi::bindgen_prelude::*;
use napi_derive::napi;
use parking_lot::Mutex;

use super::arguments::duration;
use super::error::Result;
use super::execution::Execution;
use super::promise::off_thread;
use super::state::State;
use super::state_execution::SlotWrite;
use super::transaction::{Block, Flags, Transaction};
use crate::release::Held;
use starkbox_engine_core::error::{self, input};
use starkbox_engine_core::execution::retrace::{self, TraceOptions};
use starkbox_engine_core::execution::{self, FirstWrite, Run, Session, classes_of, report};

/// The transactions of a batch and the layer that they change.
pub(super) struct Batch {
    pub(super) session: Session,
    /// How many transactions the session has executed.
    executed: usize,
    pub(super) state: Arc<starkbox_engine_core::state::State>,
    pub(super) at: u64,
    block: Arc<execution::Block>,
    pub(super) transactions: Vec<Arc<execution::Transaction>>,
    pub(super) flags: Vec<execution::Flags>,
    /// Precedes the first transaction.
    first_write: Option<FirstWrite>,
}

impl Batch {
    pub(super) fn new(
        state: &State,
        block: &Block,
        transactions: &[ClassInstance<'_, Transaction>],
        flags: Vec<Flags>,
        first_write: Option<SlotWrite>,
    ) -> error::Result<Batch> {
        if flags.len() != transactions.len() {
            let counts = (flags.len(), transactions.len());
            return Err(input(format!("flags: {} for {} transactions", counts.0, counts.1)));
        }
        let (state, at, block) = (state.inner.clone(), state.at, block.inner.clone());
        let mut batch = Batch {
            session: Session::new(state.clone(), at, block.clone()),
            executed: 0,
            state,
            at,
            block,
            transactions: transactions.iter().map(|tx| tx.inner.clone()).collect(),
            flags: flags.into_iter().map(execution::Flags::from).collect(),
            first_write: first_write.as_ref().map(SlotWrite::parse).transpose()?,
        };
        batch.restart()?;
        Ok(batch)
    }
}

impl Batch {
    /// Begins again, because a suspended transaction may have changed the session.
    fn restart(&mut self) -> error::Result<()> {
        self.session = Session::new(self.state.clone(), self.at, self.block.clone());
        self.executed = 0;
        self.first_write.as_ref().map_or(Ok(()), |write| self.session.write(write))
    }

    /// Executes the transactions before the next one again, after a restart.
    fn execute_up_to(&mut self, next: usize) -> error::Result<()> {
        while self.executed < next {
            self.session.run(&self.transactions[self.executed], self.flags[self.executed])?;
            self.executed += 1;
        }
        Ok(())
    }
}

/// A batch that one slice at a time runs; without it after its end.
pub(super) struct Sliced {
    batch: Mutex<Option<Batch>>,
    /// Index of the next transaction.
    pub(super) next: AtomicU32,
}

impl Sliced {
    pub(super) fn held(batch: Batch) -> Held<Sliced> {
        Held::new(Arc::new(Sliced { batch: Mutex::new(Some(batch)), next: AtomicU32::new(0) }))
    }

    /// Runs `step` with the index of each next transaction until the time is over, but at least once, and not
    /// across `border`. The step gives the index after it. An error ends the batch.
    pub(super) fn run(
        &self,
        slice: Duration,
        border: usize,
        mut step: impl FnMut(&mut Batch, usize) -> error::Result<usize>,
    ) -> error::Result<()> {
        let Some(mut held) = self.batch.try_lock() else {
            return Err(input("a slice of this batch is running already"));
        };
        let Some(mut batch) = held.take() else { return Err(input("this batch has ended")) };
        let begun = Instant::now();
        let count = batch.transactions.len();
        let mut next = self.next.load(Ordering::Acquire) as usize;
        let until = if next < border { border.min(count) } else { count };
        while next < until {
            let result = batch.execute_up_to(next).and_then(|()| step(&mut batch, next));
            if is_suspended() {
                batch.restart()?;
                *held = Some(batch);
                return Ok(());
            }
            next = result?;
            batch.executed = next;
            self.next.store(next as u32, Ordering::Release);
            // A suspended call has no reports, so that none may precede its transaction.
            if cfg!(target_family = "wasm") || begun.elapsed() >= slice {
                break;
            }
        }
        if next < count {
            *held = Some(batch);
        }
        Ok(())
    }

    fn end(&self) -> Option<Batch> {
        self.batch.try_lock().and_then(|mut held| held.take())
    }
}

/// Whether the call is repeated with the answer that it lacks.
fn is_suspended() -> bool {
    #[cfg(target_family = "wasm")]
    return crate::suspension::is_suspended();
    #[cfg(not(target_family = "wasm"))]
    false
}

/// Frees a batch on a worker thread.
pub(super) fn end<'env>(env: &'env Env, sliced: &Held<Sliced>) -> Result<PromiseRaw<'env, ()>> {
    let batch = sliced.end();
    off_thread(env, move || {
        drop(batch);
        Ok(())
    })
}

/// Transactions that are executed and reported.
#[napi]
pub struct Simulation {
    sliced: Held<Sliced>,
    initial_reads: bool,
}

#[napi]
impl Simulation {
    #[napi(constructor, catch_unwind)]
    pub fn new(
        state: &State,
        block: &Block,
        transactions: Vec<ClassInstance<'_, Transaction>>,
        flags: Vec<Flags>,
        initial_reads: bool,
    ) -> Result<Simulation> {
        let batch = Batch::new(state, block, &transactions, flags, None)?;
        Ok(Simulation { sliced: Sliced::held(batch), initial_reads })
    }

    /// Index of the next transaction; their number if none is executed any more.
    #[napi(getter, catch_unwind)]
    pub fn next(&self) -> u32 {
        self.sliced.next.load(Ordering::Acquire)
    }

    /// Executes transactions for some time. The batch ends at the first that is rejected.
    #[napi(catch_unwind)]
    pub fn run<'env>(
        &self,
        env: &'env Env,
        slice_millis: f64,
    ) -> Result<PromiseRaw<'env, Vec<Execution>>> {
        let slice = duration("slice", slice_millis)?;
        let (sliced, initial_reads) = (Arc::clone(&self.sliced), self.initial_reads);
        off_thread(env, move || {
            let mut reports = Vec::new();
            sliced.run(slice, 0, |batch, index| {
                let transaction = &batch.transactions[index];
                let run = batch.session.run(transaction, batch.flags[index])?;
                let mut report = Execution::from_run(&run, transaction, batch.session.constants())?;
                let count = batch.transactions.len();
                let next = if matches!(run, Run::Rejected(_)) { count } else { index + 1 };
                if initial_reads && next == count {
                    report.reads = Some(report::initial_reads(&batch.session.initial_reads()?)?);
                }
                reports.push(report);
                Ok(next)
            })?;
            Ok(reports)
        })
    }

    /// Drops what is left of it.
    #[napi(catch_unwind)]
    pub fn end<'env>(&self, env: &'env Env) -> Result<PromiseRaw<'env, ()>> {
        end(env, &self.sliced)
    }
}

/// What is traced, and what is told of it.
#[napi(object)]
pub struct Traced {
    /// Index of the first traced transaction.
    pub first: u32,
    /// Whether visited statements are listed.
    pub visited: bool,
    /// Also what the machine did, with the registers of at most so many steps of each transaction.
    pub machine: Option<u32>,
}

/// Transactions that are executed, some with the machine's trace.
#[napi]
pub struct Retracing {
    sliced: Held<Sliced>,
    first: usize,
    options: TraceOptions,
}

#[napi]
impl Retracing {
    #[napi(constructor, catch_unwind)]
    pub fn new(
        state: &State,
        block: &Block,
        transactions: Vec<ClassInstance<'_, Transaction>>,
        flags: Vec<Flags>,
        traced: Traced,
        first_write: Option<SlotWrite>,
    ) -> Result<Retracing> {
        let batch = Batch::new(state, block, &transactions, flags, first_write)?;
        let machine = traced.machine.map(|most| most as usize);
        let options = TraceOptions { visited: traced.visited, machine };
        Ok(Retracing { sliced: Sliced::held(batch), first: traced.first as usize, options })
    }

    /// Index of the next transaction; their number if none is executed any more.
    #[napi(getter, catch_unwind)]
    pub fn next(&self) -> u32 {
        self.sliced.next.load(Ordering::Acquire)
    }

    /// Executes transactions for some time, and gives the frames of each traced one as JSON. A slice does not go
    /// on from transactions that are not traced to those that are.
    #[napi(catch_unwind)]
    pub fn run<'env>(
        &self,
        env: &'env Env,
        slice_millis: f64,
    ) -> Result<PromiseRaw<'env, Vec<String>>> {
        let slice = duration("slice", slice_millis)?;
        let (sliced, first, options) = (Arc::clone(&self.sliced), self.first, self.options);
        off_thread(env, move || {
            let mut reports = Vec::new();
            sliced.run(slice, first, |batch, index| {
                let Batch { session, state, at, block, transactions, flags, .. } = batch;
                let (transaction, flags) = (&transactions[index], flags[index]);
                if index < first {
                    session.run(transaction, flags)?;
                    return Ok(index + 1);
                }
                let classes = classes_of(state.clone(), *at, transactions);
                let (run, recorded) =
                    retrace::record(options, block.clone(), Box::new(classes.clone()), || {
                        session.run(transaction, flags)
                    });
                run?;
                reports.push(retrace::report(recorded, &classes)?);
                Ok(index + 1)
            })?;
            Ok(reports)
        })
    }

    /// Drops what is left of it.
    #[napi(catch_unwind)]
    pub fn end<'env>(&self, env: &'env Env) -> Result<PromiseRaw<'env, ()>> {
        end(env, &self.sliced)
    }
}
