//! Closing of a block: its hash, and the states after it.

use std::sync::Arc;

use starknet_api::block::BlockHash;
use starknet_api::block_hash::block_hash_calculator::TransactionHashingData;
use starknet_types_core::felt::Felt;

use super::block::Block;
use super::block_hash::seal;
use crate::error::Result;
use crate::felt::Key;
use crate::json::to_json;
use crate::state::{Changes, State};

/// A slot that is written at the start of a version.
pub struct FirstWrite {
    pub address: Key,
    pub key: Key,
    pub value: Felt,
}

impl FirstWrite {
    pub fn apply(&self, state: &State) -> Result<State> {
        let mut changes = Changes::default();
        changes.storage.entry(self.address).or_default().insert(self.key, self.value);
        state.apply(&changes)
    }
}

/// How the version being written is closed.
pub struct Closing {
    pub block: Arc<Block>,
    pub parent_hash: BlockHash,
    /// Written to the next version.
    pub first_write: Option<FirstWrite>,
}

pub struct Closed {
    /// Commitments, counts and hash, as JSON.
    pub seal: String,
    /// What the version changed, as JSON.
    pub diff: String,
    /// The state at its end.
    pub latest: Arc<State>,
    /// The state at the start of the next version.
    pub next: Arc<State>,
}

impl Closing {
    pub fn close(&self, state: &State, transactions: &[TransactionHashingData]) -> Result<Closed> {
        let (latest, diff) = state.close();
        let latest = Arc::new(latest);
        let seal = seal(&self.block, &diff, transactions, self.parent_hash)?;
        let next = match &self.first_write {
            Some(write) => Arc::new(write.apply(&latest)?),
            None => latest.clone(),
        };
        Ok(Closed { seal, diff: to_json(&*diff)?, latest, next })
    }
}
