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
