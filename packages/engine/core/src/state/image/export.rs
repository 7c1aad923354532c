//! Writer of state images.

use std::ops::Bound;
use std::sync::Arc;

use starknet_types_core::felt::Felt;

use super::format::{
    BLOCK, CLASS, CONTRACT, END, FORMAT, FRAME_BYTES, HEAD, MAGIC, MIGRATED, SLOT, checksum,
};
use crate::fault;
use crate::felt::Key;
use crate::state::cell::Cell;
use crate::state::diff::Diff;
use crate::state::maps::State;

enum Position {
    Start,
    Classes(Option<Key>),
    Contracts(Option<Key>),
    Slots(Key, Option<Key>),
    Blocks(usize),
    Done,
}

/// Writes a state frame by frame; between frames it holds only its position.
pub struct Export {
    state: Arc<State>,
    position: Position,
    checksum: u32,
}

impl Export {
    pub fn new(state: Arc<State>) -> Self {
        Export { state, position: Position::Start, checksum: 0 }
    }

    /// The next piece of the stream; none at its end.
    pub fn next_piece(&mut self) -> Option<Vec<u8>> {
        fault::point("export");
        let mut out = Vec::with_capacity(FRAME_BYTES + 1024);
        if let Position::Start = self.position {
            out.extend_from_slice(MAGIC);
            out.push(FORMAT);
        }
        let frame = out.len();
        out.extend_from_slice(&[0; 8]);
        while out.len() < FRAME_BYTES && self.record(&mut out) {}
        let payload = out.len() - frame - 8;
        if payload == 0 {
            return None;
        }
        self.checksum = checksum(self.checksum, &out[frame + 8..]);
        out[frame..frame + 4].copy_from_slice(&(payload as u32).to_le_bytes());
        out[frame + 4..frame + 8].copy_from_slice(&self.checksum.to_le_bytes());
        Some(out)
    }

    fn record(&mut self, out: &mut Vec<u8>) -> bool {
        let state = self.state.clone();
        self.position = match std::mem::replace(&mut self.position, Position::Done) {
            Position::Start => {
                out.push(HEAD);
                number(out, state.version);
                number(out, u64::from(state.keep_history));
                Position::Classes(None)
            }
            Position::Classes(last) => match state.classes.range(after(last)).next() {
                Some((key, entry)) => {
                    let (wire, casm) = entry.class.stored();
                    out.push(CLASS);
                    number(out, entry.since);
                    bytes(out, wire);
                    number(out, u64::from(casm.is_some()));
                    bytes(out, casm.unwrap_or_default());
                    Position::Classes(Some(*key))
                }
                None => Position::Contracts(None),
            },
            Position::Contracts(last) => match state.contracts.range(after(last)).next() {
                Some((key, contract)) => {
                    out.push(CONTRACT);
                    felt(out, key.felt());
                    optional_cell(out, contract.0.class.as_ref());
                    optional_cell(out, contract.0.nonce.as_ref());
                    Position::Slots(*key, None)
                }
                None => Position::Blocks(0),
            },
            Position::Slots(contract, last) => {
                let slots = state.contracts.get(&contract).map(|entry| &entry.0.storage);
                let mut reached = last;
                let mut finished = true;
                for (key, slot) in slots.iter().flat_map(|slots| slots.range(after(last))) {
                    out.push(SLOT);
                    felt(out, key.felt());
                    cell(out, slot);
                    reached = Some(*key);
                    if out.len() >= FRAME_BYTES {
                        finished = false;
                        break;
                    }
                }
                if finished {
                    Position::Contracts(Some(contract))
                } else {
                    Position::Slots(contract, reached)
                }
            }
            Position::Blocks(index) => match state.log.get(index) {
                Some(diff) => {
                    out.push(BLOCK);
                    block(out, diff);
                    if !diff.migrated.is_empty() {
                        migrated(out, false, &diff.migrated);
                    }
                    Position::Blocks(index + 1)
                }
                None => {
                    if !state.touched.migrated.is_empty() {
                        let pairs: Vec<_> =
                            state.touched.migrated.iter().map(|(k, v)| (*k, *v)).collect();
                        migrated(out, true, &pairs);
                    }
                    out.push(END);
                    number(out, state.figures.slots);
                    number(out, state.contracts.len() as u64);
                    number(out, state.classes.len() as u64);
                    number(out, state.log.len() as u64);
                    Position::Done
                }
            },
            Position::Done => return false,
        };
        true
    }
}

fn after(last: Option<Key>) -> (Bound<Key>, Bound<Key>) {
    (last.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded)
}

fn number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn felt(out: &mut Vec<u8>, felt: Felt) {
    let all = felt.to_bytes_be();
    let zeros = all.iter().take_while(|byte| **byte == 0).count();
    out.push((32 - zeros) as u8);
    out.extend_from_slice(&all[zeros..]);
}

fn cell(out: &mut Vec<u8>, cell: &Cell) {
    felt(out, cell.value);
    number(out, cell.since);
    number(out, cell.older().count() as u64);
    for (value, since) in cell.older() {
        felt(out, value);
        number(out, since);
    }
}

fn optional_cell(out: &mut Vec<u8>, given: Option<&Cell>) {
    number(out, u64::from(given.is_some()));
    if let Some(given) = given {
        cell(out, given);
    }
}

fn pairs(out: &mut Vec<u8>, pairs: &[(Key, Felt)]) {
    number(out, pairs.len() as u64);
    for (key, value) in pairs {
        felt(out, key.felt());
        felt(out, *value);
    }
}

fn migrated(out: &mut Vec<u8>, is_open: bool, hashes: &[(Key, Felt)]) {
    out.push(MIGRATED);
    number(out, u64::from(is_open));
    pairs(out, hashes);
}

fn block(out: &mut Vec<u8>, diff: &Diff) {
    number(out, diff.storage.len() as u64);
    for (address, slots) in &diff.storage {
        felt(out, address.felt());
        pairs(out, slots);
    }
    for list in [&diff.nonces, &diff.deployed, &diff.replaced, &diff.declared] {
        pairs(out, list);
    }
    number(out, diff.deprecated.len() as u64);
    for hash in &diff.deprecated {
        felt(out, hash.felt());
    }
}
