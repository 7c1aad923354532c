//! Weights of a block under construction, as the sequencer's bouncer accumulates them.

use std::collections::{BTreeMap, HashSet};
use std::hash::Hash;

use blockifier::bouncer::{BouncerWeights, get_tx_weights};
use blockifier::context::BlockContext;
use blockifier::state::cached_state::{StateChangesKeys, StorageEntry};
use blockifier::state::state_api::StateReader;
use blockifier::transaction::objects::TransactionExecutionInfo;
use imbl::OrdSet;
use serde::{Deserialize, Serialize};
use starknet_api::core::{ClassHash, ContractAddress};
use starknet_api::state::StorageKey;

use crate::error::{Failure, Kind, Result, input};
use crate::felt::{Hex, Key, parse, parse_address, parse_key};
use crate::json::{parse_json, to_json};
use crate::state::Changes;

/// Names of the weights, in the order of `Figures`.
pub const WEIGHT_NAMES: [&str; 8] = [
    "l1_gas",
    "message_segment_length",
    "n_events",
    "n_txs",
    "state_diff_size",
    "sierra_gas",
    "proving_gas",
    "receipt_l2_gas",
];

/// The largest figure that JavaScript represents exactly.
pub const LARGEST_FIGURE: u64 = (1 << 53) - 1;

/// Weights of a block, or its capacity. The bouncer counts some of them in numbers of the machine's size, which are
/// too small on `wasm32` for a capacity without a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures(pub [u64; WEIGHT_NAMES.len()]);

impl From<BouncerWeights> for Figures {
    fn from(weights: BouncerWeights) -> Self {
        Figures([
            weights.l1_gas as u64,
            weights.message_segment_length as u64,
            weights.n_events as u64,
            weights.n_txs as u64,
            weights.state_diff_size as u64,
            weights.sierra_gas.0,
            weights.proving_gas.0,
            weights.receipt_l2_gas.0,
        ])
    }
}

impl Figures {
    /// A sum above the range is above every capacity.
    fn plus(self, other: Figures) -> Figures {
        let mut sum = self;
        for (figure, added) in sum.0.iter_mut().zip(other.0) {
            *figure = figure.saturating_add(added);
        }
        sum
    }

    /// Names of the figures that are above a capacity.
    fn exceeding(self, capacity: Figures) -> Vec<&'static str> {
        let pairs = self.0.into_iter().zip(capacity.0).zip(WEIGHT_NAMES);
        pairs.filter(|((figure, limit), _)| figure > limit).map(|(_, name)| name).collect()
    }
}

/// Parts of a block that count once, whichever transactions share them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Parts {
    executed_classes: OrdSet<Key>,
    /// Slots that were read or written.
    visited_slots: OrdSet<(Key, Key)>,
    changed_slots: OrdSet<(Key, Key)>,
    changed_class_hashes: OrdSet<Key>,
    declared_classes: OrdSet<Key>,
    changed_contracts: OrdSet<Key>,
}

impl Parts {
    fn of(info: &TransactionExecutionInfo, changes: &Changes, context: &BlockContext) -> Parts {
        let summary = info.summarize(context.versioned_constants());
        let Changes { storage, nonces, class_hashes, classes, .. } = changes;
        let slots_of = |(address, slots): (&Key, &BTreeMap<Key, _>)| -> Vec<_> {
            slots.keys().map(|key| (*address, *key)).collect()
        };
        let contracts = storage.keys().chain(nonces.keys()).chain(class_hashes.keys());
        Parts {
            executed_classes: summary.executed_class_hashes.into_iter().map(Key::from).collect(),
            visited_slots: summary
                .visited_storage_entries
                .into_iter()
                .map(|(address, key)| (address.into(), key.into()))
                .collect(),
            changed_slots: storage.iter().flat_map(slots_of).collect(),
            changed_class_hashes: class_hashes.keys().copied().collect(),
            declared_classes: classes.iter().map(|class| Key::from(class.hash)).collect(),
            changed_contracts: contracts.copied().collect(),
        }
    }

    fn without(&self, other: &Parts) -> Parts {
        fn missing<K: Ord + Copy>(keys: &OrdSet<K>, other: &OrdSet<K>) -> OrdSet<K> {
            keys.iter().filter(|key| !other.contains(*key)).copied().collect()
        }
        Parts {
            executed_classes: missing(&self.executed_classes, &other.executed_classes),
            visited_slots: missing(&self.visited_slots, &other.visited_slots),
            changed_slots: missing(&self.changed_slots, &other.changed_slots),
            changed_class_hashes: missing(&self.changed_class_hashes, &other.changed_class_hashes),
            declared_classes: missing(&self.declared_classes, &other.declared_classes),
            changed_contracts: missing(&self.changed_contracts, &other.changed_contracts),
        }
    }

    fn extend(&mut self, other: Parts) {
        self.executed_classes.extend(other.executed_classes);
        self.visited_slots.extend(other.visited_slots);
        self.changed_slots.extend(other.changed_slots);
        self.changed_class_hashes.extend(other.changed_class_hashes);
        self.declared_classes.extend(other.declared_classes);
        self.changed_contracts.extend(other.changed_contracts);
    }

    /// Figures of a transaction that adds these parts to a block.
    fn weigh(
        &self,
        info: &TransactionExecutionInfo,
        reader: &impl StateReader,
        context: &BlockContext,
    ) -> Result<Figures> {
        let keys = StateChangesKeys {
            // Nonces count as changes of their contracts.
            nonce_keys: HashSet::new(),
            class_hash_keys: converted(&self.changed_class_hashes, address)?,
            storage_keys: converted(&self.changed_slots, slot)?,
            compiled_class_hash_keys: converted(&self.declared_classes, class_hash)?,
            modified_contracts: converted(&self.changed_contracts, address)?,
        };
        let weights = get_tx_weights(
            reader,
            &converted(&self.executed_classes, class_hash)?,
            self.visited_slots.len(),
            &info.receipt.resources,
            &keys,
            context.versioned_constants(),
            &info.summarize_builtins(),
            // Its capacity determines what builtins cost in proving gas.
            &context.bouncer_config,
            info.receipt.gas.l2_gas,
        );
        let weights = weights.map_err(|error| Failure::new(Kind::Internal, error))?;
        Ok(weights.bouncer_weights.into())
    }
}

fn converted<K: Ord + Copy, T: Eq + Hash>(
    keys: &OrdSet<K>,
    convert: fn(K) -> Result<T>,
) -> Result<HashSet<T>> {
    keys.iter().map(|key| convert(*key)).collect()
}

fn address(key: Key) -> Result<ContractAddress> {
    ContractAddress::try_from(key.felt()).map_err(input)
}

fn slot((contract, key): (Key, Key)) -> Result<StorageEntry> {
    Ok((address(contract)?, StorageKey::try_from(key.felt()).map_err(input)?))
}

fn class_hash(key: Key) -> Result<ClassHash> {
    Ok(ClassHash(key.felt()))
}

/// Accumulated weights of a block: a value that shares what did not change with the values that it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockWeights {
    pub figures: Figures,
    parts: Parts,
}

/// Whether a block has room for a transaction.
pub enum Admission {
    /// The weights of the block with the transaction.
    Fits(BlockWeights),
    Full {
        /// Names of the weights that would be above the capacity.
        exceeded: Vec<&'static str>,
        /// Whether an empty block has no room for it either.
        too_large: bool,
    },
}

impl BlockWeights {
    /// Adds a transaction, unless the block would be above its capacity. The reader must have its classes.
    pub(super) fn admit(
        &self,
        (info, changes): (&TransactionExecutionInfo, &Changes),
        reader: &impl StateReader,
        context: &BlockContext,
        capacity: Figures,
    ) -> Result<Admission> {
        let all = Parts::of(info, changes, context);
        let added = all.without(&self.parts);
        let figures = self.figures.plus(added.weigh(info, reader, context)?);
        let exceeded = figures.exceeding(capacity);
        if exceeded.is_empty() {
            let mut parts = self.parts.clone();
            parts.extend(added);
            return Ok(Admission::Fits(BlockWeights { figures, parts }));
        }
        let too_large = !all.weigh(info, reader, context)?.exceeding(capacity).is_empty();
        Ok(Admission::Full { exceeded, too_large })
    }

    /// Text for storage, the same for equal values.
    pub fn to_text(&self) -> Result<String> {
        let Parts { changed_slots, visited_slots, .. } = &self.parts;
        to_json(&Text {
            figures: WEIGHT_NAMES.into_iter().zip(self.figures.0).collect(),
            executed_classes: list(&self.parts.executed_classes),
            visited_slots: slots_by_contract(visited_slots),
            changed_slots: slots_by_contract(changed_slots),
            changed_class_hashes: list(&self.parts.changed_class_hashes),
            declared_classes: list(&self.parts.declared_classes),
            changed_contracts: list(&self.parts.changed_contracts),
        })
    }

    /// Reads what `to_text` wrote, and no other text.
    pub fn parse(text: &str) -> Result<BlockWeights> {
        let weights = BlockWeights::read(text)?;
        if weights.to_text()? == text {
            Ok(weights)
        } else {
            Err(input("weights: expected the text of weights as it was written, got another form"))
        }
    }

    fn read(text: &str) -> Result<BlockWeights> {
        let text: Text<String, String> = parse_json("weights", text)?;
        let class = |hash: &String| parse("weights.class", hash).map(Key::from);
        let contract = |address: &String| parse_address("weights.contract", address).map(Key::from);
        let parts = Parts {
            executed_classes: text.executed_classes.iter().map(class).collect::<Result<_>>()?,
            visited_slots: parse_slots(&text.visited_slots)?,
            changed_slots: parse_slots(&text.changed_slots)?,
            changed_class_hashes: text
                .changed_class_hashes
                .iter()
                .map(contract)
                .collect::<Result<_>>()?,
            declared_classes: text.declared_classes.iter().map(class).collect::<Result<_>>()?,
            changed_contracts: text
                .changed_contracts
                .iter()
                .map(contract)
                .collect::<Result<_>>()?,
        };
        Ok(BlockWeights { figures: parse_figures(&text.figures)?, parts })
    }
}

/// The form in storage: names and felts are borrowed or computed to be written, and owned when read.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "N: Ord + Deserialize<'de>, F: Deserialize<'de>"))]
struct Text<N, F> {
    figures: BTreeMap<N, u64>,
    executed_classes: Vec<F>,
    visited_slots: Vec<(F, Vec<F>)>,
    changed_slots: Vec<(F, Vec<F>)>,
    changed_class_hashes: Vec<F>,
    declared_classes: Vec<F>,
    changed_contracts: Vec<F>,
}

fn list(keys: &OrdSet<Key>) -> Vec<Hex> {
    keys.iter().map(|key| Hex(key.felt())).collect()
}

fn slots_by_contract(slots: &OrdSet<(Key, Key)>) -> Vec<(Hex, Vec<Hex>)> {
    let mut contracts: BTreeMap<Key, Vec<Hex>> = BTreeMap::new();
    for (address, key) in slots {
        contracts.entry(*address).or_default().push(Hex(key.felt()));
    }
    contracts.into_iter().map(|(address, keys)| (Hex(address.felt()), keys)).collect()
}

fn parse_slots(contracts: &[(String, Vec<String>)]) -> Result<OrdSet<(Key, Key)>> {
    let mut slots = OrdSet::new();
    for (address, keys) in contracts {
        let address = parse_address("weights.contract", address)?;
        for key in keys {
            slots.insert((address.into(), parse_key("weights.slot", key)?.into()));
        }
    }
    Ok(slots)
}

fn parse_figures(named: &BTreeMap<String, u64>) -> Result<Figures> {
    let mut figures = Figures::default();
    for (figure, name) in figures.0.iter_mut().zip(WEIGHT_NAMES) {
        let value = named.get(name).filter(|value| **value <= LARGEST_FIGURE);
        *figure = *value.ok_or_else(|| {
            input(format!("weights.figures.{name}: expected a number from 0 to 2^53 - 1"))
        })?;
    }
    Ok(figures)
}
