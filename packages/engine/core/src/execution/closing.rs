//! Closing of a block: its hash, and the states after it.

use std::sync::Arc;

use starknet_api::block::BlockHash;
use starknet_api::block_hash::block_hash_calculator::TransactionHashingData;

use super::block::Block;
use super::block_hash::seal;
use super::first_write::FirstWrite;
use crate::error::Result;
use crate::json::to_json;
use crate::state::State;

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
