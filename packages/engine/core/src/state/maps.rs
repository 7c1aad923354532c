//! The state of a chain: persistent maps of cells, read as of any version.
//!
//! A `State` is an immutable value; copying one copies a pointer. Writing makes another value that
//! shares everything it did not touch. Each value carries the version (block number) it is writing;
//! older versions are read through the cells, so one handle serves the whole history.

use std::ops::Bound;
use std::sync::Arc;

use imbl::{OrdMap, OrdSet, Vector};
use starknet_types_core::felt::Felt;

use super::cell::Cell;
use super::changes::Changes;
use super::diff::Diff;
use super::storage_list::StorageList;
use crate::class::Class;
use crate::error::{Failure, Kind, Result};
use crate::fault;
use crate::felt::{Key, hex};
use crate::state_source::StateSource;

#[derive(Clone, Default)]
pub struct Contract {
    pub class: Option<Cell>,
    pub nonce: Option<Cell>,
    pub storage: OrdMap<Key, Cell>,
}

impl Contract {
    fn is_empty(&self) -> bool {
        self.class.is_none() && self.nonce.is_none() && self.storage.is_empty()
    }

    /// Older values of class and nonce.
    fn older_count(&self) -> u64 {
        [&self.class, &self.nonce].into_iter().flatten().map(Cell::older_count).sum()
    }
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

/// Which cells some versions touched.
#[derive(Clone, Default)]
pub struct Touched {
    pub storage: OrdSet<(Key, Key)>,
    pub nonces: OrdSet<Key>,
    pub classes: OrdSet<Key>,
    pub declared: OrdSet<Key>,
    /// Compiled class hashes of migrated classes. A class has the hash of the current function from its
    /// declaration, so a migration is part of a difference and of no cell.
    pub migrated: OrdMap<Key, Felt>,
}

impl Touched {
    pub fn count(&self) -> usize {
        self.storage.len()
            + self.nonces.len()
            + self.classes.len()
            + self.declared.len()
            + self.migrated.len()
    }
}

/// Counts that are kept up to date because counting again would cost a full scan.
#[derive(Clone, Copy, Default, Debug)]
pub struct Figures {
    pub slots: u64,
    /// Older values in all cells.
    pub past: u64,
    /// Entries of all logged differences.
    pub logged: u64,
}

#[derive(Clone)]
pub struct State {
    pub contracts: OrdMap<Key, Shared>,
    pub classes: OrdMap<Key, Declared>,
    /// The differences of the versions before this one, oldest first; none without history.
    pub log: Vector<Arc<Diff>>,
    /// What the version being written has touched so far.
    pub touched: Touched,
    pub version: u64,
    pub keep_history: bool,
    pub source: Option<Arc<StateSource>>,
    pub figures: Figures,
}

impl State {
    pub fn new(version: u64, keep_history: bool, source: Option<Arc<StateSource>>) -> Self {
        State {
            contracts: OrdMap::new(),
            classes: OrdMap::new(),
            log: Vector::new(),
            touched: Touched::default(),
            version,
            keep_history,
            source,
            figures: Figures::default(),
        }
    }

    // Reads as of a version, without the source: none means that this chain never wrote it.

    pub fn slot(&self, address: Key, key: Key) -> Option<&Cell> {
        self.contracts.get(&address)?.0.storage.get(&key)
    }

    pub fn storage(&self, address: Key, key: Key, at: u64) -> Option<Felt> {
        self.slot(address, key)?.at(at)
    }

    /// The version that last wrote the slot, as of `at`.
    pub fn storage_since(&self, address: Key, key: Key, at: u64) -> Option<u64> {
        Some(self.slot(address, key)?.dated(at)?.1)
    }

    /// The slots of a contract after the key `after`, in order of their keys: the value as of `at` and
    /// the version that wrote it. Zeros are included, because they hide the value of a source.
    pub fn slots_after(
        &self,
        address: Key,
        after: Option<Key>,
        at: u64,
    ) -> impl Iterator<Item = (Key, Felt, u64)> + '_ {
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let slots = self.contracts.get(&address).map(|contract| &contract.0.storage);
        slots.into_iter().flat_map(move |slots| slots.range((start, Bound::Unbounded))).filter_map(
            move |(key, cell)| cell.dated(at).map(|(value, since)| (*key, value, since)),
        )
    }

    pub fn nonce(&self, address: Key, at: u64) -> Option<Felt> {
        self.contracts.get(&address)?.0.nonce.as_ref()?.at(at)
    }

    pub fn class_hash(&self, address: Key, at: u64) -> Option<Felt> {
        self.contracts.get(&address)?.0.class.as_ref()?.at(at)
    }

    pub fn class(&self, hash: Key, at: u64) -> Option<&Arc<Class>> {
        self.classes.get(&hash).filter(|entry| entry.since <= at).map(|entry| &entry.class)
    }

    // Writing.

    /// The state after these changes, still at the same version.
    pub fn apply(&self, changes: &Changes) -> Result<State> {
        fault::point("state");
        let mut next = self.clone();
        for class in &changes.classes {
            let key = Key::from(class.hash);
            if next.classes.contains_key(&key) {
                continue;
            }
            let entry = Declared { class: class.clone(), since: self.version };
            next.classes.insert(key, entry);
            next.touched.declared.insert(key);
        }
        next.check_listed(changes)?;
        next.touched.migrated.extend(changes.migrated.iter().map(|(hash, value)| (*hash, *value)));
        let (version, keep) = (self.version, self.keep_history);
        let put = |cell: &mut Option<Cell>, value: Felt| match cell {
            Some(cell) => cell.put(value, version, keep),
            None => *cell = Some(Cell::new(value, version)),
        };
        for (address, hash) in &changes.class_hashes {
            next.edit(*address, |contract| put(&mut contract.class, *hash));
            next.touched.classes.insert(*address);
        }
        for (address, nonce) in &changes.nonces {
            next.edit(*address, |contract| put(&mut contract.nonce, *nonce));
            next.touched.nonces.insert(*address);
        }
        for (address, slots) in &changes.storage {
            next.write_slots(*address, slots.iter());
        }
        Ok(next)
    }

    /// The state after slots are written, still at the same version.
    pub fn write_storage(mut self, list: &StorageList) -> State {
        for (address, slots) in &list.contracts {
            self.write_slots(*address, slots.iter().map(|(key, value)| (key, value)));
        }
        self
    }

    /// Writes slots of one contract, in the order of their keys.
    fn write_slots<'a>(
        &mut self,
        address: Key,
        slots: impl ExactSizeIterator<Item = (&'a Key, &'a Felt)>,
    ) {
        // A list without slots makes no contract.
        if slots.len() == 0 {
            return;
        }
        let (version, keep) = (self.version, self.keep_history);
        let contract = self.contracts.entry(address).or_default();
        let storage = &mut Arc::make_mut(&mut contract.0).storage;
        for (key, value) in slots {
            if let Some(cell) = storage.get_mut(key) {
                let before = cell.older_count();
                cell.put(*value, version, keep);
                self.figures.past = self.figures.past + cell.older_count() - before;
            } else {
                storage.insert(*key, Cell::new(*value, version));
                self.figures.slots += 1;
            }
            self.touched.storage.insert((address, *key));
        }
    }

    /// Checks that every class listed as declared is there and has the listed compiled class hash.
    fn check_listed(&self, changes: &Changes) -> Result<()> {
        for (hash, compiled) in &changes.listed {
            let wrong = |why: &str| {
                let hash = hex(*hash);
                Failure::new(Kind::State, format!("class {hash} is listed as declared, but {why}"))
            };
            let entry = self.classes.get(&Key::from(*hash));
            let class = &entry.ok_or_else(|| wrong("its body was not given"))?.class;
            match (compiled, class.compiled_hash) {
                (Some(listed), Some(real)) if *listed != real => {
                    return Err(wrong(&format!("its compiled class hash is {}", hex(real))));
                }
                (Some(_), None) => return Err(wrong("it is a Cairo 0 class")),
                (None, Some(_)) => return Err(wrong("it is not a Cairo 0 class")),
                _ => {}
            }
        }
        Ok(())
    }

    /// Changes a contract's class or nonce, and updates the count of older values.
    fn edit(&mut self, address: Key, change: impl FnOnce(&mut Contract)) {
        let entry = self.contracts.entry(address).or_default();
        let contract = Arc::make_mut(&mut entry.0);
        let before = contract.older_count();
        change(contract);
        self.figures.past = self.figures.past + contract.older_count() - before;
        if contract.is_empty() {
            self.contracts.remove(&address);
        }
    }

    /// Changes a slot, or removes it, and keeps count.
    fn edit_slot(&mut self, address: Key, key: Key, change: impl FnOnce(&Cell) -> Option<Cell>) {
        let Some(entry) = self.contracts.get_mut(&address) else { return };
        let contract = Arc::make_mut(&mut entry.0);
        let Some(cell) = contract.storage.get_mut(&key) else { return };
        self.figures.past -= cell.older_count();
        if let Some(changed) = change(cell) {
            self.figures.past += changed.older_count();
            *cell = changed;
        } else {
            contract.storage.remove(&key);
            self.figures.slots -= 1;
            if contract.is_empty() {
                self.contracts.remove(&address);
            }
        }
    }

    /// Changes, or removes, all cells that were touched: slots, nonces and classes of contracts.
    pub fn edit_touched(&mut self, touched: &Touched, change: impl Fn(&Cell) -> Option<Cell>) {
        for (address, key) in &touched.storage {
            self.edit_slot(*address, *key, &change);
        }
        for address in &touched.nonces {
            self.edit(*address, |contract| {
                contract.nonce = contract.nonce.as_ref().and_then(&change);
            });
        }
        for address in &touched.classes {
            self.edit(*address, |contract| {
                contract.class = contract.class.as_ref().and_then(&change);
            });
        }
    }

    // Reading an image. Cells dated with the version being written were touched by it.

    pub fn restore_class(&mut self, hash: Key, entry: Declared) {
        if entry.since == self.version {
            self.touched.declared.insert(hash);
        }
        self.classes.insert(hash, entry);
    }

    pub fn restore_contract(&mut self, address: Key, contract: Shared) {
        let fresh = |cell: &Option<Cell>| cell.as_ref().is_some_and(|c| c.since == self.version);
        if fresh(&contract.0.class) {
            self.touched.classes.insert(address);
        }
        if fresh(&contract.0.nonce) {
            self.touched.nonces.insert(address);
        }
        self.figures.past += contract.0.older_count();
        for (key, cell) in &contract.0.storage {
            self.figures.past += cell.older_count();
            if cell.since == self.version {
                self.touched.storage.insert((address, *key));
            }
        }
        self.figures.slots += contract.0.storage.len() as u64;
        self.contracts.insert(address, contract);
    }

    /// Estimated memory of this state, as if it shared nothing with others.
    pub fn approximate_bytes(&self) -> u64 {
        const SLOT: u64 = 130;
        const PAST: u64 = 96;
        const LOGGED: u64 = 80;
        const BLOCK: u64 = 160;
        const CONTRACT: u64 = 400;
        let classes: u64 = self.classes.values().map(|entry| entry.class.approximate_bytes()).sum();
        self.figures.slots * SLOT
            + self.figures.past * PAST
            + self.figures.logged * LOGGED
            + self.log.len() as u64 * BLOCK
            + self.contracts.len() as u64 * CONTRACT
            + classes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> Key {
        Key::from(Felt::from(number))
    }

    fn write(state: &State, wire: &str) -> State {
        state.apply(&Changes::from_wire(wire, Vec::new()).unwrap()).unwrap()
    }

    fn slot(address: u64, slot: u64, value: u64) -> String {
        format!(
            r#"{{"storage_diffs":[{{"address":"{address:#x}","storage_entries":[{{"key":"{slot:#x}","value":"{value:#x}"}}]}}]}}"#
        )
    }

    #[test]
    fn writing_makes_another_value() {
        let empty = State::new(0, true, None);
        let written = write(&empty, &slot(1, 2, 3));
        assert_eq!(empty.storage(key(1), key(2), 0), None);
        assert_eq!(written.storage(key(1), key(2), 0), Some(Felt::THREE));
        assert_eq!((empty.figures.slots, written.figures.slots), (0, 1));
    }

    #[test]
    fn a_slot_is_read_as_of_each_version() {
        let first = write(&State::new(4, true, None), &slot(1, 2, 3)).advance();
        let second = write(&first, &slot(1, 2, 7));
        assert_eq!(second.storage(key(1), key(2), 3), None);
        assert_eq!(second.storage(key(1), key(2), 4), Some(Felt::THREE));
        assert_eq!(second.storage(key(1), key(2), 5), Some(Felt::from(7)));
        assert_eq!(second.storage_since(key(1), key(2), 4), Some(4));
        assert_eq!(second.storage_since(key(1), key(2), 9), Some(5));
    }

    #[test]
    fn nonces_and_classes_are_read_as_of_each_version() {
        let wire = r#"{"nonces":[{"contract_address":"0x1","nonce":"0x2"}],
            "deployed_contracts":[{"address":"0x1","class_hash":"0x5"}]}"#;
        let first = write(&State::new(0, true, None), wire).advance();
        let second = write(&first, r#"{"nonces":[{"contract_address":"0x1","nonce":"0x3"}]}"#);
        assert_eq!(second.nonce(key(1), 0), Some(Felt::TWO));
        assert_eq!(second.nonce(key(1), 1), Some(Felt::THREE));
        assert_eq!(second.class_hash(key(1), 1), Some(Felt::from(5)));
        assert_eq!(second.nonce(key(9), 1), None);
    }

    #[test]
    fn a_list_without_slots_makes_no_contract() {
        let wire = r#"{"storage_diffs":[{"address":"0x1","storage_entries":[]}]}"#;
        assert_eq!(write(&State::new(0, true, None), wire).contracts.len(), 0);
    }

    #[test]
    fn slots_are_listed_in_order_behind_a_key() {
        let mut state = State::new(0, true, None);
        for number in [9, 2, 5, 7] {
            state = write(&state, &slot(1, number, number));
        }
        let keys = |after| -> Vec<_> {
            state.slots_after(key(1), after, 0).map(|(key, ..)| key.felt()).collect()
        };
        assert_eq!(keys(None), [2, 5, 7, 9].map(Felt::from));
        assert_eq!(keys(Some(key(5))), [7, 9].map(Felt::from));
        assert_eq!(keys(Some(key(9))), []);
        assert_eq!(state.slots_after(key(2), None, 0).count(), 0);
    }

    #[test]
    fn a_class_that_is_listed_must_come_with_its_body() {
        let wire = r#"{"declared_classes":[{"class_hash":"0xc","compiled_class_hash":"0xd"}]}"#;
        let changes = Changes::from_wire(wire, Vec::new()).unwrap();
        let failure = State::new(0, true, None).apply(&changes).err().unwrap();
        assert_eq!(failure.kind, Kind::State);
        assert_eq!(failure.message, "class 0xc is listed as declared, but its body was not given");
    }

    #[test]
    fn older_values_are_counted() {
        let mut state = State::new(0, true, None);
        for value in 1..=5 {
            state = write(&state, &slot(1, 2, value)).advance();
        }
        assert_eq!((state.figures.slots, state.figures.past, state.figures.logged), (1, 4, 5));
        let rewound = state.rewind(1).unwrap();
        let figures = rewound.figures;
        assert_eq!((figures.slots, figures.past, figures.logged), (1, 1, 2));
        assert!(rewound.approximate_bytes() < state.approximate_bytes());
    }
}
