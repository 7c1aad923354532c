//! Changes to be written to a state, and the wire form of a state difference.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use blockifier::state::cached_state::StateMaps;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use starknet_api::core::ContractAddress;
use starknet_types_core::felt::Felt;

use crate::class::Class;
use crate::error::{Result, input};
use crate::felt::{Key, parse, parse_address, parse_key};
use crate::json::parse_json;

/// Values to be written, with the classes that are declared.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    pub storage: BTreeMap<Key, BTreeMap<Key, Felt>>,
    pub nonces: BTreeMap<Key, Felt>,
    pub class_hashes: BTreeMap<Key, Felt>,
    pub classes: Vec<Arc<Class>>,
    /// Classes that a wire difference lists as declared, with their compiled hash if they have one:
    /// each must come with a body or be known.
    pub listed: Vec<(Felt, Option<Felt>)>,
    /// Compiled class hashes of declared classes that the difference of the version lists as migrated.
    pub migrated: BTreeMap<Key, Felt>,
}

impl Changes {
    pub fn from_maps(maps: StateMaps, classes: Vec<Arc<Class>>) -> Self {
        let mut changes = Changes { classes, ..Changes::default() };
        for ((address, key), value) in maps.storage {
            changes.storage.entry(address.into()).or_default().insert(key.into(), value);
        }
        for (address, nonce) in maps.nonces {
            changes.nonces.insert(address.into(), nonce.0);
        }
        for (address, hash) in maps.class_hashes {
            changes.class_hashes.insert(address.into(), hash.0);
        }
        changes
    }

    /// Reads the wire form of a state difference.
    pub fn from_wire(text: &str, classes: Vec<Arc<Class>>) -> Result<Self> {
        let Object(wire): Object<WireDiff> = parse_json("state diff", text)?;
        let mut changes = Changes { classes, ..Changes::default() };
        for Object(entry) in &wire.storage_diffs {
            let address = parse_address("storage_diffs.address", &entry.address)?;
            let slots = changes.storage.entry(address.into()).or_default();
            for Object(slot) in &entry.storage_entries {
                let key = parse_key("storage_entries.key", &slot.key)?;
                slots.insert(key.into(), parse("storage_entries.value", &slot.value)?);
            }
        }
        for Object(entry) in &wire.nonces {
            let address = parse_address("nonces.contract_address", &entry.contract_address)?;
            changes.nonces.insert(address.into(), parse("nonces.nonce", &entry.nonce)?);
        }
        for Object(entry) in wire.deployed_contracts.iter().chain(&wire.replaced_classes) {
            let address = parse_address("address", &entry.address)?;
            if address == ContractAddress::default() {
                return Err(input("address: nothing can be deployed at address 0"));
            }
            changes.class_hashes.insert(address.into(), parse("class_hash", &entry.class_hash)?);
        }
        for Object(entry) in &wire.declared_classes {
            let compiled =
                parse("declared_classes.compiled_class_hash", &entry.compiled_class_hash)?;
            let hash = parse("declared_classes.class_hash", &entry.class_hash)?;
            changes.listed.push((hash, Some(compiled)));
        }
        for hash in &wire.deprecated_declared_classes {
            changes.listed.push((parse("deprecated_declared_classes", hash)?, None));
        }
        for Object(entry) in &wire.migrated_compiled_classes {
            let compiled =
                parse("migrated_compiled_classes.compiled_class_hash", &entry.compiled_class_hash)?;
            let hash = parse("migrated_compiled_classes.class_hash", &entry.class_hash)?;
            changes.migrated.insert(hash.into(), compiled);
        }
        Ok(changes)
    }
}

/// A value that must be a JSON object. Serde alone also accepts a list for a struct.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = Object<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }
        deserializer.deserialize_map(Fields(PhantomData))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireDiff {
    #[serde(default)]
    storage_diffs: Vec<Object<WireContractStorage>>,
    #[serde(default)]
    nonces: Vec<Object<WireNonce>>,
    #[serde(default)]
    deployed_contracts: Vec<Object<WireContractClass>>,
    #[serde(default)]
    replaced_classes: Vec<Object<WireContractClass>>,
    #[serde(default)]
    declared_classes: Vec<Object<WireDeclared>>,
    #[serde(default)]
    deprecated_declared_classes: Vec<String>,
    #[serde(default)]
    migrated_compiled_classes: Vec<Object<WireDeclared>>,
}
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireDeclared {
    class_hash: String,
    compiled_class_hash: String,
}
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireContractStorage {
    address: String,
    storage_entries: Vec<Object<WireSlot>>,
}
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSlot {
    key: String,
    value: String,
}
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireNonce {
    contract_address: String,
    nonce: String,
}
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireContractClass {
    #[serde(alias = "contract_address")]
    address: String,
    class_hash: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    fn key(number: u64) -> Key {
        Key::from(Felt::from(number))
    }

    #[test]
    fn every_list_of_a_difference_is_read() {
        let text = r#"{
            "storage_diffs": [{"address": "0x1", "storage_entries": [{"key": "0x2", "value": "0x3"}]},
                {"address": "0x1", "storage_entries": [{"key": "0x4", "value": "0x5"}]}],
            "nonces": [{"contract_address": "0x6", "nonce": "0x7"}],
            "deployed_contracts": [{"address": "0x8", "class_hash": "0x9"}],
            "replaced_classes": [{"contract_address": "0xa", "class_hash": "0xb"}],
            "declared_classes": [{"class_hash": "0xc", "compiled_class_hash": "0xd"}],
            "deprecated_declared_classes": ["0xe"],
            "migrated_compiled_classes": [{"class_hash": "0xf", "compiled_class_hash": "0x10"}]}"#;
        let changes = Changes::from_wire(text, Vec::new()).unwrap();
        let slots = BTreeMap::from([(key(2), Felt::from(3)), (key(4), Felt::from(5))]);
        assert_eq!(changes.storage, BTreeMap::from([(key(1), slots)]));
        assert_eq!(changes.nonces, BTreeMap::from([(key(6), Felt::from(7))]));
        let hashes = BTreeMap::from([(key(8), Felt::from(9)), (key(10), Felt::from(11))]);
        assert_eq!(changes.class_hashes, hashes);
        let listed = [(Felt::from(12), Some(Felt::from(13))), (Felt::from(14), None)];
        assert_eq!(changes.listed, listed);
        assert_eq!(changes.migrated, BTreeMap::from([(key(15), Felt::from(16))]));
    }

    #[test]
    fn every_list_may_be_left_out() {
        let changes = Changes::from_wire("{}", Vec::new()).unwrap();
        assert!(changes.storage.is_empty() && changes.nonces.is_empty());
    }

    #[test]
    fn malformed_differences_are_rejected() {
        for text in [
            "[]",
            "null",
            r#"{"unknown": []}"#,
            r#"{"nonces": [["0x1", "0x2"]]}"#,
            r#"{"nonces": [{"contract_address": "0x1"}]}"#,
            r#"{"nonces": [{"contract_address": "0x1", "nonce": 2}]}"#,
            r#"{"nonces": [{"contract_address": "1", "nonce": "0x2"}]}"#,
            r#"{"storage_diffs": [{"address": "0x1", "storage_entries": [["0x2", "0x3"]]}]}"#,
        ] {
            let failure = Changes::from_wire(text, Vec::new()).unwrap_err();
            assert_eq!(failure.kind, Kind::Input, "{text}");
        }
    }

    #[test]
    fn nothing_is_deployed_at_address_zero() {
        let text = r#"{"deployed_contracts": [{"address": "0x0", "class_hash": "0x1"}]}"#;
        let failure = Changes::from_wire(text, Vec::new()).unwrap_err();
        assert_eq!(failure.message, "address: nothing can be deployed at address 0");
    }
}
