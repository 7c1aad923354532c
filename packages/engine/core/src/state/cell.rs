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
        let mut kept = vec![(self.value, self.since)];
        for (value, since) in self.older() {
            if kept.last().is_some_and(|(_, last)| *last <= version) {
                break;
            }
            kept.push((value, since));
        }
        if kept.len() as u64 == self.older_count() + 1 {
            return self.clone();
        }
        Cell::from_history(kept).unwrap_or_else(|| self.clone())
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
