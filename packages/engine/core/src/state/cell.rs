//! One value with its history: one small node for each change.
//!
//! A cell holds the newest value and a persistent list of older ones. Every list node also points
//! far back (a skew-binary jump), so a value as of any version is found in O(log changes), and
//! because nodes are never changed, any number of diverging chains can share them.

use std::sync::Arc;

use starknet_types_core::felt::Felt;

#[derive(Clone, Debug)]
pub struct Cell {
    pub value: Felt,
    pub since: u64,
    past: Option<Arc<Past>>,
}

#[derive(Debug)]
struct Past {
    value: Felt,
    since: u64,
    /// How many nodes lie behind this one.
    behind: u64,
    prev: Option<Arc<Past>>,
    jump: Option<Arc<Past>>,
}

impl Cell {
    pub fn new(value: Felt, since: u64) -> Self {
        Cell { value, since, past: None }
    }

    /// Sets the value as of `version`. The value at the beginning of that version is always kept; older
    /// ones only with `keep`.
    pub fn put(&mut self, value: Felt, version: u64, keep: bool) {
        if self.since < version {
            let older = self.past.take().filter(|_| keep);
            self.past = Some(Arc::new(Past::onto(older, self.value, self.since)));
        }
        self.value = value;
        self.since = version;
    }

    /// How many older values the cell holds.
    pub fn older_count(&self) -> u64 {
        self.past.as_ref().map_or(0, |node| node.behind + 1)
    }

    /// The same cell without history.
    pub fn without_history(&self) -> Cell {
        Cell { past: None, ..self.clone() }
    }

    /// The value as of `version`; none if the cell did not exist yet.
    pub fn at(&self, version: u64) -> Option<Felt> {
        self.dated(version).map(|(value, _)| value)
    }

    /// The value as of `version` and the version that wrote it.
    pub fn dated(&self, version: u64) -> Option<(Felt, u64)> {
        if self.since <= version {
            return Some((self.value, self.since));
        }
        self.find(version).map(|node| (node.value, node.since))
    }

    /// The cell as of `version`, with its history up to there.
    pub fn rewound(&self, version: u64) -> Option<Cell> {
        if self.since <= version {
            return Some(self.clone());
        }
        let node = self.find(version)?;
        Some(Cell { value: node.value, since: node.since, past: node.prev.clone() })
    }

    /// The same cell without values older than the one at `version`.
    pub fn trimmed(&self, version: u64) -> Cell {
        let mut recent = vec![(self.value, self.since)];
        for (value, since) in self.older() {
            if recent.last().is_some_and(|(_, last)| *last <= version) {
                break;
            }
            recent.push((value, since));
        }
        if recent.len() as u64 == self.older_count() + 1 {
            return self.clone();
        }
        Cell::from_history(recent).unwrap_or_else(|| self.clone())
    }

    /// A cell from its values, newest first; none if they are not in order or there are none.
    pub fn from_history(newest_first: Vec<(Felt, u64)>) -> Option<Cell> {
        let mut oldest_first = newest_first.into_iter().rev();
        let (value, since) = oldest_first.next()?;
        let mut cell = Cell::new(value, since);
        for (value, since) in oldest_first {
            if since <= cell.since {
                return None;
            }
            cell.put(value, since, true);
        }
        Some(cell)
    }

    /// Older values, newest first.
    pub fn older(&self) -> impl Iterator<Item = (Felt, u64)> + '_ {
        std::iter::successors(self.past.as_deref(), |node| node.prev.as_deref())
            .map(|node| (node.value, node.since))
    }

    fn find(&self, version: u64) -> Option<&Past> {
        let mut node = self.past.as_deref();
        while let Some(current) = node {
            if current.since <= version {
                return Some(current);
            }
            node = match current.jump.as_deref() {
                Some(far) if far.since > version => Some(far),
                _ => current.prev.as_deref(),
            };
        }
        None
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Past {
    fn onto(prev: Option<Arc<Past>>, value: Felt, since: u64) -> Past {
        let behind = prev.as_ref().map_or(0, |node| node.behind + 1);
        // Skew-binary rule: two equal jumps in a row merge into one.
        let jump = prev.as_ref().map(|node| match &node.jump {
            Some(far) => match &far.jump {
                Some(farther) if node.behind - far.behind == far.behind - farther.behind => {
                    farther.clone()
                }
                _ => node.clone(),
            },
            None => node.clone(),
        });
        Past { value, since, behind, prev, jump }
    }
}

/// Iterative, because freeing a long list by recursion would exhaust the stack.
impl Drop for Past {
    fn drop(&mut self) {
        self.jump = None;
        let mut next = self.prev.take();
        while let Some(mut node) = next.and_then(Arc::into_inner) {
            node.jump = None;
            next = node.prev.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn felt(number: u64) -> Felt {
        Felt::from(number)
    }

    /// A cell that each of the versions wrote its own number to.
    fn written_by(versions: &[u64]) -> Cell {
        let mut cell = Cell::new(felt(versions[0]), versions[0]);
        for version in &versions[1..] {
            cell.put(felt(*version), *version, true);
        }
        cell
    }

    #[test]
    fn a_version_reads_the_last_value_written_up_to_it() {
        let cell = written_by(&[3, 5, 9]);
        let values = [2, 3, 4, 5, 8, 9, 100].map(|version| cell.at(version));
        let expected = [None, Some(3), Some(3), Some(5), Some(5), Some(9), Some(9)];
        assert_eq!(values, expected.map(|value| value.map(felt)));
        assert_eq!(cell.dated(8), Some((felt(5), 5)));
    }

    #[test]
    fn a_second_write_of_a_version_replaces_its_first() {
        let mut cell = written_by(&[1, 2]);
        cell.put(felt(7), 2, true);
        assert_eq!((cell.at(1), cell.at(2)), (Some(felt(1)), Some(felt(7))));
        assert_eq!(cell.older_count(), 1);
    }

    #[test]
    fn without_history_only_the_value_before_the_version_stays() {
        let mut cell = Cell::new(felt(1), 1);
        for version in 2..10 {
            cell.put(felt(version), version, false);
        }
        assert_eq!(cell.older_count(), 1);
        assert_eq!((cell.at(8), cell.at(7)), (Some(felt(8)), None));
        assert_eq!(cell.without_history().older_count(), 0);
    }

    #[test]
    fn every_version_of_a_long_history_is_found() {
        let versions: Vec<u64> = (0..2_000).map(|index| index * 3 + 1).collect();
        let cell = written_by(&versions);
        for version in 1..6_000 {
            assert_eq!(cell.at(version), Some(felt((version - 1) / 3 * 3 + 1)), "{version}");
        }
        assert_eq!(cell.at(0), None);
    }

    #[test]
    fn rewinding_keeps_the_history_before() {
        let cell = written_by(&[1, 4, 6]).rewound(5).unwrap();
        assert_eq!((cell.value, cell.since, cell.older_count()), (felt(4), 4, 1));
        assert_eq!(cell.at(3), Some(felt(1)));
        assert!(cell.rewound(0).is_none());
    }

    #[test]
    fn histories_diverge_and_share_what_was_before() {
        let first = written_by(&[1, 2, 3]);
        let mut second = first.rewound(2).unwrap();
        second.put(felt(33), 3, true);
        assert_eq!((first.at(3), second.at(3)), (Some(felt(3)), Some(felt(33))));
        assert_eq!(first.at(2), second.at(2));
    }

    #[test]
    fn trimming_drops_values_older_than_the_one_of_the_version() {
        let cell = written_by(&[1, 3, 5, 7]);
        let trimmed = cell.trimmed(4);
        assert_eq!(trimmed.older().collect::<Vec<_>>(), [(felt(5), 5), (felt(3), 3)]);
        assert_eq!(cell.trimmed(0).older_count(), 3);
        assert_eq!(cell.trimmed(7).older_count(), 0);
    }

    #[test]
    fn a_history_must_be_in_order() {
        let cell = Cell::from_history(vec![(felt(9), 9), (felt(4), 4)]).unwrap();
        assert_eq!((cell.at(8), cell.since), (Some(felt(4)), 9));
        assert!(Cell::from_history(vec![]).is_none());
        assert!(Cell::from_history(vec![(felt(1), 4), (felt(2), 4)]).is_none());
        assert!(Cell::from_history(vec![(felt(1), 3), (felt(2), 4)]).is_none());
    }

    #[test]
    fn a_long_history_is_freed_without_recursion() {
        let mut cell = Cell::new(felt(0), 0);
        for version in 1..1_000_000 {
            cell.put(felt(version), version, true);
        }
        let count = cell.older_count();
        drop(cell);
        assert_eq!(count, 999_999);
    }
}
