//! Functions for the benchmarks.

use std::sync::Arc;

use napi::bindgen_prelude::*;
use napi_derive::napi;

use super::arguments::at_most;
use super::error::Result;
use super::promise::off_thread;
use super::state::State;
use super::transaction::{Block, Transaction};
use crate::bench;
use starkbox_engine_core::felt::parse_address;
use starkbox_engine_core::state;

use crate::release;

/// Copies, writes, slots or reads of one call.
const MOST: u32 = 10_000_000;

#[napi(object)]
pub struct Freed {
    pub count: f64,
    pub longest_millis: f64,
}

/// How many values the thread that frees has freed, and how long one took at most.
#[napi(catch_unwind)]
pub fn bench_freed() -> Freed {
    let (count, nanos) = release::freed();
    Freed { count: count as f64, longest_millis: nanos as f64 / 1e6 }
}

#[napi]
impl Block {
    /// Microseconds that one copy of the block context takes; blockifier makes two a transaction.
    #[napi(catch_unwind)]
    pub fn bench_clone<'env>(&self, env: &'env Env, times: u32) -> Result<PromiseRaw<'env, f64>> {
        let times = at_most("times", times, MOST)?;
        let block = self.inner.clone();
        off_thread(env, move || Ok(bench::clones(&block, times)))
    }
}

#[napi]
impl State {
    /// Executes on one `CachedState` without reports; microseconds it took.
    #[napi(catch_unwind)]
    pub fn bench_bare<'env>(
        &self,
        env: &'env Env,
        block: &Block,
        transactions: Vec<ClassInstance<'env, Transaction>>,
    ) -> Result<PromiseRaw<'env, f64>> {
        let (state, block) = (self.inner.clone(), block.inner.clone());
        let transactions: Vec<_> = transactions.iter().map(|tx| tx.inner.clone()).collect();
        off_thread(env, move || bench::bare(state, &block, &transactions))
    }

    /// Adds slots with pseudo-random keys, as many versions as asked for.
    #[napi(catch_unwind)]
    pub fn bench_fill<'env>(
        &self,
        env: &'env Env,
        address: String,
        versions: u32,
        writes: u32,
        distinct: u32,
    ) -> Result<PromiseRaw<'env, State>> {
        let address = parse_address("address", &address)?.into();
        at_most("writes", versions.saturating_mul(writes.max(1)), MOST)?;
        let state = self.writable()?.clone();
        off_thread(env, move || {
            Ok(State::head(bench::fill(state, address, versions, writes, distinct)?))
        })
    }

    /// Adds slots in random order, without a difference or history.
    #[napi(catch_unwind)]
    pub fn bench_seed<'env>(
        &self,
        env: &'env Env,
        address: String,
        slots: u32,
    ) -> Result<PromiseRaw<'env, State>> {
        let address = parse_address("address", &address)?.into();
        let slots = at_most("slots", slots, MOST)?;
        let state = state::State::clone(self.writable()?);
        off_thread(env, move || Ok(State::head(Arc::new(bench::seed(state, address, slots)))))
    }

    /// Nanoseconds a random read takes, at the head or at random older versions.
    #[napi(catch_unwind)]
    pub fn bench_reads<'env>(
        &self,
        env: &'env Env,
        address: String,
        reads: u32,
        distinct: u32,
        old: bool,
    ) -> Result<PromiseRaw<'env, f64>> {
        let address = parse_address("address", &address)?.into();
        let reads = at_most("reads", reads, MOST)?;
        let state = self.inner.clone();
        off_thread(env, move || Ok(bench::reads(&state, address, reads, distinct, old)))
    }
}
