//! Maps from bytecode to Sierra statements and to hints.

use serde::Deserialize;

/// What the compiler process writes in its second form.
#[derive(Debug, Deserialize)]
pub struct Statements {
    /// Offset into the bytecode where each statement begins; statements without code share the next one's.
    starts: Vec<usize>,
    /// Where the last statement ends: constants follow.
    end: usize,
    /// Each function's first statement and number, ordered by the statement.
    pub functions: Vec<(usize, u64)>,
    /// Checksum of the bytecode.
    pub checksum: u32,
}

/// Offsets into the bytecode with hints that make felts.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    pub(super) allocations: Vec<usize>,
    pub(super) system_calls: Vec<usize>,
}

impl Hints {
    pub fn allocates(&self, offset: usize) -> bool {
        self.allocations.binary_search(&offset).is_ok()
    }

    pub fn calls_system(&self, offset: usize) -> bool {
        self.system_calls.binary_search(&offset).is_ok()
    }
}

impl Statements {
    /// The statement that an instruction belongs to.
    pub fn at(&self, offset: usize) -> Option<usize> {
        if offset >= self.end {
            return None;
        }
        // The last that begins at or before it: those before it with the same begin have no code.
        self.starts.partition_point(|start| *start <= offset).checked_sub(1)
    }

    /// The statements that have code, in order.
    pub fn coded(&self) -> Vec<u32> {
        let ends = self.starts.iter().skip(1).chain([&self.end]);
        let spans = self.starts.iter().zip(ends).zip(0..);
        spans.filter(|((start, end), _)| start < end).map(|(_, statement)| statement).collect()
    }

    /// Statements that ran: the number, how often, and the steps in it. `visits` are in order.
    pub fn visited(&self, visits: &[(usize, u64)]) -> Vec<(usize, u64, u64)> {
        let mut visited: Vec<(usize, u64, u64)> = Vec::new();
        for (offset, times) in visits {
            let Some(statement) = self.at(*offset) else { continue };
            match visited.last_mut() {
                Some((last, _, steps)) if *last == statement => *steps += times,
                _ => visited.push((statement, *times, *times)),
            }
        }
        visited
    }
}
