//! Reads a state, in pieces of any size.

use std::sync::Arc;

use imbl::OrdMap;
use starknet_types_core::felt::Felt;

use super::{BLOCK, CLASS, CONTRACT, END, FORMAT, HEAD, LARGEST_VERSION, MAGIC, SLOT, checksum};
use crate::cell::Cell;
use crate::class::Class;
use crate::diff::Diff;
use crate::error::{Failure, Kind, Outcome};
use crate::felt::Key;
use crate::origin::Origin;
use crate::state::{Contract, Declared, Shared, State};

fn damaged(what: impl std::fmt::Display) -> Failure {
    Failure::new(Kind::Image, format!("the state image is damaged: {what}"))
}

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
