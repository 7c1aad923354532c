//! State images: whole records are repeated, removed, exchanged or changed, and written again as frames with right
//! checksums and, mostly, right counts at their end.

use std::collections::BTreeSet;

use super::{Random, mutated, packed, replace};

const HEADER: &[u8] = b"SBXSTATE\x01";
const CLASS: u8 = 2;
const CONTRACT: u8 = 3;
const SLOT: u8 = 4;
const BLOCK: u8 = 5;
const END: u8 = 6;

pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random::new(seed);
    let new = if random.one_in(16) { None } else { changed(&data[..size], &mut random) };
    replace(data, size, max_size, new)
}

fn changed(image: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let payload = payload(image)?;
    if random.one_in(4) {
        return Some(framed(&mutated(&payload, 64), random));
    }
    let mut records = records(&payload);
    for _ in 0..=random.below(3) {
        let (at, other) = (random.below(records.len()), random.below(records.len()));
        let copy = records.get(other).cloned()?;
        match random.below(7) {
            0 => records.insert(at, copy),
            1 if records.len() > 2 => {
                records.remove(at);
            }
            2 => records.swap(at, other),
            3 => records[at] = copy,
            4 if records[at].first() == Some(&CLASS) => {
                records[at] = changed_class(&records[at], random)?;
            }
            _ => records[at] = mutated(&records[at], 40),
        }
    }
    if !random.one_in(8) {
        records.retain(|record| record.first() != Some(&END));
        records.push(end(&records));
    }
    Some(framed(&records.concat(), random))
}

/// The bytes of all frames, whatever their checksums say.
fn payload(image: &[u8]) -> Option<Vec<u8>> {
    let mut rest = image.strip_prefix(HEADER)?;
    let mut all = Vec::new();
    while let Some((head, body)) = rest.split_at_checked(8) {
        let length = u32::from_le_bytes(head[..4].try_into().ok()?) as usize;
        let (frame, next) = body.split_at(length.min(body.len()));
        all.extend_from_slice(frame);
        rest = next;
    }
    Some(all)
}

fn framed(payload: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = HEADER.to_vec();
    let mut checksum = 0;
    let middle = if random.one_in(3) { random.below(payload.len()) } else { 0 };
    let (first, second) = payload.split_at(middle);
    for frame in [first, second].into_iter().filter(|frame| !frame.is_empty()) {
        let mut hasher = crc32fast::Hasher::new_with_initial(checksum);
        hasher.update(&(frame.len() as u64).to_le_bytes());
        hasher.update(frame);
        checksum = hasher.finalize();
        out.extend_from_slice(&(frame.len() as u32).to_le_bytes());
        out.extend_from_slice(&checksum.to_le_bytes());
        out.extend_from_slice(frame);
    }
    out
}

/// Splits a payload into records; what cannot be read is one more.
fn records(payload: &[u8]) -> Vec<Vec<u8>> {
    let mut records = Vec::new();
    let mut rest = payload;
    while !rest.is_empty() {
        let mut reader = Reader(rest);
        let length = reader.record().map_or(rest.len(), |()| rest.len() - reader.0.len());
        let (record, next) = rest.split_at(length);
        records.push(record.to_vec());
        rest = next;
    }
    records
}

/// The record that counts these.
fn end(records: &[Vec<u8>]) -> Vec<u8> {
    let (mut contracts, mut classes) = (BTreeSet::new(), BTreeSet::new());
    let (mut slots, mut keys, mut blocks) = (0, BTreeSet::new(), 0);
    for record in records {
        match record.first() {
            Some(&CONTRACT) => {
                contracts.insert(Reader(&record[1..]).felt());
                slots += std::mem::take(&mut keys).len();
            }
            Some(&SLOT) => {
                keys.insert(Reader(&record[1..]).felt());
            }
            Some(&CLASS) => {
                let mut reader = Reader(&record[1..]);
                let _ = reader.number();
                classes.insert(reader.bytes());
            }
            Some(&BLOCK) => blocks += 1,
            _ => {}
        }
    }
    let mut out = vec![END];
    for count in [slots + keys.len(), contracts.len(), classes.len(), blocks] {
        number(&mut out, count as u64);
    }
    out
}

fn number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn changed_class(record: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut reader = Reader(record.get(1..)?);
    let since = reader.number()?;
    let wire = reader.bytes()?;
    let has_casm = reader.number()?;
    let casm = reader.bytes()?;
    let (wire, casm) = if random.one_in(2) && !casm.is_empty() {
        (wire.to_vec(), packed::changed_part(casm, random)?)
    } else {
        (packed::changed_part(wire, random)?, casm.to_vec())
    };
    let mut out = vec![CLASS];
    number(&mut out, since);
    number(&mut out, wire.len() as u64);
    out.extend(wire);
    number(&mut out, has_casm);
    number(&mut out, casm.len() as u64);
    out.extend(casm);
    Some(out)
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        self.take(length)
    }

    fn felt(&mut self) -> Option<&'a [u8]> {
        let length = usize::from(self.byte()?);
        self.take(length)
    }

    fn cell(&mut self) -> Option<()> {
        self.felt()?;
        self.number()?;
        for _ in 0..self.number()? {
            self.felt()?;
            self.number()?;
        }
        Some(())
    }

    fn pairs(&mut self) -> Option<()> {
        for _ in 0..self.number()? {
            self.felt()?;
            self.felt()?;
        }
        Some(())
    }

    fn record(&mut self) -> Option<()> {
        match self.byte()? {
            CLASS => {
                self.number()?;
                self.bytes()?;
                self.number()?;
                self.bytes()?;
            }
            CONTRACT => {
                self.felt()?;
                for _ in 0..2 {
                    if self.number()? != 0 {
                        self.cell()?;
                    }
                }
            }
            SLOT => {
                self.felt()?;
                self.cell()?;
            }
            BLOCK => {
                for _ in 0..self.number()? {
                    self.felt()?;
                    self.pairs()?;
                }
                for _ in 0..4 {
                    self.pairs()?;
                }
                for _ in 0..self.number()? {
                    self.felt()?;
                }
            }
            END => {
                for _ in 0..4 {
                    self.number()?;
                }
            }
            _ => {
                self.number()?;
                self.number()?;
            }
        }
        Some(())
    }
}
