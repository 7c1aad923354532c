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
        let excerpt: String = text.chars().take(80).collect();
        return Err(input(format!(
            "{what}: {excerpt:?} is not a felt (0x and 1 to 63 hex digits)"
        )));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    const PRIME: &str = "0x800000000000011000000000000000000000000000000000000000000000001";

    #[test]
    fn reads_leading_zeros_and_capitals() {
        assert_eq!(parse("felt", "0x0").unwrap(), Felt::ZERO);
        assert_eq!(parse("felt", "0x00aB").unwrap(), Felt::from(0xab));
        assert_eq!(parse("felt", &format!("0x{}1", "0".repeat(63))).unwrap(), Felt::ONE);
    }

    #[test]
    fn reads_the_largest_felt_and_rejects_the_prime() {
        let largest = format!("{}0", &PRIME[..PRIME.len() - 1]);
        assert_eq!(parse("felt", &largest).unwrap(), Felt::MAX);
        let failure = parse("nonce", PRIME).unwrap_err();
        assert_eq!(failure.kind, Kind::Input);
        assert_eq!(failure.message, format!("nonce: {PRIME} is not below the field's prime"));
    }

    #[test]
    fn rejects_texts_that_are_no_felts() {
        for text in ["", "0x", "1", "0X1", "0xg", " 0x1", "-0x1", &format!("0x1{}", "0".repeat(64))]
        {
            let failure = parse("key", text).unwrap_err();
            assert_eq!(failure.kind, Kind::Input, "{text}");
            assert!(failure.message.starts_with("key: "), "{failure}");
        }
    }

    #[test]
    fn quotes_a_part_of_a_long_text() {
        let failure = parse("key", &"é".repeat(10_000)).unwrap_err();
        assert!(failure.message.len() < 300, "{failure}");
    }

    #[test]
    fn writes_the_canonical_form() {
        assert_eq!(hex(Felt::ZERO), "0x0");
        assert_eq!(hex(Felt::from(0x0a0b)), "0xa0b");
        assert_eq!(parse("felt", &hex(Felt::MAX)).unwrap(), Felt::MAX);
    }

    #[test]
    fn addresses_and_keys_are_below_two_to_the_251() {
        let bound = format!("0x8{}", "0".repeat(62));
        assert!(parse("felt", &bound).is_ok());
        for failure in
            [parse_address("address", &bound).unwrap_err(), parse_key("key", &bound).unwrap_err()]
        {
            assert_eq!(failure.kind, Kind::Input);
            assert!(failure.message.ends_with("is not below 2^251"), "{failure}");
        }
    }

    #[test]
    fn a_list_fails_at_its_first_bad_felt() {
        let texts = ["0x1", "x", "y"].map(str::to_owned);
        let failure = parse_all("calldata", &texts).unwrap_err();
        assert!(failure.message.contains("\"x\""), "{failure}");
        assert_eq!(parse_all("calldata", &texts[..1]).unwrap(), [Felt::ONE]);
    }

    #[test]
    fn keys_are_ordered_as_their_felts() {
        let felts = [Felt::ZERO, Felt::ONE, Felt::from(u64::MAX), Felt::from(u128::MAX), Felt::MAX];
        let keys = felts.map(Key::from);
        assert!(keys.is_sorted());
        assert_eq!(keys.map(Key::felt), felts);
        assert_eq!(keys.map(Key::bytes), felts.map(|felt| felt.to_bytes_be()));
    }

    #[test]
    fn felts_in_reports_are_hexadecimal_strings() {
        let felts = [Felt::ZERO, Felt::from(255)];
        assert_eq!(serde_json::to_string(&HexList(&felts)).unwrap(), r#"["0x0","0xff"]"#);
    }
}
