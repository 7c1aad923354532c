//! Versions of a state: closing one, its difference, rewinding, and moving old ones to a source.
//!
//! Invariant: a cell has a value for a version exactly if the version's difference lists it. The open
//! version alone may hold cells that it has not really changed; closing removes them. Differences of
//! closed versions are logged only where history is kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::ordmap::DiffItem;
use starknet_types_core::felt::Felt;

use super::cell::Cell;
use super::diff::{ClassChanges, Diff};
use super::maps::{Contract, State, Touched};
use crate::error::{Failure, Kind, Result};
use crate::felt::Key;
use crate::state_source::StateSource;

impl Touched {
    fn add(&mut self, diff: &Diff) {
        for (address, slots) in &diff.storage {
            self.storage.extend(slots.iter().map(|(key, _)| (*address, *key)));
        }
        self.nonces.extend(diff.nonces.iter().map(|(address, _)| *address));
        let classes = diff.deployed.iter().chain(&diff.replaced);
        self.classes.extend(classes.map(|(address, _)| *address));
        self.declared.extend(diff.declared.iter().map(|(hash, _)| *hash));
        self.declared.extend(diff.deprecated.iter().copied());
    }

    /// Every cell and class that was last written by `version` or before.
    fn up_to(version: u64, state: &State) -> Touched {
        let mut touched = Touched::default();
        let is_old = |cell: &Cell| cell.since <= version;
        for (address, contract) in &state.contracts {
            let slots = contract.0.storage.iter().filter(|(_, cell)| is_old(cell));
            touched.storage.extend(slots.map(|(key, _)| (*address, *key)));
            if contract.0.nonce.as_ref().is_some_and(is_old) {
                touched.nonces.insert(*address);
            }
            if contract.0.class.as_ref().is_some_and(is_old) {
                touched.classes.insert(*address);
            }
        }
        let declared = state.classes.iter().filter(|(_, entry)| entry.since <= version);
        touched.declared.extend(declared.map(|(hash, _)| *hash));
        touched
    }

    /// The migrated hashes, without classes that the version declares: they have this hash from the start.
    fn migrations(&self) -> impl Iterator<Item = (Key, Felt)> + '_ {
        let migrated = self.migrated.iter().map(|(hash, compiled)| (*hash, *compiled));
        migrated.filter(|(hash, _)| !self.declared.contains(hash))
    }

    /// The cells that were touched and are not in the difference, which lists only what was touched.
    fn without(&self, diff: &Diff) -> Touched {
        if diff.length() == self.count() {
            return Touched::default();
        }
        let mut changed = diff
            .storage
            .iter()
            .flat_map(|(address, slots)| slots.iter().map(|(key, _)| (*address, *key)))
            .peekable();
        // Both are sorted.
        let is_unchanged = |slot: &&(Key, Key)| changed.next_if_eq(*slot).is_none();
        let storage = self.storage.iter().filter(is_unchanged).copied().collect();
        let (mut nonces, mut classes) = (self.nonces.clone(), self.classes.clone());
        for (address, _) in &diff.nonces {
            nonces.remove(address);
        }
        for (address, _) in diff.deployed.iter().chain(&diff.replaced) {
            classes.remove(address);
        }
        Touched { storage, nonces, classes, ..Touched::default() }
    }
}

impl State {
    /// The oldest version whose difference is kept.
    pub fn first_version(&self) -> u64 {
        self.version - self.log.len() as u64
    }

    /// Closes the version being written; the result writes the next one.
    pub fn advance(&self) -> State {
        self.close().0
    }

    /// As `advance`, with the difference that the closed version made.
    pub fn close(&self) -> (State, Arc<Diff>) {
        let mut next = self.clone();
        let diff = Arc::new(self.pending());
        // A cell that ends the version with its old value was not changed: its date and history revert.
        let unchanged = self.touched.without(&diff);
        match self.version.checked_sub(1) {
            Some(closed) => next.edit_touched(&unchanged, |cell| cell.rewound(closed)),
            None => next.edit_touched(&unchanged, |_| None),
        }
        if self.keep_history {
            next.figures.logged += diff.length() as u64;
            next.log.push_back(diff.clone());
        } else {
            next.edit_touched(&self.touched, |cell| Some(cell.without_history()));
            // Images of older versions of the engine hold differences of states without history.
            next.figures.logged = 0;
            next.log.clear();
        }
        next.touched = Touched::default();
        next.version += 1;
        (next, diff)
    }

    /// The difference that `version` made: of a closed one, or of the one being written.
    pub fn diff_of(&self, version: u64) -> Result<Arc<Diff>> {
        if version == self.version {
            return Ok(Arc::new(self.pending()));
        }
        version
            .checked_sub(self.first_version())
            .and_then(|index| self.log.get(usize::try_from(index).ok()?))
            .cloned()
            .ok_or_else(|| {
                if version < self.version && !self.keep_history {
                    return not_kept(&format!("the difference of version {version}"));
                }
                self.unknown_version(version)
            })
    }

    /// Whether the values of `version` can be read from this handle.
    pub fn check_readable(&self, version: u64) -> Result<()> {
        if version == self.version {
            return Ok(());
        }
        if !self.keep_history {
            return Err(not_kept(&format!("the state of version {version}")));
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
    pub fn rewind(&self, version: u64) -> Result<State> {
        if version >= self.version {
            return Err(self.unknown_version(version));
        }
        self.check_readable(version)?;
        let mut next = self.clone();
        let mut undone = self.touched.clone();
        while next.version > version + 1 {
            let Some(diff) = next.log.pop_back() else { break };
            next.version -= 1;
            next.figures.logged -= diff.length() as u64;
            undone.add(&diff);
        }
        next.edit_touched(&undone, |cell| cell.rewound(version));
        for hash in &undone.declared {
            if next.classes.get(hash).is_some_and(|entry| entry.since > version) {
                next.classes.remove(hash);
            }
        }
        next.touched = Touched::default();
        Ok(next)
    }

    /// The same state above a source that answers for everything up to `version`: what those
    /// versions wrote is no longer in memory. Costs what they wrote; without history, what is in memory.
    pub fn settle(&self, version: u64, source: Arc<StateSource>) -> Result<State> {
        if version >= self.version {
            return Err(self.unknown_version(version));
        }
        let mut next = self.clone();
        let mut touched = Touched::default();
        while next.first_version() <= version {
            let Some(diff) = next.log.pop_front() else { break };
            next.figures.logged -= diff.length() as u64;
            touched.add(&diff);
        }
        if !self.keep_history {
            touched = Touched::up_to(version, self);
        }
        // A cell written since keeps the value it replaced, which tells whether it changed.
        next.edit_touched(&touched, |cell| (cell.since > version).then(|| cell.trimmed(version)));
        for hash in &touched.declared {
            if next.classes.get(hash).is_some_and(|entry| entry.since <= version) {
                next.classes.remove(hash);
            }
        }
        next.source = Some(source);
        Ok(next)
    }

    /// The value before the version being written: from the cell's history or from the source. None if
    /// the source was never asked for it.
    fn before(
        &self,
        cell: Option<&Cell>,
        source: impl FnOnce(&StateSource) -> Option<Felt>,
    ) -> Option<Felt> {
        let closed = self.version.checked_sub(1);
        let here = cell.and_then(|cell| cell.at(closed?));
        match (here, &self.source) {
            (Some(value), _) => Some(value),
            (None, Some(asked)) => source(asked),
            (None, None) => Some(Felt::ZERO),
        }
    }

    /// The difference that the version being written has made so far.
    fn pending(&self) -> Diff {
        let now = |cell: Option<&Cell>| cell.map_or(Felt::ZERO, |cell| cell.value);
        let mut storage: BTreeMap<Key, Vec<(Key, Felt)>> = BTreeMap::new();
        for (address, key) in &self.touched.storage {
            let cell = self.slot(*address, *key);
            if self.before(cell, |source| source.cached_storage(*address, *key)) != Some(now(cell))
            {
                storage.entry(*address).or_default().push((*key, now(cell)));
            }
        }
        let mut nonces = Vec::new();
        for address in &self.touched.nonces {
            let cell = self.contracts.get(address).and_then(|entry| entry.0.nonce.as_ref());
            if self.before(cell, |source| source.cached_nonce(*address)) != Some(now(cell)) {
                nonces.push((*address, now(cell)));
            }
        }
        let mut moves = ClassChanges::default();
        for address in &self.touched.classes {
            let cell = self.contracts.get(address).and_then(|entry| entry.0.class.as_ref());
            let was = self.before(cell, |source| source.cached_class_hash(*address));
            moves.add(*address, was.unwrap_or_default(), now(cell));
        }
        let (mut declared, mut deprecated) = (Vec::new(), Vec::new());
        for hash in &self.touched.declared {
            match self.classes.get(hash).and_then(|entry| entry.class.compiled_hash) {
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
            deployed: moves.deployed.into(),
            replaced: moves.replaced.into(),
            declared: declared.into(),
            deprecated: deprecated.into(),
            migrated: self.touched.migrations().collect(),
        }
    }

    /// The difference from this state to any `other`. Costs what differs, not the size of the states.
    /// Above a source, only if nothing was rewound between the two.
    pub fn diff_to(&self, other: &State) -> Diff {
        let mut storage = Vec::new();
        let (mut nonces, mut moves) = (Vec::new(), ClassChanges::default());
        let none = Contract::default();
        // Above a source, a zero hides its value and is a change.
        let is_nothing = |cell: &Cell| self.source.is_none() && cell.value == Felt::ZERO;
        for item in self.contracts.diff(&other.contracts) {
            let (address, old, new) = match item {
                DiffItem::Add(address, new) => (address, &none, &*new.0),
                DiffItem::Remove(address, old) => (address, &*old.0, &none),
                DiffItem::Update { old, new } => (old.0, &*old.1.0, &*new.1.0),
            };
            let mut slots: Vec<(Key, Felt)> = Vec::new();
            for slot in old.storage.diff(&new.storage) {
                match slot {
                    DiffItem::Add(_, cell) if is_nothing(cell) => {}
                    DiffItem::Add(key, cell) => slots.push((*key, cell.value)),
                    DiffItem::Remove(_, cell) if is_nothing(cell) => {}
                    DiffItem::Remove(key, _) => slots.push((*key, Felt::ZERO)),
                    DiffItem::Update { new, .. } => slots.push((*new.0, new.1.value)),
                }
            }
            if !slots.is_empty() {
                storage.push((*address, slots.into_boxed_slice()));
            }
            let value = |cell: &Option<Cell>| cell.as_ref().map_or(Felt::ZERO, |cell| cell.value);
            let covers = old.nonce.is_none() && new.nonce.is_some() && self.source.is_some();
            if covers || value(&old.nonce) != value(&new.nonce) {
                nonces.push((*address, value(&new.nonce)));
            }
            moves.add(*address, value(&old.class), value(&new.class));
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
        let is_new = |hash: &Key| !self.touched.migrated.contains_key(hash);
        let migrated = other.touched.migrations().filter(|(hash, _)| is_new(hash));
        Diff {
            storage: storage.into(),
            nonces: nonces.into(),
            deployed: moves.deployed.into(),
            replaced: moves.replaced.into(),
            declared: declared.into(),
            deprecated: deprecated.into(),
            migrated: migrated.collect(),
        }
    }
}

fn not_kept(what: &str) -> Failure {
    Failure::new(Kind::State, format!("{what} was not kept: history is off"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Changes;

    fn key(number: u64) -> Key {
        Key::from(Felt::from(number))
    }

    fn set(state: &State, slot: u64, value: u64) -> State {
        let mut changes = Changes::default();
        changes.storage.entry(key(1)).or_default().insert(key(slot), Felt::from(value));
        state.apply(&changes).unwrap()
    }

    fn read(state: &State, slot: u64) -> Option<Felt> {
        state.storage(key(1), key(slot), state.version)
    }

    #[test]
    fn closing_logs_what_the_version_changed() {
        let (closed, diff) = set(&set(&State::new(3, true, None), 1, 10), 2, 20).close();
        assert_eq!((closed.version, closed.first_version()), (4, 3));
        let slots = [(key(1), Felt::from(10)), (key(2), Felt::from(20))];
        assert_eq!(*diff.storage, [(key(1), slots.into())]);
        assert_eq!(closed.diff_of(3).unwrap(), diff);
        assert_eq!(closed.diff_of(4).unwrap().length(), 0);
    }

    #[test]
    fn a_value_that_is_written_back_is_no_change() {
        let first = set(&State::new(0, true, None), 1, 10).advance();
        let (closed, diff) = set(&set(&first, 1, 11), 1, 10).close();
        assert_eq!(diff.length(), 0);
        assert_eq!(closed.storage_since(key(1), key(1), 1), Some(0));
        assert_eq!(closed.figures.past, 0);
    }

    #[test]
    fn a_migration_is_part_of_the_difference_of_its_version() {
        let mut changes = Changes::default();
        changes.migrated.insert(key(7), Felt::from(8));
        let empty = State::new(0, true, None);
        let migrated = empty.apply(&changes).unwrap();
        let (closed, diff) = migrated.close();
        assert_eq!(
            (empty.diff_to(&migrated), migrated.diff_to(&migrated).length()),
            ((*diff).clone(), 0)
        );
        assert_eq!((&*diff.migrated, diff.length()), (&[(key(7), Felt::from(8))][..], 1));
        assert_eq!(closed.diff_of(0).unwrap(), diff);
        assert_eq!(closed.diff_of(1).unwrap().length(), 0);
        assert_eq!(closed.advance().rewind(0).unwrap().diff_of(0).unwrap(), diff);
    }

    #[test]
    fn a_zero_in_an_empty_slot_leaves_nothing() {
        let (closed, diff) = set(&State::new(0, true, None), 1, 0).close();
        assert_eq!(diff.length(), 0);
        assert_eq!((closed.contracts.len(), closed.figures.slots), (0, 0));
    }

    #[test]
    fn rewinding_undoes_the_versions_after() {
        let mut state = State::new(0, true, None);
        for version in 0..5 {
            state = set(&set(&state, 1, version + 10), version + 100, 1).advance();
        }
        let rewound = set(&state, 1, 99).rewind(2).unwrap();
        assert_eq!((rewound.version, read(&rewound, 1)), (3, Some(Felt::from(12))));
        assert_eq!((read(&rewound, 102), read(&rewound, 103)), (Some(Felt::ONE), None));
        assert_eq!(rewound.log.len(), 3);
        assert_eq!(read(&state, 1), Some(Felt::from(14)));
    }

    #[test]
    fn versions_outside_of_the_history_are_refused() {
        let state = set(&State::new(5, true, None), 1, 1).advance().advance();
        for version in [4, 5, 6, 7] {
            assert!(state.check_readable(version).is_ok(), "{version}");
        }
        for version in [3, 8] {
            let failure = state.check_readable(version).unwrap_err();
            let message = format!("version {version} is not part of this state: it holds 5 to 7");
            assert_eq!((failure.kind, failure.message), (Kind::State, message));
        }
        assert!(state.rewind(7).is_err());
        assert!(state.diff_of(4).is_err());
    }

    #[test]
    fn without_history_older_versions_are_refused() {
        let state = set(&State::new(0, false, None), 1, 1).advance();
        let state = set(&state, 1, 2).advance();
        assert_eq!((state.log.len(), state.figures.past), (0, 0));
        let failures = [state.check_readable(0).unwrap_err(), state.diff_of(1).unwrap_err()];
        for failure in failures {
            assert!(failure.message.ends_with("was not kept: history is off"), "{failure}");
        }
        assert_eq!(read(&state, 1), Some(Felt::TWO));
    }

    #[test]
    fn the_difference_between_two_states_leads_from_one_to_the_other() {
        let from = set(&set(&State::new(0, true, None), 1, 10), 2, 20);
        let to = set(&set(&set(&from, 1, 11), 3, 30), 2, 0);
        let diff = from.diff_to(&to);
        let slots = [(key(1), Felt::from(11)), (key(2), Felt::ZERO), (key(3), Felt::from(30))];
        assert_eq!(*diff.storage, [(key(1), slots.into())]);
        assert_eq!(from.diff_to(&from).length(), 0);
        let reverse = to.diff_to(&from);
        let slots = [(key(1), Felt::from(10)), (key(2), Felt::from(20)), (key(3), Felt::ZERO)];
        assert_eq!(*reverse.storage, [(key(1), slots.into())]);
    }
}
