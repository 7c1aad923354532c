//! Changes of inputs that keep what a reader checks first: syntax, lengths, compression, checksums, counts.

pub mod image;
pub mod json;
pub mod packed;
pub mod text;

use libfuzzer_sys::fuzzer_mutate;

/// Changes `data[..size]` in place; the new size, at most `max_size`.
pub type Mutate = fn(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize;

/// Numbers from a seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u32) -> Self {
        Random(u64::from(seed) << 1 | 1)
    }

    /// Below `bound`; 0 for a bound of 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound.max(1)
    }

    pub fn one_in(&mut self, sides: usize) -> bool {
        self.below(sides) == 0
    }

    pub fn choice<T: Copy>(&mut self, of: &[T]) -> Option<T> {
        of.get(self.below(of.len())).copied()
    }
}

/// The bytes, changed by libFuzzer.
pub fn mutated(bytes: &[u8], room: usize) -> Vec<u8> {
    let most = bytes.len() + room;
    let mut buffer = bytes.to_vec();
    buffer.resize(most.max(1), 0);
    let size = fuzzer_mutate(&mut buffer, bytes.len(), most);
    buffer.truncate(size);
    buffer
}

/// Puts the new bytes in place if they fit; otherwise libFuzzer changes the old ones.
pub fn replace(data: &mut [u8], size: usize, max_size: usize, new: Option<Vec<u8>>) -> usize {
    match new {
        Some(new) if !new.is_empty() && new.len() <= max_size => {
            data[..new.len()].copy_from_slice(&new);
            new.len()
        }
        _ => fuzzer_mutate(data, size, max_size),
    }
}
