//! Knows the shape of a state difference: on the wire, in the log of a chain, and from blockifier.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use blockifier::state::cached_state::StateMaps;
use indexmap::IndexMap;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use starknet_api::core::{ClassHash, CompiledClassHash, ContractAddress, Nonce};
use starknet_api::state::{StorageKey, ThinStateDiff};
use starknet_types_core::felt::Felt;

use crate::class::Class;
use crate::error::{Outcome, input, read_json};
use crate::felt::{Hex, Key, parse, parse_address, parse_key};

type Slots = Box<[(Key, Felt)]>;

/// What changed, sorted by key; the form in which a chain keeps its blocks' differences.
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
}

/// Contracts whose class changed. One that had none is deployed; one that had another, replaced.
#[derive(Default)]
pub struct Moves {
    pub deployed: Vec<(Key, Felt)>,
    pub replaced: Vec<(Key, Felt)>,
}

impl Moves {
    pub fn add(&mut self, address: Key, was: Felt, now: Felt) {
        if was == now {
            return;
        }
        let list = if was == Felt::ZERO { &mut self.deployed } else { &mut self.replaced };
        list.push((address, now));
    }
}

/// A difference to be written, with the bodies of the classes it declares.
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
    pub fn from_wire(text: &str, classes: Vec<Arc<Class>>) -> Outcome<Self> {
        let Object(wire): Object<WireDiff> = read_json("state diff", text)?;
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

/// A value that is written as a JSON object. By itself, serde takes a list for a structure too.
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

impl Diff {
    /// How many entries the protocol counts.
    pub fn length(&self) -> usize {
        self.storage.iter().map(|(_, slots)| slots.len()).sum::<usize>()
            + self.nonces.len()
            + self.deployed.len()
            + self.replaced.len()
            + self.declared.len()
            + self.deprecated.len()
    }

    /// The form that the protocol's state-diff commitment is computed from.
    pub fn thin(&self) -> Outcome<ThinStateDiff> {
        let address = |key: &Key| {
            ContractAddress::try_from(key.felt())
                .map_err(|error| input(format!("address: {error}")))
        };
        let mut storage_diffs = IndexMap::new();
        for (contract, slots) in &self.storage {
            let mut entries = IndexMap::with_capacity(slots.len());
            for (key, value) in slots {
                let key = StorageKey::try_from(key.felt())
                    .map_err(|error| input(format!("storage key: {error}")))?;
                entries.insert(key, *value);
            }
            storage_diffs.insert(address(contract)?, entries);
        }
        let mut deployed_contracts = IndexMap::new();
        for (contract, hash) in self.deployed.iter().chain(&self.replaced) {
            deployed_contracts.insert(address(contract)?, ClassHash(*hash));
        }
        let mut nonces = IndexMap::new();
        for (contract, nonce) in &self.nonces {
            nonces.insert(address(contract)?, Nonce(*nonce));
        }
        Ok(ThinStateDiff {
            deployed_contracts,
            storage_diffs,
            class_hash_to_compiled_class_hash: self
                .declared
                .iter()
                .map(|(hash, compiled)| (ClassHash(hash.felt()), CompiledClassHash(*compiled)))
                .collect(),
            deprecated_declared_classes: self
                .deprecated
                .iter()
                .map(|hash| ClassHash(hash.felt()))
                .collect(),
            nonces,
        })
    }
}

impl Serialize for Diff {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("STATE_DIFF", 6)?;
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
