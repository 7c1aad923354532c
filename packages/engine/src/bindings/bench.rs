//! Functions for benchmarks, and for tests of memory.

use std::sync::Arc;
use std::time::Instant;

use blockifier::state::cached_state::CachedState;
use blockifier::transaction::transactions::ExecutableTransaction;
use napi::bindgen_prelude::*;
use napi_derive::napi;
use starknet_types_core::felt::Felt;

use super::arguments::at_most;
use super::error::Result;
use super::promise::off_thread;
use super::state::State;
use super::transaction::{Block, Transaction};
use crate::release;
use starkbox_engine_core::error::{self, Failure, Kind};
use starkbox_engine_core::execution::{self, Flags, Reader};
use starkbox_engine_core::felt::{Key, parse_address};
use starkbox_engine_core::state::{self, Changes};

/// Writes of one call.
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
        off_thread(env, move || execute_bare(state, &block, &transactions))
    }

    /// Adds slots with pseudo-random keys, as many versions as asked for. With `distinct` 0 each write makes a new slot.
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
        off_thread(env, move || Ok(State::head(fill(state, address, versions, writes, distinct)?)))
    }
}

fn execute_bare(
    state: Arc<state::State>,
    block: &execution::Block,
    transactions: &[Arc<execution::Transaction>],
) -> error::Result<f64> {
    let ready: Vec<_> = transactions
        .iter()
        .map(|transaction| transaction.executable(Flags::default()))
        .collect::<error::Result<_>>()?;
    let at = state.version;
    let start = Instant::now();
    let mut cached = CachedState::new(Reader::new(state, at));
    for transaction in &ready {
        let info = transaction
            .execute(&mut cached, &block.context)
            .map_err(|error| Failure::new(Kind::Call, error))?;
        if let Some(error) = info.revert_error {
            return Err(Failure::new(Kind::Call, error));
        }
    }
    Ok(start.elapsed().as_nanos() as f64 / 1000.0)
}

fn fill(
    mut state: Arc<state::State>,
    address: Key,
    versions: u32,
    writes: u32,
    distinct: u32,
) -> error::Result<Arc<state::State>> {
    let mut serial = state.figures.slots;
    for _ in 0..versions {
        let mut changes = Changes::default();
        let slots = changes.storage.entry(address).or_default();
        for _ in 0..writes {
            slots.insert(key(serial, distinct), Felt::from(serial + 1));
            serial += 1;
        }
        state = Arc::new(state.apply(&changes)?.advance());
    }
    Ok(state)
}

/// Keys spread as hashes do.
fn key(serial: u64, distinct: u32) -> Key {
    let serial = if distinct == 0 { serial } else { mix(serial) % u64::from(distinct) };
    let limbs = [serial, serial + 1, serial + 2, serial + 3].map(mix);
    Key([limbs[0] >> 8, limbs[1], limbs[2], limbs[3]])
}

fn mix(value: u64) -> u64 {
    let mut mixed = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
