//! Knows the state of a chain and all its past: persistent maps of cells, and the log of blocks.
//!
//! A `State` is an immutable value; copying one copies a pointer. Writing makes another value that
//! shares everything it did not touch. Each value carries the version (block number) it is writing;
//! older versions are read through the cells, so one handle serves the whole history.

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::ordmap::DiffItem;
use imbl::{OrdMap, OrdSet, Vector};
use starknet_types_core::felt::Felt;

use crate::cell::Cell;
use crate::class::Class;
use crate::diff::{Changes, Diff};
use crate::error::{Failure, Kind, Outcome};
use crate::felt::{Key, hex};
use crate::origin::Origin;

#[derive(Clone, Default)]
pub struct Contract {
    pub class: Option<Cell>,
    pub nonce: Option<Cell>,
    pub storage: OrdMap<Key, Cell>,
}

/// Equal only if it is the same contract record, so comparing two states skips what they share.
#[derive(Clone, Default)]
pub struct Shared(pub Arc<Contract>);

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[derive(Clone)]
pub struct Declared {
    pub class: Arc<Class>,
    pub since: u64,
}

impl PartialEq for Declared {
    fn eq(&self, other: &Self) -> bool {
        self.class.hash == other.class.hash
    }
}

/// What the version being written has touched so far.
#[derive(Clone, Default)]
struct Touched {
    storage: OrdSet<(Key, Key)>,
    nonces: OrdSet<Key>,
    classes: OrdSet<Key>,
    declared: OrdSet<Key>,
}

#[derive(Clone, Copy, Default, Debug)]
pub struct Figures {
    pub slots: u64,
    pub past: u64,
    pub logged: u64,
}

#[derive(Clone)]
pub struct State {
    pub(crate) contracts: OrdMap<Key, Shared>,
    pub(crate) classes: OrdMap<Key, Declared>,
    /// The differences of the versions before this one, oldest first.
    pub(crate) log: Vector<Arc<Diff>>,
    touched: Touched,
    pub version: u64,
    pub keep_history: bool,
    pub origin: Option<Arc<Origin>>,
    pub(crate) figures: Figures,
}

impl State {
    pub fn new(version: u64, keep_history: bool, origin: Option<Arc<Origin>>) -> Self {
        State {
            contracts: OrdMap::new(),
            classes: OrdMap::new(),
            log: Vector::new(),
            touched: Touched::default(),
            version,
            keep_history,
            origin,
            figures: Figures::default(),
        }
    }

    // Reads as of a version, without the origin: none means that this chain never wrote it.

    pub fn storage(&self, address: Key, key: Key, at: u64) -> Option<Felt> {
        self.contracts.get(&address)?.0.storage.get(&key)?.at(at)
    }

    /// The version that last wrote the slot, as of `at`.
    pub fn storage_since(&self, address: Key, key: Key, at: u64) -> Option<u64> {
        let cell = self
            .contracts
            .get(&address)?
            .0
            .storage
            .get(&key)?
            .dated(at)?;
        Some(cell.1)
    }

    pub fn nonce(&self, address: Key, at: u64) -> Option<Felt> {
        self.contracts.get(&address)?.0.nonce.as_ref()?.at(at)
    }

    pub fn class_hash(&self, address: Key, at: u64) -> Option<Felt> {
        self.contracts.get(&address)?.0.class.as_ref()?.at(at)
    }

    pub fn class(&self, hash: Key, at: u64) -> Option<&Arc<Class>> {
        self.classes
            .get(&hash)
            .filter(|entry| entry.since <= at)
            .map(|entry| &entry.class)
    }

    // Writing.

    /// The state after these changes, still at the same version.
    pub fn apply(&self, changes: &Changes) -> Outcome<State> {
        let mut next = self.clone();
        for class in &changes.classes {
            let key = Key::from(class.hash);
            if next.classes.contains_key(&key) {
                continue;
            }
            let entry = Declared {
                class: class.clone(),
                since: self.version,
            };
            next.classes.insert(key, entry);
            next.touched.declared.insert(key);
        }
        for hash in &changes.listed {
            if !next.classes.contains_key(&Key::from(*hash)) {
                return Err(Failure::new(
                    Kind::State,
                    format!(
                        "class {} is listed as declared, but its body was not given",
                        hex(*hash)
                    ),
                ));
            }
        }
        for (address, hash) in &changes.class_hashes {
            next.write(*address, |contract, version, keep| {
                put(&mut contract.class, *hash, version, keep)
            });
            next.touched.classes.insert(*address);
        }
        for (address, nonce) in &changes.nonces {
            next.write(*address, |contract, version, keep| {
                put(&mut contract.nonce, *nonce, version, keep)
            });
            next.touched.nonces.insert(*address);
        }
        for (address, slots) in &changes.storage {
            let mut new_slots = 0;
            next.write(*address, |contract, version, keep| {
                let mut grown = 0;
                for (key, value) in slots {
                    if let Some(cell) = contract.storage.get_mut(key) {
                        grown += u64::from(cell.put(*value, version, keep));
                    } else {
                        contract.storage.insert(*key, Cell::new(*value, version));
                        new_slots += 1;
                    }
                }
                grown
            });
            next.figures.slots += new_slots;
            for key in slots.keys() {
                next.touched.storage.insert((*address, *key));
            }
        }
        Ok(next)
    }

    fn write(&mut self, address: Key, change: impl FnOnce(&mut Contract, u64, bool) -> u64) {
        let (version, keep) = (self.version, self.keep_history);
        let contract = self.contracts.entry(address).or_default();
        self.figures.past += change(Arc::make_mut(&mut contract.0), version, keep);
    }

    /// Closes the version being written; the result writes the next one.
    pub fn advance(&self) -> State {
        let mut next = self.clone();
        let diff = self.pending();
        next.figures.logged += diff.length() as u64;
        next.log.push_back(Arc::new(diff));
        next.touched = Touched::default();
        next.version += 1;
        next
    }

    /// The same state writing another version; only before anything was logged.
    pub fn renumbered(&self, version: u64) -> Outcome<State> {
        if !self.log.is_empty() {
            return Err(Failure::new(
                Kind::State,
                "a state with a past cannot be renumbered",
            ));
        }
        Ok(State {
            version,
            ..self.clone()
        })
    }

    // History.

    pub fn first_version(&self) -> u64 {
        self.version - self.log.len() as u64
    }

    /// The difference that `version` made: of a closed one, or of the one being written.
    pub fn diff_of(&self, version: u64) -> Outcome<Arc<Diff>> {
        if version == self.version {
            return Ok(Arc::new(self.pending()));
        }
        version
            .checked_sub(self.first_version())
            .and_then(|index| self.log.get(usize::try_from(index).ok()?))
            .cloned()
            .ok_or_else(|| self.unknown_version(version))
    }

    /// Whether the values of `version` can be read from this handle.
    pub fn check_readable(&self, version: u64) -> Outcome<()> {
        if version == self.version {
            return Ok(());
        }
        if !self.keep_history {
            return Err(Failure::new(
                Kind::State,
                format!("the state of version {version} was not kept: history is off"),
            ));
        }
        if version > self.version || version + 1 < self.first_version() {
            return Err(self.unknown_version(version));
        }
        Ok(())
    }

    fn unknown_version(&self, version: u64) -> Failure {
        let (first, last) = (self.first_version(), self.version);
        Failure::new(
            Kind::State,
            format!("version {version} is not part of this state: it holds {first} to {last}"),
        )
    }

    /// The state as it stood when `version` was closed, ready to write the version after it.
    /// Costs what the undone versions wrote.
    pub fn rewind(&self, version: u64) -> Outcome<State> {
        if version >= self.version {
            return Err(self.unknown_version(version));
        }
        self.check_readable(version)?;
        let mut next = self.clone();
        let mut undone = self.touched.clone();
        while next.version > version + 1 {
            let Some(diff) = next.log.pop_back() else {
                break;
            };
            next.version -= 1;
            next.figures.logged -= diff.length() as u64;
            for (address, slots) in &diff.storage {
                undone
                    .storage
                    .extend(slots.iter().map(|(key, _)| (*address, *key)));
            }
            undone
                .nonces
                .extend(diff.nonces.iter().map(|(address, _)| *address));
            let classes = diff.deployed.iter().chain(&diff.replaced);
            undone.classes.extend(classes.map(|(address, _)| *address));
            undone
                .declared
                .extend(diff.declared.iter().map(|(hash, _)| *hash));
            undone.declared.extend(diff.deprecated.iter().copied());
        }
        for (address, key) in &undone.storage {
            let mut removed = 0;
            next.write(*address, |contract, _, _| {
                let before = contract
                    .storage
                    .get(key)
                    .and_then(|cell| cell.rewound(version));
                match before {
                    Some(cell) => contract.storage.insert(*key, cell),
                    None => contract.storage.remove(key).inspect(|_| removed += 1),
                };
                0
            });
            next.figures.slots -= removed;
        }
        for address in &undone.nonces {
            next.write(*address, |contract, _, _| {
                contract.nonce = contract
                    .nonce
                    .as_ref()
                    .and_then(|cell| cell.rewound(version));
                0
            });
        }
        for address in &undone.classes {
            next.write(*address, |contract, _, _| {
                contract.class = contract
                    .class
                    .as_ref()
                    .and_then(|cell| cell.rewound(version));
                0
            });
        }
        for hash in &undone.declared {
            if next
                .classes
                .get(hash)
                .is_some_and(|entry| entry.since > version)
            {
                next.classes.remove(hash);
            }
        }
        next.touched = Touched::default();
        Ok(next)
    }

    /// What was before the version being written: from a cell's past, or from the origin.
    fn before(&self, cell: Option<&Cell>, origin: impl FnOnce(&Origin) -> Option<Felt>) -> Felt {
        let closed = self.version.checked_sub(1);
        cell.and_then(|cell| cell.at(closed?))
            .or_else(|| self.origin.as_deref().and_then(origin))
            .unwrap_or_default()
    }

    /// The difference that the version being written has made so far.
    fn pending(&self) -> Diff {
        let mut storage: BTreeMap<Key, Vec<(Key, Felt)>> = BTreeMap::new();
        for (address, key) in &self.touched.storage {
            let cell = self
                .contracts
                .get(address)
                .and_then(|entry| entry.0.storage.get(key));
            let now = cell.map_or(Felt::ZERO, |cell| cell.value);
            if now != self.before(cell, |origin| origin.known_storage(*address, *key)) {
                storage.entry(*address).or_default().push((*key, now));
            }
        }
        let mut nonces = Vec::new();
        for address in &self.touched.nonces {
            let cell = self
                .contracts
                .get(address)
                .and_then(|entry| entry.0.nonce.as_ref());
            let now = cell.map_or(Felt::ZERO, |cell| cell.value);
            if now != self.before(cell, |origin| origin.known_nonce(*address)) {
                nonces.push((*address, now));
            }
        }
        let (mut deployed, mut replaced) = (Vec::new(), Vec::new());
        for address in &self.touched.classes {
            let cell = self
                .contracts
                .get(address)
                .and_then(|entry| entry.0.class.as_ref());
            let now = cell.map_or(Felt::ZERO, |cell| cell.value);
            let was = self.before(cell, |origin| origin.known_class_hash(*address));
            if was == Felt::ZERO {
                deployed.push((*address, now));
            } else if was != now {
                replaced.push((*address, now));
            }
        }
        let (mut declared, mut deprecated) = (Vec::new(), Vec::new());
        for hash in &self.touched.declared {
            match self
                .classes
                .get(hash)
                .and_then(|entry| entry.class.compiled_hash)
            {
                Some(compiled) => declared.push((*hash, compiled)),
                None => deprecated.push(*hash),
            }
        }
        Diff {
            storage: storage
                .into_iter()
                .map(|(address, slots)| (address, slots.into_boxed_slice()))
                .collect(),
            nonces: nonces.into(),
            deployed: deployed.into(),
            replaced: replaced.into(),
            declared: declared.into(),
            deprecated: deprecated.into(),
        }
    }

    /// What must change to get from this state to `other`, whatever their kinship.
    /// Costs what differs, not what there is.
    pub fn diff_to(&self, other: &State) -> Diff {
        let mut storage = Vec::new();
        let (mut nonces, mut deployed, mut replaced) = (Vec::new(), Vec::new(), Vec::new());
        let none = Contract::default();
        for item in self.contracts.diff(&other.contracts) {
            let (address, old, new) = match item {
                DiffItem::Add(address, new) => (address, &none, &*new.0),
                DiffItem::Remove(address, old) => (address, &*old.0, &none),
                DiffItem::Update { old, new } => (old.0, &*old.1.0, &*new.1.0),
            };
            let mut slots: Vec<(Key, Felt)> = Vec::new();
            for slot in old.storage.diff(&new.storage) {
                match slot {
                    DiffItem::Add(_, cell) if cell.value == Felt::ZERO => {}
                    DiffItem::Add(key, cell) => slots.push((*key, cell.value)),
                    DiffItem::Remove(_, cell) if cell.value == Felt::ZERO => {}
                    DiffItem::Remove(key, _) => slots.push((*key, Felt::ZERO)),
                    DiffItem::Update { new, .. } => slots.push((*new.0, new.1.value)),
                }
            }
            if !slots.is_empty() {
                storage.push((*address, slots.into_boxed_slice()));
            }
            let value = |cell: &Option<Cell>| cell.as_ref().map_or(Felt::ZERO, |cell| cell.value);
            if value(&old.nonce) != value(&new.nonce) {
                nonces.push((*address, value(&new.nonce)));
            }
            match (value(&old.class), value(&new.class)) {
                (was, now) if was == now => {}
                (was, now) if was == Felt::ZERO => deployed.push((*address, now)),
                (_, now) => replaced.push((*address, now)),
            }
        }
        let (mut declared, mut deprecated) = (Vec::new(), Vec::new());
        for item in self.classes.diff(&other.classes) {
            if let DiffItem::Add(hash, entry) = item {
                match entry.class.compiled_hash {
                    Some(compiled) => declared.push((*hash, compiled)),
                    None => deprecated.push(*hash),
                }
            }
        }
        Diff {
            storage: storage.into(),
            nonces: nonces.into(),
            deployed: deployed.into(),
            replaced: replaced.into(),
            declared: declared.into(),
            deprecated: deprecated.into(),
        }
    }

    // Reading an image: what the version being written touched is told by the cells' dates.

    pub(crate) fn restore_class(&mut self, hash: Key, entry: Declared) {
        if entry.since == self.version {
            self.touched.declared.insert(hash);
        }
        self.classes.insert(hash, entry);
    }

    pub(crate) fn restore_contract(&mut self, address: Key, contract: Shared) {
        let fresh = |cell: &Option<Cell>| cell.as_ref().is_some_and(|c| c.since == self.version);
        if fresh(&contract.0.class) {
            self.touched.classes.insert(address);
        }
        if fresh(&contract.0.nonce) {
            self.touched.nonces.insert(address);
        }
        for (key, cell) in &contract.0.storage {
            self.figures.past += cell.older().count() as u64;
            if cell.since == self.version {
                self.touched.storage.insert((address, *key));
            }
        }
        self.figures.slots += contract.0.storage.len() as u64;
        self.contracts.insert(address, contract);
    }

    /// Roughly what this state holds on to, sharing not considered.
    pub fn approximate_bytes(&self) -> u64 {
        const SLOT: u64 = 130;
        const PAST: u64 = 96;
        const LOGGED: u64 = 80;
        const BLOCK: u64 = 160;
        const CONTRACT: u64 = 400;
        let classes: u64 = self
            .classes
            .values()
            .map(|entry| entry.class.approximate_bytes())
            .sum();
        self.figures.slots * SLOT
            + self.figures.past * PAST
            + self.figures.logged * LOGGED
            + self.log.len() as u64 * BLOCK
            + self.contracts.len() as u64 * CONTRACT
            + classes
    }
}

fn put(cell: &mut Option<Cell>, value: Felt, version: u64, keep: bool) -> u64 {
    match cell {
        Some(cell) => u64::from(cell.put(value, version, keep)),
        None => {
            *cell = Some(Cell::new(value, version));
            0
        }
    }
}
