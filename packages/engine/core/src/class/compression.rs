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
