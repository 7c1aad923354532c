//! State differences: their form in the log of a chain and on the wire.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use starknet_api::core::ContractAddress;
use starknet_api::state::StorageKey;
use starknet_types_core::felt::Felt;

use crate::error::{Result, input};
use crate::felt::{Hex, Key};

/// Felts by their keys, sorted.
pub type Slots = Box<[(Key, Felt)]>;

/// The difference that one block made, sorted by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diff {
    pub storage: Box<[(Key, Slots)]>,
    pub nonces: Slots,
    pub deployed: Slots,
    pub replaced: Slots,
    /// Class hash and compiled class hash.
    pub declared: Slots,
    /// Cairo 0 class hashes.
    pub deprecated: Box<[Key]>,
    /// Class hash and compiled class hash of declared classes whose compiled class hash was migrated.
    pub migrated: Slots,
}

/// Contracts whose class changed. One that had none is deployed; one that had another, replaced.
#[derive(Default)]
pub struct ClassChanges {
    pub deployed: Vec<(Key, Felt)>,
    pub replaced: Vec<(Key, Felt)>,
}

impl ClassChanges {
    pub fn add(&mut self, address: Key, was: Felt, now: Felt) {
        if was == now {
            return;
        }
        let list = if was == Felt::ZERO { &mut self.deployed } else { &mut self.replaced };
        list.push((address, now));
    }
}

impl Diff {
    /// How many entries the protocol counts.
    pub fn length(&self) -> usize {
        self.storage.iter().map(|(_, slots)| slots.len()).sum::<usize>()
            + self.nonces.len()
            + self.deployed.len()
            + self.replaced.len()
            + self.declared.len()
            + self.deprecated.len()
            + self.migrated.len()
    }

    /// Refuses addresses and keys of slots that the protocol does not have, which only an image can contain.
    pub fn check_keys(&self) -> Result<()> {
        let address = |key: &Key| {
            ContractAddress::try_from(key.felt())
                .map_err(|error| input(format!("address: {error}")))
        };
        for (contract, slots) in &self.storage {
            // Sorted, so the last one is the largest.
            if let Some((key, _)) = slots.last() {
                StorageKey::try_from(key.felt())
                    .map_err(|error| input(format!("storage key: {error}")))?;
            }
            address(contract)?;
        }
        for (contract, _) in self.deployed.iter().chain(&self.replaced).chain(&self.nonces) {
            address(contract)?;
        }
        Ok(())
    }
}

impl Serialize for Diff {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer
            .serialize_struct("STATE_DIFF", 6 + usize::from(!self.migrated.is_empty()))?;
        object.serialize_field("storage_diffs", &Storage(&self.storage))?;
        object.serialize_field("nonces", &Pairs(&self.nonces, "contract_address", "nonce"))?;
        object.serialize_field(
            "deployed_contracts",
            &Pairs(&self.deployed, "address", "class_hash"),
        )?;
        object.serialize_field(
            "replaced_classes",
            &Pairs(&self.replaced, "contract_address", "class_hash"),
        )?;
        object.serialize_field(
            "declared_classes",
            &Pairs(&self.declared, "class_hash", "compiled_class_hash"),
        )?;
        object.serialize_field("deprecated_declared_classes", &Keys(&self.deprecated))?;
        // Only the protocol's change of hash functions migrates, so nearly no difference has it.
        if !self.migrated.is_empty() {
            object.serialize_field(
                "migrated_compiled_classes",
                &Pairs(&self.migrated, "class_hash", "compiled_class_hash"),
            )?;
        }
        object.end()
    }
}

struct Storage<'a>(&'a [(Key, Slots)]);
impl Serialize for Storage<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Contract<'a> {
            address: Hex,
            storage_entries: Pairs<'a>,
        }
        serializer.collect_seq(self.0.iter().map(|(address, slots)| Contract {
            address: Hex(address.felt()),
            storage_entries: Pairs(slots, "key", "value"),
        }))
    }
}

/// A list of two-field objects with the given field names.
struct Pairs<'a>(&'a [(Key, Felt)], &'static str, &'static str);
impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Pair(Hex, Hex, &'static str, &'static str);
        impl Serialize for Pair {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut object = serializer.serialize_struct("pair", 2)?;
                object.serialize_field(self.2, &self.0)?;
                object.serialize_field(self.3, &self.1)?;
                object.end()
            }
        }
        serializer.collect_seq(
            self.0.iter().map(|(key, value)| Pair(Hex(key.felt()), Hex(*value), self.1, self.2)),
        )
    }
}

struct Keys<'a>(&'a [Key]);
impl Serialize for Keys<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|key| Hex(key.felt())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::to_json;

    fn key(number: u64) -> Key {
        Key::from(Felt::from(number))
    }

    fn pairs(numbers: &[(u64, u64)]) -> Slots {
        numbers.iter().map(|(first, second)| (key(*first), Felt::from(*second))).collect()
    }

    fn full() -> Diff {
        Diff {
            storage: Box::new([(key(1), pairs(&[(2, 3), (4, 0)]))]),
            nonces: pairs(&[(5, 6)]),
            deployed: pairs(&[(7, 8)]),
            replaced: pairs(&[(9, 10)]),
            declared: pairs(&[(11, 12)]),
            deprecated: Box::new([key(13)]),
            migrated: pairs(&[(14, 15)]),
        }
    }

    #[test]
    fn the_wire_form_has_the_names_of_the_rpc() {
        let expected = concat!(
            r#"{"storage_diffs":[{"address":"0x1","storage_entries":[{"key":"0x2","value":"0x3"},"#,
            r#"{"key":"0x4","value":"0x0"}]}],"nonces":[{"contract_address":"0x5","nonce":"0x6"}],"#,
            r#""deployed_contracts":[{"address":"0x7","class_hash":"0x8"}],"#,
            r#""replaced_classes":[{"contract_address":"0x9","class_hash":"0xa"}],"#,
            r#""declared_classes":[{"class_hash":"0xb","compiled_class_hash":"0xc"}],"#,
            r#""deprecated_declared_classes":["0xd"],"#,
            r#""migrated_compiled_classes":[{"class_hash":"0xe","compiled_class_hash":"0xf"}]}"#
        );
        assert_eq!(to_json(&full()).unwrap(), expected);
        let without = to_json(&Diff::default()).unwrap();
        assert!(without.ends_with(r#""deprecated_declared_classes":[]}"#), "{without}");
    }

    #[test]
    fn the_length_counts_what_the_protocol_counts() {
        let diff = full();
        assert_eq!(diff.length(), 8);
        assert_eq!(Diff::default().length(), 0);
    }

    #[test]
    fn addresses_and_keys_out_of_range_are_refused() {
        let refused = |diff: Diff| diff.check_keys().unwrap_err().message;
        assert!(full().check_keys().is_ok());
        let high = Key::from(Felt::MAX);
        let pairs: Slots = Box::new([(key(1), Felt::ONE), (high, Felt::ONE)]);
        let storage = |address, slots| Diff { storage: Box::new([(address, slots)]), ..full() };
        assert!(refused(storage(key(1), pairs.clone())).starts_with("storage key: "));
        assert!(refused(storage(high, Slots::default())).starts_with("address: "));
        assert!(refused(Diff { nonces: pairs.clone(), ..full() }).starts_with("address: "));
        assert!(refused(Diff { deployed: pairs.clone(), ..full() }).starts_with("address: "));
        assert!(refused(Diff { replaced: pairs, ..full() }).starts_with("address: "));
    }

    #[test]
    fn a_first_class_is_deployed_and_a_later_one_replaced() {
        let mut changes = ClassChanges::default();
        changes.add(key(1), Felt::ZERO, Felt::ONE);
        changes.add(key(2), Felt::ONE, Felt::TWO);
        changes.add(key(3), Felt::TWO, Felt::TWO);
        assert_eq!(changes.deployed, [(key(1), Felt::ONE)]);
        assert_eq!(changes.replaced, [(key(2), Felt::TWO)]);
    }
}
