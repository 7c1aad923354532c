//! Memory of a run in a compact form. Cells are written once, so that one copy holds for every step.

use std::fmt;

use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::vm_core::VirtualMachine;
use starknet_types_core::felt::Felt;

use crate::felt::hex;

/// Marks a number of at most 63 bits, which is in the other bits.
const NUMBER: u64 = 1 << 63;
/// Marks a larger number by its index.
const LARGE: u64 = 1 << 62;
/// Marks a pointer: its segment, and its offset in the lowest bits.
const POINTER: u64 = 1 << 61;
const OFFSET_BITS: u32 = 37;
const OFFSETS: u64 = (1 << OFFSET_BITS) - 1;
const SEGMENTS: u64 = (1 << 24) - 1;

/// The value of a cell.
#[derive(Debug, PartialEq, Eq)]
pub enum Cell {
    Number(Felt),
    Pointer { segment: u64, offset: u64 },
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Number(number) => f.write_str(&hex(*number)),
            Cell::Pointer { segment, offset } => write!(f, "{segment}:{offset}"),
        }
    }
}

/// The cells of a segment, one word each. A word of 0 is a cell that was not written.
#[derive(Debug, Default)]
pub struct Segment {
    words: Vec<u64>,
    large: Vec<Felt>,
}

impl Segment {
    /// Copies a segment of the machine.
    pub fn copy(vm: &VirtualMachine, index: usize, length: usize) -> Self {
        let mut segment = Segment { words: Vec::with_capacity(length), large: Vec::new() };
        let segment_index = isize::try_from(index).unwrap_or_default();
        for offset in 0..length {
            segment.push(vm.get_maybe(&Relocatable { segment_index, offset }));
        }
        segment.large.shrink_to_fit();
        segment
    }

    #[cfg(test)]
    pub fn of_length(length: usize) -> Self {
        Segment { words: vec![NUMBER; length], large: Vec::new() }
    }

    fn push(&mut self, value: Option<MaybeRelocatable>) {
        let word = match value {
            None => 0,
            Some(MaybeRelocatable::Int(number)) => match u64::try_from(number) {
                Ok(small) if small < NUMBER => NUMBER | small,
                _ => {
                    self.large.push(number);
                    LARGE | (self.large.len() - 1) as u64
                }
            },
            Some(MaybeRelocatable::RelocatableValue(pointer)) => {
                match (u64::try_from(pointer.segment_index), pointer.offset as u64) {
                    (Ok(segment), offset) if segment <= SEGMENTS && offset <= OFFSETS => {
                        POINTER | segment << OFFSET_BITS | offset
                    }
                    _ => 0,
                }
            }
        };
        self.words.push(word);
    }

    pub fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>() + self.large.capacity() * size_of::<Felt>()
    }

    /// None if the cell was not written.
    pub fn cell(&self, offset: usize) -> Option<Cell> {
        let word = *self.words.get(offset)?;
        if word & NUMBER != 0 {
            return Some(Cell::Number(Felt::from(word & !NUMBER)));
        }
        if word & LARGE != 0 {
            return self.large.get((word & !LARGE) as usize).copied().map(Cell::Number);
        }
        (word & POINTER != 0).then_some(Cell::Pointer {
            segment: word >> OFFSET_BITS & SEGMENTS,
            offset: word & OFFSETS,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_the_values_that_were_written() {
        let numbers = [Felt::ZERO, Felt::from(u64::MAX >> 1), Felt::from(u64::MAX), -Felt::ONE];
        let pointers = [(0, 0), (3, 7), (SEGMENTS, OFFSETS)];
        let mut segment = Segment::default();
        for number in numbers {
            segment.push(Some(MaybeRelocatable::Int(number)));
        }
        for (segment_index, offset) in pointers {
            let pointer =
                Relocatable { segment_index: segment_index as isize, offset: offset as usize };
            segment.push(Some(MaybeRelocatable::RelocatableValue(pointer)));
        }
        segment.push(None);
        for (offset, number) in numbers.into_iter().enumerate() {
            assert_eq!(segment.cell(offset), Some(Cell::Number(number)));
        }
        for (index, (segment_index, offset)) in pointers.into_iter().enumerate() {
            let pointer = Cell::Pointer { segment: segment_index, offset };
            assert_eq!(segment.cell(numbers.len() + index), Some(pointer));
        }
        assert_eq!(segment.cell(numbers.len() + pointers.len()), None);
        assert_eq!(segment.cell(1_000), None);
    }

    #[test]
    fn a_cell_is_written_as_a_number_or_as_segment_and_offset() {
        assert_eq!(Cell::Number(Felt::from(255)).to_string(), "0xff");
        assert_eq!(Cell::Pointer { segment: 2, offset: 9 }.to_string(), "2:9");
    }
}
