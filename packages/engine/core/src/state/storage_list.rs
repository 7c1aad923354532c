//! The storage of a state difference, read from the JSON that most clients write: without white space, with members in
//! the order of the specification, and felts in canonical form. Any other text is left to a general reader.

use std::collections::BTreeMap;

use starknet_api::core::ContractAddress;
use starknet_types_core::felt::Felt;

use super::diff::Slots;
use crate::felt::Key;

/// Slots to be written, by contract, sorted by key; no slot occurs twice.
#[derive(Debug, PartialEq)]
pub struct StorageList {
    pub contracts: BTreeMap<Key, Slots>,
    /// Bytes of its JSON text.
    pub length: usize,
}

impl StorageList {
    /// Reads the list at the beginning of a text; none if a general reader must decide.
    pub fn read(text: &str) -> Option<StorageList> {
        let mut scanner = Scanner { rest: text.as_bytes() };
        let mut contracts = BTreeMap::new();
        scanner.list(|scanner| {
            scanner.skip(br#"{"address":"#)?;
            let address = scanner.limbs()?;
            scanner.skip(br#","storage_entries":"#)?;
            let slots = scanner.slots()?;
            scanner.skip(b"}")?;
            ContractAddress::try_from(address.felt()).ok()?;
            contracts.insert(address, slots).is_none().then_some(())
        })?;
        Some(StorageList { contracts, length: text.len() - scanner.rest.len() })
    }

    pub fn slot_count(&self) -> usize {
        self.contracts.values().map(|slots| slots.len()).sum()
    }
}

/// Keys of slots are below 2^251.
const KEY_BOUND: u64 = 1 << 59;

struct Scanner<'a> {
    rest: &'a [u8],
}

impl Scanner<'_> {
    fn skip(&mut self, expected: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(expected)?;
        Some(())
    }

    fn list(&mut self, mut element: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.skip(b"[")?;
        if self.skip(b"]").is_some() {
            return Some(());
        }
        loop {
            element(self)?;
            if self.skip(b",").is_none() {
                return self.skip(b"]");
            }
        }
    }

    fn slots(&mut self) -> Option<Slots> {
        let mut slots = Vec::new();
        self.list(|scanner| {
            scanner.skip(br#"{"key":"#)?;
            let key = scanner.limbs()?;
            scanner.skip(br#","value":"#)?;
            let value = scanner.limbs()?;
            scanner.skip(b"}")?;
            slots.push((key, value.canonical_felt()?));
            (key.0[0] < KEY_BOUND).then_some(())
        })?;
        slots.sort_unstable_by_key(|(key, _)| *key);
        let is_unique = slots.windows(2).all(|pair| pair[0].0 != pair[1].0);
        is_unique.then(|| slots.into_boxed_slice())
    }

    /// A string of `0x` and hexadecimal digits: lower case, no leading zero.
    fn limbs(&mut self) -> Option<Key> {
        self.skip(b"\"0x")?;
        let length = self.rest.iter().position(|byte| *byte == b'"')?;
        let (digits, rest) = self.rest.split_at(length);
        self.rest = &rest[1..];
        let has_leading_zero = digits.first() == Some(&b'0') && length > 1;
        if length == 0 || length > 64 || has_leading_zero {
            return None;
        }
        let mut limbs = [0; 4];
        for (digits, limb) in digits.rchunks(16).zip(limbs.iter_mut().rev()) {
            for digit in digits {
                let nibble = match digit {
                    b'0'..=b'9' => digit - b'0',
                    b'a'..=b'f' => digit - b'a' + 10,
                    _ => return None,
                };
                *limb = *limb << 4 | u64::from(nibble);
            }
        }
        Some(Key(limbs))
    }
}

impl Key {
    /// The felt with these limbs; none if they are not below the prime.
    fn canonical_felt(self) -> Option<Felt> {
        let felt = self.felt();
        (Key::from(felt) == self).then_some(felt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Changes;

    const LARGEST_KEY: &str = "0x7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";
    const BOUND: &str = "0x800000000000000000000000000000000000000000000000000000000000000";
    const LARGEST_FELT: &str = "0x800000000000011000000000000000000000000000000000000000000000000";
    const PRIME: &str = "0x800000000000011000000000000000000000000000000000000000000000001";

    fn contract(address: &str, slots: &[(&str, &str)]) -> String {
        let slots: Vec<_> = slots
            .iter()
            .map(|(key, value)| format!(r#"{{"key":"{key}","value":"{value}"}}"#))
            .collect();
        format!(r#"{{"address":"{address}","storage_entries":[{}]}}"#, slots.join(","))
    }

    /// What the reader of whole differences makes of a list.
    fn by_general_reader(list: &str) -> BTreeMap<Key, Slots> {
        let changes =
            Changes::from_wire(&format!(r#"{{"storage_diffs":{list}}}"#), vec![]).unwrap();
        changes
            .storage
            .into_iter()
            .map(|(address, slots)| (address, slots.into_iter().collect()))
            .collect()
    }

    #[test]
    fn a_list_is_read_as_by_the_general_reader() {
        let first =
            contract("0xabc", &[("0x9", LARGEST_FELT), (LARGEST_KEY, "0x0"), ("0x0", "0x1f")]);
        for list in [
            "[]".to_owned(),
            format!("[{}]", contract("0x1", &[])),
            format!("[{first}]"),
            format!("[{first},{}]", contract("0x2", &[("0x123456789abcdef01", "0x2")])),
        ] {
            let read = StorageList::read(&format!("{list},\"nonces\":[]}}")).unwrap();
            assert_eq!(read.length, list.len(), "{list}");
            assert_eq!(read.contracts, by_general_reader(&list), "{list}");
        }
    }

    #[test]
    fn slots_are_counted() {
        let list = format!(
            "[{},{}]",
            contract("0x1", &[("0x1", "0x1"), ("0x2", "0x2")]),
            contract("0x2", &[("0x1", "0x3")])
        );
        assert_eq!(StorageList::read(&list).unwrap().slot_count(), 3);
    }

    #[test]
    fn every_other_text_is_left_to_the_general_reader() {
        for list in [
            String::new(),
            "[".to_owned(),
            "{}".to_owned(),
            "[ ]".to_owned(),
            "[,]".to_owned(),
            r#"[{"storage_entries":[],"address":"0x1"}]"#.to_owned(),
            r#"[{"address":"0x1","storage_entries":[],"more":1}]"#.to_owned(),
            r#"[{"address":"0x1","storage_entries":[{"value":"0x1","key":"0x1"}]}]"#.to_owned(),
            r#"[{"address":"0x1","storage_entries":[{"key":"0x1","value":1}]}]"#.to_owned(),
            r#"[{"address":"0x1","storage_entries":[{"key":"0x1","value":"0x1"},]}]"#.to_owned(),
            r#"[{"address":"0x1", "storage_entries":[]}]"#.to_owned(),
            format!("[{}", contract("0x1", &[])),
            format!("[{0},{0}]", contract("0x1", &[])),
            format!("[{}]", contract("0x1", &[("0x1", "0x1"), ("0x2", "0x2"), ("0x1", "0x3")])),
            format!("[{}]", contract(BOUND, &[])),
            format!("[{}]", contract("0x1", &[(BOUND, "0x1")])),
            format!("[{}]", contract("0x1", &[("0x1", PRIME)])),
        ] {
            assert_eq!(StorageList::read(&list), None, "{list}");
        }
        let long = format!("0x1{}", "0".repeat(64));
        for felt in ["", "0x", "0x01", "0x00", "0xA", "0xg", "1", "0X1", "0x1\\u0031", "0xé", &long]
        {
            let list = format!("[{}]", contract("0x1", &[("0x1", felt)]));
            assert_eq!(StorageList::read(&list), None, "{list}");
        }
    }
}
