//! Deflated texts of a class.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use crate::error::{Failure, Kind, Result};

/// The error of a class that cannot be serialised.
pub(super) fn unwritable(error: impl std::fmt::Display) -> Failure {
    Failure::new(Kind::Internal, format!("class could not be written: {error}"))
}

pub(super) fn deflate(bytes: &[u8]) -> Result<Box<[u8]>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).map_err(unwritable)?;
    Ok(encoder.finish().map_err(unwritable)?.into_boxed_slice())
}

/// In bytes, more than any class has: a few kilobytes could otherwise inflate to gigabytes.
const LARGEST: u64 = 256 << 20;

pub(super) fn inflate(bytes: &[u8]) -> Result<String> {
    let mut text = String::new();
    DeflateDecoder::new(bytes)
        .take(LARGEST + 1)
        .read_to_string(&mut text)
        .map_err(|_| Failure::new(Kind::Image, "a stored class is damaged"))?;
    if text.len() as u64 > LARGEST {
        return Err(Failure::new(Kind::Image, "a stored class is too large"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_the_same_after_deflating_and_inflating() {
        let text = "sierra ".repeat(1_000);
        let bytes = deflate(text.as_bytes()).unwrap();
        assert!(bytes.len() < text.len() / 10);
        assert_eq!(inflate(&bytes).unwrap(), text);
    }

    #[test]
    fn bytes_that_are_not_deflated_text_are_damaged() {
        let not_text = deflate(&[0xff, 0xfe]).unwrap();
        for bytes in [&[0xff, 0xff][..], &not_text[..]] {
            let failure = inflate(bytes).unwrap_err();
            assert_eq!(failure.kind, Kind::Image);
            assert_eq!(failure.message, "a stored class is damaged");
        }
    }
}
