//! Maps from bytecode to Sierra statements and to hints.

use serde::Deserialize;

/// What the compiler writes as its second output.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Statement 1 has no code, and constants follow from offset 9 on.
    fn sample() -> Statements {
        Statements { starts: vec![0, 4, 4, 6], end: 9, functions: vec![(0, 7)], checksum: 1 }
    }

    #[test]
    fn an_instruction_belongs_to_the_statement_with_its_code() {
        let statements = sample();
        let at = [0, 3, 4, 5, 6, 8, 9, 100].map(|offset| statements.at(offset));
        assert_eq!(at, [Some(0), Some(0), Some(2), Some(2), Some(3), Some(3), None, None]);
    }

    #[test]
    fn statements_without_code_are_left_out() {
        assert_eq!(sample().coded(), [0, 2, 3]);
    }

    #[test]
    fn visits_of_a_statement_are_those_of_its_first_instruction() {
        let visits = [(0, 2), (2, 2), (4, 1), (6, 3), (7, 3), (9, 5)];
        assert_eq!(sample().visited(&visits), [(0, 2, 4), (2, 1, 1), (3, 3, 6)]);
    }

    #[test]
    fn a_map_is_read_as_the_compiler_writes_it() {
        let text = r#"{"starts":[0,4,4,6],"end":9,"functions":[[0,7]],"checksum":1}"#;
        let statements: Statements = serde_json::from_str(text).unwrap();
        assert_eq!(statements.coded(), sample().coded());
        assert_eq!((statements.functions, statements.checksum), (vec![(0, 7)], 1));
    }

    #[test]
    fn hints_are_found_by_offset() {
        let hints = Hints { allocations: vec![2, 8], system_calls: vec![5] };
        assert!(hints.allocates(8) && !hints.allocates(5));
        assert!(hints.calls_system(5) && !hints.calls_system(2));
    }
}
