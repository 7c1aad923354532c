//! Layout of a state image: a stream of frames with checksums, each a sequence of records.
//!
//! `SBXSTATE`, a format number, then frames of length, CRC-32 and records. Each checksum continues
//! the one before, so frames can neither be lost nor change places. Felts are written without
//! leading zeros, numbers as varints. Nothing in it is executed or compiled on reading.

pub(super) const MAGIC: &[u8; 8] = b"SBXSTATE";
pub(super) const FORMAT: u8 = 1;
/// A frame ends with the record that reaches this.
pub(super) const FRAME_BYTES: usize = 256 << 10;
/// Numbers that cross into JavaScript must be exact there.
pub(super) const LARGEST_VERSION: u64 = (1 << 53) - 1;

pub(super) const HEAD: u8 = 1;
pub(super) const CLASS: u8 = 2;
pub(super) const CONTRACT: u8 = 3;
pub(super) const SLOT: u8 = 4;
pub(super) const BLOCK: u8 = 5;
pub(super) const END: u8 = 6;
/// Compiled class hashes that were migrated, by the block before the record or by the version being written.
pub(super) const MIGRATED: u8 = 7;

/// Continues a checksum over the next frame and its length.
pub(super) fn checksum(before: u32, payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(before);
    hasher.update(&(payload.len() as u64).to_le_bytes());
    hasher.update(payload);
    hasher.finalize()
}
