//! A slot that is written at the start of a version, before its transactions.

use starknet_types_core::felt::Felt;

use crate::error::Result;
use crate::felt::Key;
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
