//! Measurements of the engine without the JavaScript bindings, and large states for them.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use blockifier::context::BlockContext;
use blockifier::state::cached_state::CachedState;
use blockifier::transaction::transactions::ExecutableTransaction;
use starknet_types_core::felt::Felt;

use starkbox_engine_core::error::{Failure, Kind, Result};
use starkbox_engine_core::execution::{Block, Flags, Reader, Transaction};
use starkbox_engine_core::felt::Key;
use starkbox_engine_core::state::cell::Cell;
use starkbox_engine_core::state::maps::{Contract, Shared};
use starkbox_engine_core::state::{Changes, State};

/// Executes on one `CachedState`; nothing is reported or folded back. Microseconds.
pub fn bare(state: Arc<State>, block: &Block, transactions: &[Arc<Transaction>]) -> Result<f64> {
    let ready: Vec<_> = transactions
        .iter()
        .map(|transaction| transaction.executable(Flags::default()))
        .collect::<Result<_>>()?;
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

/// Microseconds a copy of the block context.
pub fn clones(block: &Block, times: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..times {
        black_box(BlockContext::clone(&block.context));
    }
    start.elapsed().as_nanos() as f64 / 1000.0 / f64::from(times.max(1))
}

/// Keys spread as hashes do. With `distinct` 0 every write makes a new slot.
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

pub fn fill(
    mut state: Arc<State>,
    address: Key,
    versions: u32,
    writes: u32,
    distinct: u32,
) -> Result<Arc<State>> {
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

/// Adds slots in random order to a contract, without a difference or older values.
pub fn seed(mut state: State, address: Key, slots: u32) -> State {
    let mut contract = state.contracts.remove(&address).map_or_else(Contract::default, |shared| {
        state.figures.slots -= shared.0.storage.len() as u64;
        Contract::clone(&shared.0)
    });
    for serial in 0..u64::from(slots) {
        contract.storage.insert(key(serial, 0), Cell::new(Felt::from(serial + 1), 0));
    }
    state.restore_contract(address, Shared(Arc::new(contract)));
    state
}

/// Nanoseconds a read.
pub fn reads(state: &State, address: Key, reads: u32, distinct: u32, old: bool) -> f64 {
    let first = state.first_version();
    let span = (state.version - first).max(1);
    let most = if distinct == 0 { state.figures.slots.max(1) } else { u64::from(distinct) };
    let lookups: Vec<_> = (0..u64::from(reads))
        .map(|i| {
            let at = if old { first + mix(i ^ 0xA5A5) % span } else { state.version };
            (key(mix(i) % most, 0), at)
        })
        .collect();
    let start = Instant::now();
    for (key, at) in &lookups {
        black_box(state.storage(address, *key, *at));
    }
    start.elapsed().as_nanos() as f64 / f64::from(reads.max(1))
}
