//! Reader of state images, in pieces of any size.

use std::sync::Arc;

use imbl::OrdMap;

use super::format::{
    BLOCK, CLASS, CONTRACT, END, FORMAT, HEAD, LARGEST_VERSION, MAGIC, MIGRATED, SLOT, checksum,
};
use super::record_reader::{RecordReader, damaged};
use crate::class::Class;
use crate::error::{Failure, Kind, Result};
use crate::fault;
use crate::felt::Key;
use crate::state::cell::Cell;
use crate::state::maps::{Contract, Declared, Shared, State};
use crate::state_source::StateSource;

/// Takes a stream in pieces of any size and returns the state at its end.
pub struct Import {
    pending: Vec<u8>,
    started: bool,
    checksum: u32,
    /// Whether the head record, which holds the version, has been read.
    headed: bool,
    state: State,
    /// The last address, and the last key of its slots. Both come in order, so none comes twice.
    address: Option<Key>,
    key: Option<Key>,
    current: Option<(Key, Contract)>,
    /// Slots of the current contract that are not in its map yet.
    window: Vec<(Key, Cell)>,
    ended: bool,
}

/// How many slots are put into a map at once.
const WINDOW: usize = 4096;

impl Import {
    pub fn new(source: Option<Arc<StateSource>>) -> Self {
        Import {
            pending: Vec::new(),
            started: false,
            checksum: 0,
            headed: false,
            state: State::new(0, true, source),
            address: None,
            key: None,
            current: None,
            window: Vec::with_capacity(WINDOW),
            ended: false,
        }
    }

    pub fn push(&mut self, piece: &[u8]) -> Result<()> {
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
    fn read(&mut self, pending: &[u8]) -> Result<usize> {
        let mut rest = pending;
        if !self.started {
            let Some((head, after)) = rest.split_at_checked(MAGIC.len() + 1) else { return Ok(0) };
            let (magic, format) = head.split_at(MAGIC.len());
            if magic != MAGIC {
                return Err(Failure::new(Kind::Image, "this is not a state image"));
            }
            if format != [FORMAT] {
                let number = format.first().copied().unwrap_or_default();
                return Err(Failure::new(
                    Kind::Image,
                    format!("state image format {number}: this version reads format {FORMAT}"),
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

    pub fn finish(self) -> Result<State> {
        if !self.ended || !self.pending.is_empty() {
            return Err(damaged("it ends too early"));
        }
        Ok(self.state)
    }

    fn frame(&mut self, payload: &[u8]) -> Result<()> {
        fault::point("import");
        let mut input = RecordReader(payload);
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
                CLASS => self.class(&mut input)?,
                CONTRACT => {
                    self.close_contract();
                    let address = follow(&mut self.address, Key::from(input.felt()?))?;
                    self.key = None;
                    let contract = Contract {
                        class: input.optional_cell(self.state.version)?,
                        nonce: input.optional_cell(self.state.version)?,
                        storage: OrdMap::new(),
                    };
                    self.current = Some((address, contract));
                }
                SLOT => {
                    let key = follow(&mut self.key, Key::from(input.felt()?))?;
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
                MIGRATED => self.migrated(&mut input)?,
                END => self.end(&mut input)?,
                other => return Err(damaged(format!("record kind {other} is unknown"))),
            }
        }
        Ok(())
    }

    fn class(&mut self, input: &mut RecordReader) -> Result<()> {
        let since = input.date(self.state.version)?;
        let wire = input.bytes()?;
        let has_casm = input.number()? == 1;
        let casm = input.bytes()?;
        let class = Class::restore(wire, has_casm.then_some(casm))?;
        let key = Key::from(class.hash);
        if self.state.classes.contains_key(&key) {
            return Err(damaged("a class comes twice"));
        }
        self.state.restore_class(key, Declared { class, since });
        Ok(())
    }

    fn migrated(&mut self, input: &mut RecordReader) -> Result<()> {
        let is_open = input.number()? == 1;
        let hashes = input.pairs()?;
        if is_open {
            self.state.touched.migrated.extend(hashes);
            return Ok(());
        }
        let count = hashes.len() as u64;
        let Some(diff) = self.state.log.back_mut() else {
            return Err(damaged("migrated classes belong to no block"));
        };
        Arc::make_mut(diff).migrated = hashes;
        self.state.figures.logged += count;
        Ok(())
    }

    fn end(&mut self, input: &mut RecordReader) -> Result<()> {
        self.close_contract();
        let counts = [
            self.state.figures.slots,
            self.state.contracts.len() as u64,
            self.state.classes.len() as u64,
            self.state.log.len() as u64,
        ];
        for count in counts {
            if input.number()? != count {
                return Err(damaged("its counts do not match"));
            }
        }
        if self.state.log.len() as u64 > self.state.version {
            return Err(damaged("it has more blocks than versions"));
        }
        self.ended = true;
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

/// Notes the next key of a list that is written in order.
fn follow(last: &mut Option<Key>, next: Key) -> Result<Key> {
    if last.replace(next).is_some_and(|last| last >= next) {
        return Err(damaged("its keys are not in order"));
    }
    Ok(next)
}

fn little(four: &[u8]) -> u32 {
    four.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}
