//! Field elements: parsing, hexadecimal text, JSON, map keys.

use serde::{Serialize, Serializer};
use starknet_api::core::{ClassHash, ContractAddress};
use starknet_api::state::StorageKey;
use starknet_types_core::felt::Felt;

use crate::error::{Result, input};

/// A felt as four big-endian limbs: ordered by value, so a slot and its successor share a leaf.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Key(pub [u64; 4]);

impl From<Felt> for Key {
    fn from(felt: Felt) -> Self {
        Key(felt.to_be_digits())
    }
}
impl From<ContractAddress> for Key {
    fn from(address: ContractAddress) -> Self {
        Key::from(*address.0.key())
    }
}
impl From<StorageKey> for Key {
    fn from(key: StorageKey) -> Self {
        Key::from(*key.0.key())
    }
}
impl From<ClassHash> for Key {
    fn from(hash: ClassHash) -> Self {
        Key::from(hash.0)
    }
}

impl Key {
    pub fn bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (chunk, limb) in bytes.chunks_exact_mut(8).zip(self.0) {
            chunk.copy_from_slice(&limb.to_be_bytes());
        }
        bytes
    }

    pub fn felt(self) -> Felt {
        Felt::from_bytes_be(&self.bytes())
    }
}

/// Strict: `0x`, 1 to 64 hexadecimal digits, below the field's prime.
pub fn parse(what: &str, text: &str) -> Result<Felt> {
    let digits = text.strip_prefix("0x").unwrap_or_default();
    if digits.is_empty() || digits.len() > 64 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        let shown: String = text.chars().take(80).collect();
        return Err(input(format!("{what}: {shown:?} is not a felt (0x and 1 to 63 hex digits)")));
    }
    let mut bytes = [0u8; 32];
    for (index, digit) in digits.bytes().rev().enumerate() {
        let nibble = (digit as char).to_digit(16).unwrap_or_default() as u8;
        bytes[31 - index / 2] |= nibble << (4 * (index % 2));
    }
    let felt = Felt::from_bytes_be(&bytes);
    if felt.to_bytes_be() != bytes {
        return Err(input(format!("{what}: {text} is not below the field's prime")));
    }
    Ok(felt)
}

pub fn parse_address(what: &str, text: &str) -> Result<ContractAddress> {
    ContractAddress::try_from(parse(what, text)?)
        .map_err(|_| input(format!("{what}: {text} is not below 2^251")))
}

pub fn parse_key(what: &str, text: &str) -> Result<StorageKey> {
    StorageKey::try_from(parse(what, text)?)
        .map_err(|_| input(format!("{what}: {text} is not below 2^251")))
}

pub fn parse_all(what: &str, texts: &[String]) -> Result<Vec<Felt>> {
    texts.iter().map(|text| parse(what, text)).collect()
}

/// Canonical form: lower case, no leading zeros.
pub fn hex(felt: Felt) -> String {
    let mut buffer = [0; 66];
    write_hex(&felt.to_bytes_be(), &mut buffer).to_owned()
}

fn write_hex<'a>(bytes: &[u8], buffer: &'a mut [u8; 66]) -> &'a str {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    buffer[0] = b'0';
    buffer[1] = b'x';
    let mut length = 2;
    for byte in bytes {
        for nibble in [byte >> 4, byte & 15] {
            if nibble != 0 || length > 2 {
                buffer[length] = DIGITS[usize::from(nibble)];
                length += 1;
            }
        }
    }
    if length == 2 {
        buffer[2] = b'0';
        length = 3;
    }
    std::str::from_utf8(&buffer[..length]).unwrap_or("0x0")
}

/// A felt in a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hex(pub Felt);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(write_hex(&self.0.to_bytes_be(), &mut [0; 66]))
    }
}

/// A list of felts in a report.
pub struct HexList<'a>(pub &'a [Felt]);

impl Serialize for HexList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|felt| Hex(*felt)))
    }
}
