//! Decoder of the values in a record of a state image.

use starknet_types_core::felt::Felt;

use crate::error::{Failure, Kind, Result};
use crate::felt::Key;
use crate::state::cell::Cell;
use crate::state::diff::Diff;

pub(super) fn damaged(what: impl std::fmt::Display) -> Failure {
    Failure::new(Kind::Image, format!("the state image is damaged: {what}"))
}

pub(super) struct RecordReader<'a>(pub(super) &'a [u8]);

impl<'a> RecordReader<'a> {
    pub(super) fn byte(&mut self) -> Result<u8> {
        let (first, rest) = self.0.split_first().ok_or_else(|| damaged("a record is cut"))?;
        self.0 = rest;
        Ok(*first)
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) =
            self.0.split_at_checked(count).ok_or_else(|| damaged("a record is cut"))?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn number(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(damaged("a number is too long"))
    }

    pub(super) fn length(&mut self) -> Result<usize> {
        let length = self.number()? as usize;
        // Every counted thing has at least one byte, so a count cannot exceed what is left.
        if length > self.0.len() {
            return Err(damaged("a length is too long"));
        }
        Ok(length)
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = self.length()?;
        self.take(length)
    }

    pub(super) fn felt(&mut self) -> Result<Felt> {
        let length = usize::from(self.byte()?);
        if length > 32 {
            return Err(damaged("a felt is too long"));
        }
        let bytes = self.take(length)?;
        let felt = Felt::from_bytes_be_slice(bytes);
        if bytes.first() == Some(&0) || !felt.to_bytes_be().ends_with(bytes) {
            return Err(damaged("a felt is not in its shortest form, or above the prime"));
        }
        Ok(felt)
    }

    /// A version no later than the one being written.
    pub(super) fn date(&mut self, version: u64) -> Result<u64> {
        let date = self.number()?;
        if date > version {
            return Err(damaged("something is newer than its version"));
        }
        Ok(date)
    }

    pub(super) fn cell(&mut self, version: u64) -> Result<Cell> {
        let mut history = vec![(self.felt()?, self.date(version)?)];
        for _ in 0..self.length()? {
            history.push((self.felt()?, self.number()?));
        }
        Cell::from_history(history).ok_or_else(|| damaged("the history of a value is not in order"))
    }

    pub(super) fn optional_cell(&mut self, version: u64) -> Result<Option<Cell>> {
        if self.number()? == 0 { Ok(None) } else { self.cell(version).map(Some) }
    }

    pub(super) fn pairs(&mut self) -> Result<Box<[(Key, Felt)]>> {
        (0..self.length()?).map(|_| Ok((Key::from(self.felt()?), self.felt()?))).collect()
    }

    pub(super) fn block(&mut self) -> Result<Diff> {
        let storage = (0..self.length()?)
            .map(|_| Ok((Key::from(self.felt()?), self.pairs()?)))
            .collect::<Result<_>>()?;
        Ok(Diff {
            storage,
            nonces: self.pairs()?,
            deployed: self.pairs()?,
            replaced: self.pairs()?,
            declared: self.pairs()?,
            deprecated: (0..self.length()?)
                .map(|_| Ok(Key::from(self.felt()?)))
                .collect::<Result<_>>()?,
            // In a record of its own.
            migrated: Box::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason<T>(read: Result<T>) -> String {
        read.err().map(|failure| failure.message).unwrap_or_default()
    }

    #[test]
    fn numbers_have_seven_bits_a_byte() {
        assert_eq!(RecordReader(&[0x7f]).number().unwrap(), 127);
        assert_eq!(RecordReader(&[0xac, 0x02]).number().unwrap(), 300);
        assert!(reason(RecordReader(&[0xff; 11]).number()).ends_with("a number is too long"));
        assert!(reason(RecordReader(&[0x80]).number()).ends_with("a record is cut"));
    }

    #[test]
    fn felts_are_in_their_shortest_form_and_below_the_prime() {
        assert_eq!(RecordReader(&[0]).felt().unwrap(), Felt::ZERO);
        assert_eq!(RecordReader(&[2, 1, 0]).felt().unwrap(), Felt::from(256));
        let mut above = vec![32];
        above.extend([0xff; 32]);
        for bytes in [&[1, 0][..], &[33][..], &[2, 1][..], &above] {
            assert!(RecordReader(bytes).felt().is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn a_length_is_at_most_what_is_left() {
        assert_eq!(RecordReader(&[2, 7, 8]).bytes().unwrap(), [7, 8]);
        assert!(reason(RecordReader(&[3, 7, 8]).bytes()).ends_with("a length is too long"));
    }

    #[test]
    fn nothing_is_newer_than_its_version() {
        assert_eq!(RecordReader(&[5]).date(5).unwrap(), 5);
        assert!(reason(RecordReader(&[6]).date(5)).ends_with("newer than its version"));
    }
}
