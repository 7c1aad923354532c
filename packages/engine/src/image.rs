//! Knows the binary form of a whole state: a stream of checked frames, each a run of records.
//!
//! `SBXSTATE`, a format number, then frames of length, CRC-32 and records. Each checksum continues
//! the one before, so frames can neither be lost nor change places. Felts are written without
//! leading zeros, numbers as varints. Nothing in it is executed or compiled on reading.

use std::ops::Bound;
use std::sync::Arc;

use imbl::OrdMap;
use starknet_types_core::felt::Felt;

use crate::cell::Cell;
use crate::class::Class;
use crate::diff::Diff;
use crate::error::{Failure, Kind, Outcome};
use crate::felt::Key;
use crate::origin::Origin;
use crate::state::{Contract, Declared, Shared, State};

const MAGIC: &[u8; 8] = b"SBXSTATE";
const FORMAT: u8 = 1;
/// A frame ends with the record that reaches this.
const FRAME_BYTES: usize = 256 << 10;
/// Numbers that cross into JavaScript must be exact there.
const LARGEST_VERSION: u64 = (1 << 53) - 1;

const HEAD: u8 = 1;
const CLASS: u8 = 2;
const CONTRACT: u8 = 3;
const SLOT: u8 = 4;
const BLOCK: u8 = 5;
const END: u8 = 6;

fn damaged(what: impl std::fmt::Display) -> Failure {
    Failure::new(Kind::Image, format!("the state image is damaged: {what}"))
}

// Writing.

enum Place {
    Start,
    Classes(Option<Key>),
    Contracts(Option<Key>),
    Slots(Key, Option<Key>),
    Blocks(usize),
    Done,
}

/// Writes a state frame by frame; between frames it holds only its place.
pub struct Export {
    state: Arc<State>,
    place: Place,
    checksum: u32,
}

impl Export {
    pub fn new(state: Arc<State>) -> Self {
        Export { state, place: Place::Start, checksum: 0 }
    }

    /// The next piece of the stream; none at its end.
    pub fn next(&mut self) -> Option<Vec<u8>> {
        let mut out = Vec::with_capacity(FRAME_BYTES + 1024);
        if let Place::Start = self.place {
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
        self.place = match std::mem::replace(&mut self.place, Place::Done) {
            Place::Start => {
                out.push(HEAD);
                number(out, state.version);
                number(out, u64::from(state.keep_history));
                Place::Classes(None)
            }
            Place::Classes(last) => match state.classes.range(after(last)).next() {
                Some((key, entry)) => {
                    let (wire, casm) = entry.class.stored();
                    out.push(CLASS);
                    number(out, entry.since);
                    bytes(out, wire);
                    number(out, u64::from(casm.is_some()));
                    bytes(out, casm.unwrap_or_default());
                    Place::Classes(Some(*key))
                }
                None => Place::Contracts(None),
            },
            Place::Contracts(last) => match state.contracts.range(after(last)).next() {
                Some((key, contract)) => {
                    out.push(CONTRACT);
                    felt(out, key.felt());
                    optional_cell(out, contract.0.class.as_ref());
                    optional_cell(out, contract.0.nonce.as_ref());
                    Place::Slots(*key, None)
                }
                None => Place::Blocks(0),
            },
            Place::Slots(contract, last) => {
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
                    Place::Contracts(Some(contract))
                } else {
                    Place::Slots(contract, reached)
                }
            }
            Place::Blocks(index) => match state.log.get(index) {
                Some(diff) => {
                    out.push(BLOCK);
                    block(out, diff);
                    Place::Blocks(index + 1)
                }
                None => {
                    out.push(END);
                    number(out, state.figures.slots);
                    number(out, state.contracts.len() as u64);
                    number(out, state.classes.len() as u64);
                    number(out, state.log.len() as u64);
                    Place::Done
                }
            },
            Place::Done => return false,
        };
        true
    }
}

/// Continues a checksum over the next frame and its length.
fn checksum(before: u32, payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(before);
    hasher.update(&(payload.len() as u64).to_le_bytes());
    hasher.update(payload);
    hasher.finalize()
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

// Reading.

/// Takes a stream in pieces of any size and gives the state when it is whole.
pub struct Import {
    pending: Vec<u8>,
    started: bool,
    checksum: u32,
    /// Whether the record that tells the version has been read.
    headed: bool,
    state: State,
    current: Option<(Key, Contract)>,
    /// Slots of the current contract that are not in its map yet.
    window: Vec<(Key, Cell)>,
    ended: bool,
}

/// How many slots are put into a map at once.
const WINDOW: usize = 4096;

impl Import {
    pub fn new(origin: Option<Arc<Origin>>) -> Self {
        Import {
            pending: Vec::new(),
            started: false,
            checksum: 0,
            headed: false,
            state: State::new(0, true, origin),
            current: None,
            window: Vec::with_capacity(WINDOW),
            ended: false,
        }
    }

    pub fn push(&mut self, piece: &[u8]) -> Outcome<()> {
        self.pending.extend_from_slice(piece);
        let pending = std::mem::take(&mut self.pending);
        let read = self.read(&pending)?;
        self.pending = pending;
        self.pending.drain(..read);
        if self.ended && !self.pending.is_empty() {
            return Err(damaged("something follows its end"));
        }
        Ok(())
    }

    /// Reads as many whole frames as there are; how many bytes that was.
    fn read(&mut self, pending: &[u8]) -> Outcome<usize> {
        let mut rest = pending;
        if !self.started {
            let Some((head, after)) = rest.split_at_checked(MAGIC.len() + 1) else { return Ok(0) };
            let (magic, format) = head.split_at(MAGIC.len());
            if magic != MAGIC {
                return Err(Failure::new(Kind::Image, "this is not a state image"));
            }
            if format != [FORMAT] {
                let found = format.first().copied().unwrap_or_default();
                return Err(Failure::new(
                    Kind::Image,
                    format!("state image format {found}: this version reads format {FORMAT}"),
                ));
            }
            rest = after;
            self.started = true;
        }
        while let Some((head, body)) = rest.split_at_checked(8) {
            let (length, expected) = (little(&head[..4]) as usize, little(&head[4..]));
            if length == 0 || self.ended {
                return Err(damaged("something follows its end"));
            }
            let Some((payload, next)) = body.split_at_checked(length) else { break };
            self.checksum = checksum(self.checksum, payload);
            if self.checksum != expected {
                return Err(damaged("a checksum does not match"));
            }
            self.frame(payload)?;
            rest = next;
        }
        Ok(pending.len() - rest.len())
    }

    pub fn finish(self) -> Outcome<State> {
        if !self.ended || !self.pending.is_empty() {
            return Err(damaged("it ends too early"));
        }
        Ok(self.state)
    }

    fn frame(&mut self, payload: &[u8]) -> Outcome<()> {
        let mut input = Input(payload);
        while !input.0.is_empty() {
            if self.ended {
                return Err(damaged("something follows its end"));
            }
            let kind = input.byte()?;
            if self.headed == (kind == HEAD) {
                return Err(damaged("its head is missing or repeated"));
            }
            match kind {
                HEAD => {
                    self.headed = true;
                    self.state.version = input.number()?;
                    self.state.keep_history = input.number()? == 1;
                    if self.state.version > LARGEST_VERSION {
                        return Err(damaged("its version is out of range"));
                    }
                }
                CLASS => {
                    let since = input.date(self.state.version)?;
                    let wire = input.bytes()?;
                    let has_casm = input.number()? == 1;
                    let casm = input.bytes()?;
                    let class = Class::restore(wire, has_casm.then_some(casm))?;
                    let key = Key::from(class.hash);
                    self.state.restore_class(key, Declared { class, since });
                }
                CONTRACT => {
                    self.close_contract();
                    let address = Key::from(input.felt()?);
                    let contract = Contract {
                        class: input.optional_cell(self.state.version)?,
                        nonce: input.optional_cell(self.state.version)?,
                        storage: OrdMap::new(),
                    };
                    self.current = Some((address, contract));
                }
                SLOT => {
                    let key = Key::from(input.felt()?);
                    let cell = input.cell(self.state.version)?;
                    if self.current.is_none() {
                        return Err(damaged("a slot belongs to no contract"));
                    }
                    self.window.push((key, cell));
                    if self.window.len() == WINDOW {
                        self.close_window();
                    }
                }
                BLOCK => {
                    self.close_contract();
                    let diff = input.block()?;
                    self.state.figures.logged += diff.length() as u64;
                    self.state.log.push_back(Arc::new(diff));
                }
                END => {
                    self.close_contract();
                    let found = [
                        self.state.figures.slots,
                        self.state.contracts.len() as u64,
                        self.state.classes.len() as u64,
                        self.state.log.len() as u64,
                    ];
                    for count in found {
                        if input.number()? != count {
                            return Err(damaged("its counts do not match"));
                        }
                    }
                    if self.state.log.len() as u64 > self.state.version {
                        return Err(damaged("it has more blocks than versions"));
                    }
                    self.ended = true;
                }
                other => return Err(damaged(format!("record kind {other} is unknown"))),
            }
        }
        Ok(())
    }

    /// Keys come in order, and a B-tree that grows in order leaves every node half full. Every other
    /// key first, then the ones between, fills them: it halves what a slot takes.
    fn close_window(&mut self) {
        let Some((_, contract)) = &mut self.current else { return };
        let (mut first, mut second) = (Vec::with_capacity(WINDOW), Vec::with_capacity(WINDOW));
        for (index, slot) in self.window.drain(..).enumerate() {
            if index % 2 == 0 { first.push(slot) } else { second.push(slot) }
        }
        contract.storage.extend(first);
        contract.storage.extend(second);
    }

    fn close_contract(&mut self) {
        self.close_window();
        if let Some((address, contract)) = self.current.take() {
            self.state.restore_contract(address, Shared(Arc::new(contract)));
        }
    }
}

fn little(four: &[u8]) -> u32 {
    four.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn byte(&mut self) -> Outcome<u8> {
        let (first, rest) = self.0.split_first().ok_or_else(|| damaged("a record is cut"))?;
        self.0 = rest;
        Ok(*first)
    }

    fn take(&mut self, count: usize) -> Outcome<&'a [u8]> {
        let (taken, rest) =
            self.0.split_at_checked(count).ok_or_else(|| damaged("a record is cut"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Outcome<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(damaged("a number is too long"))
    }

    fn length(&mut self) -> Outcome<usize> {
        let length = self.number()? as usize;
        // Every counted thing has at least one byte, so a count cannot exceed what is left.
        if length > self.0.len() {
            return Err(damaged("a length is too long"));
        }
        Ok(length)
    }

    fn bytes(&mut self) -> Outcome<&'a [u8]> {
        let length = self.length()?;
        self.take(length)
    }

    fn felt(&mut self) -> Outcome<Felt> {
        let length = usize::from(self.byte()?);
        if length > 32 {
            return Err(damaged("a felt is too long"));
        }
        let bytes = self.take(length)?;
        let felt = Felt::from_bytes_be_slice(bytes);
        if bytes.first() == Some(&0) || !felt.to_bytes_be().ends_with(bytes) {
            return Err(damaged("a felt is not in its shortest form, or above the prime"));
        }
        Ok(felt)
    }

    /// A version no later than the one being written.
    fn date(&mut self, version: u64) -> Outcome<u64> {
        let date = self.number()?;
        if date > version {
            return Err(damaged("something is newer than its version"));
        }
        Ok(date)
    }

    fn cell(&mut self, version: u64) -> Outcome<Cell> {
        let mut history = vec![(self.felt()?, self.date(version)?)];
        for _ in 0..self.length()? {
            history.push((self.felt()?, self.number()?));
        }
        Cell::from_history(history).ok_or_else(|| damaged("the history of a value is not in order"))
    }

    fn optional_cell(&mut self, version: u64) -> Outcome<Option<Cell>> {
        if self.number()? == 0 { Ok(None) } else { self.cell(version).map(Some) }
    }

    fn pairs(&mut self) -> Outcome<Box<[(Key, Felt)]>> {
        (0..self.length()?).map(|_| Ok((Key::from(self.felt()?), self.felt()?))).collect()
    }

    fn block(&mut self) -> Outcome<Diff> {
        let storage = (0..self.length()?)
            .map(|_| Ok((Key::from(self.felt()?), self.pairs()?)))
            .collect::<Outcome<_>>()?;
        Ok(Diff {
            storage,
            nonces: self.pairs()?,
            deployed: self.pairs()?,
            replaced: self.pairs()?,
            declared: self.pairs()?,
            deprecated: (0..self.length()?)
                .map(|_| Ok(Key::from(self.felt()?)))
                .collect::<Outcome<_>>()?,
        })
    }
}
