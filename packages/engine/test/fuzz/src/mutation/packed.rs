//! Packed classes: a part is changed as text, and packed again with right lengths.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde_json::{Map, Value};

use super::{Random, json, mutated, replace};

pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random::new(seed);
    let new = if random.one_in(4) { None } else { repacked(&data[..size], &mut random) };
    replace(data, size, max_size, new)
}

fn repacked(bytes: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (header, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let mut header: Map<String, Value> = serde_json::from_slice(header).ok()?;
    let wire = usize::try_from(header.get("wire_bytes")?.as_u64()?).ok()?;
    let (wire, casm) = rest.split_at_checked(wire)?;
    let (mut wire, mut casm) = (wire.to_vec(), casm.to_vec());
    match random.below(4) {
        0 => {
            header =
                serde_json::from_slice(&changed_json(&serde_json::to_vec(&header).ok()?, random))
                    .ok()?
        }
        1 | 2 if wire.len() < casm.len() || random.one_in(2) => casm = changed_part(&casm, random)?,
        3 if random.one_in(2) => casm = mutated(&casm, 16),
        _ => wire = changed_part(&wire, random)?,
    }
    if !random.one_in(8) {
        header.insert("wire_bytes".into(), wire.len().into());
    }
    let header = serde_json::to_vec(&header).ok()?;
    let mut out = u32::try_from(header.len()).ok()?.to_le_bytes().to_vec();
    for part in [header, wire, casm] {
        out.extend(part);
    }
    Some(out)
}

fn changed_json(text: &[u8], random: &mut Random) -> Vec<u8> {
    let room = text.len() + 256;
    let mut buffer = text.to_vec();
    buffer.resize(room, 0);
    let size = json::mutate(&mut buffer, text.len(), room, random.below(1 << 30) as u32);
    buffer.truncate(size);
    buffer
}

/// A deflated text, changed and deflated again.
pub fn changed_part(deflated: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    DeflateDecoder::new(deflated).take(1 << 20).read_to_end(&mut text).ok()?;
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&changed_json(&text, random)).ok()?;
    encoder.finish().ok()
}
