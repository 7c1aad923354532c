//! Commitments, counts and hash of a finished block.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use starknet_api::StarknetApiError;
use starknet_api::block::{BlockHash, StarknetVersion};
use starknet_api::block_hash::block_hash_calculator::{
    BlockHashVersion, BlockHeaderCommitments, PartialBlockHashComponents, TransactionHashingData,
    TransactionOutputForHash, concat_counts, gas_prices_to_hash,
};
use starknet_api::block_hash::receipt_commitment::{ReceiptElement, calculate_receipt_commitment};
use starknet_api::block_hash::transaction_commitment::{
    TransactionLeafElement, calculate_transaction_commitment,
};
use starknet_api::core::{ContractAddress, EthAddress, EventCommitment, StateDiffCommitment};
use starknet_api::crypto::patricia_hash::calculate_root;
use starknet_api::data_availability::L1DataAvailabilityMode;
use starknet_api::execution_resources::GasVector;
use starknet_api::hash::PoseidonHash;
use starknet_api::transaction::fields::{Fee, TransactionSignature};
use starknet_api::transaction::{
    Event, L2ToL1Payload, MessageToL1, RevertedTransactionExecutionStatus,
    TransactionExecutionStatus, TransactionHash,
};
use starknet_types_core::felt::Felt;
use starknet_types_core::hash::StarkHash;

use super::block::Block;
use super::session::Executed;
use super::transaction::Transaction;
use crate::crypto::poseidon::Poseidon;
use crate::error::{Failure, Kind, Result, input};
use crate::felt::{Hex, Key, parse};
use crate::json::{parse_json, to_json};
use crate::state::Diff;

/// A transaction as its block's commitments see it: receipts as this engine reports them.
#[derive(Deserialize)]
struct Included {
    signature: Vec<Felt>,
    receipt: IncludedReceipt,
}

#[derive(Deserialize)]
struct IncludedReceipt {
    transaction_hash: Felt,
    actual_fee: Payment,
    events: Vec<Event>,
    messages_sent: Vec<SentMessage>,
    execution_status: String,
    #[serde(default)]
    revert_reason: Option<String>,
    execution_resources: GasVector,
}

#[derive(Deserialize)]
struct Payment {
    amount: String,
}

#[derive(Deserialize)]
struct SentMessage {
    from_address: ContractAddress,
    to_address: Felt,
    payload: L2ToL1Payload,
}

#[derive(Serialize)]
struct Seal {
    block_hash: Hex,
    transaction_commitment: Hex,
    event_commitment: Hex,
    receipt_commitment: Hex,
    state_diff_commitment: Hex,
    transaction_count: usize,
    event_count: usize,
    state_diff_length: usize,
}

impl Included {
    fn hashing_data(self) -> Result<TransactionHashingData> {
        let receipt = self.receipt;
        let amount = parse("actual_fee.amount", &receipt.actual_fee.amount)?;
        let messages_sent = receipt.messages_sent.into_iter().map(|message| {
            Ok(MessageToL1 {
                from_address: message.from_address,
                to_address: EthAddress::try_from(message.to_address)
                    .map_err(|error| input(format!("messages_sent.to_address: {error}")))?,
                payload: message.payload,
            })
        });
        let execution_status = match receipt.execution_status.as_str() {
            "SUCCEEDED" => TransactionExecutionStatus::Succeeded,
            "REVERTED" => {
                TransactionExecutionStatus::Reverted(RevertedTransactionExecutionStatus {
                    revert_reason: receipt.revert_reason.unwrap_or_default(),
                })
            }
            other => return Err(input(format!("execution_status: {other:?} is unknown"))),
        };
        Ok(TransactionHashingData {
            transaction_signature: TransactionSignature(Arc::new(self.signature)),
            transaction_output: TransactionOutputForHash {
                actual_fee: Fee(u128::try_from(amount)
                    .map_err(|_| input("actual_fee.amount: not below 2^128"))?),
                events: receipt.events,
                execution_status,
                gas_consumed: receipt.execution_resources,
                messages_sent: messages_sent.collect::<Result<_>>()?,
            },
            transaction_hash: TransactionHash(receipt.transaction_hash),
        })
    }
}

/// The transactions of a block from their receipts and signatures as JSON.
pub fn parse_included(text: &str) -> Result<Vec<TransactionHashingData>> {
    let included: Vec<Included> = parse_json("transactions", text)?;
    included.into_iter().map(Included::hashing_data).collect()
}

/// A transaction of a block as it was executed.
pub fn included(transaction: &Transaction, run: &Executed) -> TransactionHashingData {
    TransactionHashingData {
        transaction_signature: transaction.signature(),
        transaction_output: run.info.output_for_hashing(),
        transaction_hash: transaction.hash,
    }
}

/// Versions before this one hash a missing signature as a zero.
const WITH_EMPTY_SIGNATURES: StarknetVersion = StarknetVersion::V0_13_4;

fn transaction_leaf(
    data: &TransactionHashingData,
    version: &StarknetVersion,
) -> TransactionLeafElement {
    if version < &WITH_EMPTY_SIGNATURES && data.transaction_signature.0.is_empty() {
        let transaction_signature = TransactionSignature(Arc::new(vec![Felt::ZERO]));
        return TransactionLeafElement::from(&TransactionHashingData {
            transaction_signature,
            ..data.clone()
        });
    }
    TransactionLeafElement::from(data)
}

/// The leaves of events are private to their crate, and its function for all commitments of a block
/// moves each of them to another thread, which takes longer than a small block itself.
fn event_commitment(transactions: &[TransactionHashingData]) -> (EventCommitment, usize) {
    let mut leaves = Vec::new();
    for TransactionHashingData { transaction_output, transaction_hash, .. } in transactions {
        for Event { from_address, content } in &transaction_output.events {
            let mut felts = vec![*from_address.0.key(), transaction_hash.0];
            felts.push(Felt::from(content.keys.len()));
            felts.extend(content.keys.iter().map(|key| key.0));
            felts.push(Felt::from(content.data.0.len()));
            felts.extend(&content.data.0);
            leaves.push(Poseidon::hash_array(&felts));
        }
    }
    let count = leaves.len();
    (EventCommitment(calculate_root::<Poseidon>(leaves)), count)
}

/// The function of `starknet_api` copies and sorts the whole difference, which is sorted already, and hashes it with
/// the published Poseidon.
fn state_diff_hash(diff: &Diff) -> Felt {
    let mut updated = [&*diff.deployed, &*diff.replaced].concat();
    updated.sort_unstable_by_key(|(address, _)| *address);
    let mut compiled = [&*diff.declared, &*diff.migrated].concat();
    compiled.sort_unstable_by_key(|(hash, _)| *hash);
    let storage = || diff.storage.iter().filter(|(_, slots)| !slots.is_empty());
    let slots = storage().flat_map(|(address, slots)| {
        [address.felt(), Felt::from(slots.len())].into_iter().chain(felts(slots))
    });
    let tag = Felt::from_bytes_be_slice(b"STARKNET_STATE_DIFF0");
    Poseidon::hash_all(
        std::iter::once(tag)
            .chain(counted(&updated))
            .chain(counted(&compiled))
            .chain([Felt::from(diff.deprecated.len())])
            .chain(diff.deprecated.iter().map(|hash| hash.felt()))
            // The number of data availability modes, and the mode.
            .chain([Felt::ONE, Felt::ZERO, Felt::from(storage().count())])
            .chain(slots)
            .chain(counted(&diff.nonces)),
    )
}

/// As `calculate_block_hash` of `starknet_api`, which hashes with the published Poseidon.
fn block_hash(
    block: &PartialBlockHashComponents,
    parent_hash: BlockHash,
) -> Result<Felt, StarknetApiError> {
    let version = BlockHashVersion::try_from(block.starknet_version)?;
    let commitments = &block.header_commitments;
    let felts = [
        version.clone().into(),
        block.block_number.0.into(),
        // There is no trie, so the root of every block is 0.
        Felt::ZERO,
        *block.sequencer.0.key(),
        block.timestamp.0.into(),
        commitments.concatenated_counts,
        commitments.state_diff_commitment.0.0,
        commitments.transaction_commitment.0,
        commitments.event_commitment.0,
        commitments.receipt_commitment.0,
    ];
    let (l1_gas, l1_data_gas) = (&block.l1_gas_price, &block.l1_data_gas_price);
    let prices = gas_prices_to_hash(l1_gas, l1_data_gas, &block.l2_gas_price, &version);
    let last = [Felt::try_from(&block.starknet_version)?, Felt::ZERO, parent_hash.0];
    Ok(Poseidon::hash_all(felts.into_iter().chain(prices).chain(last)))
}

fn felts(pairs: &[(Key, Felt)]) -> impl Iterator<Item = Felt> {
    pairs.iter().flat_map(|(key, value)| [key.felt(), *value])
}

fn counted(pairs: &[(Key, Felt)]) -> impl Iterator<Item = Felt> {
    [Felt::from(pairs.len())].into_iter().chain(felts(pairs))
}

/// Commitments, counts and hash of a block, as JSON. Takes long for a large one; not for the
/// JavaScript thread.
pub fn seal(
    block: &Block,
    diff: &Diff,
    transactions: &[TransactionHashingData],
    parent_hash: BlockHash,
) -> Result<String> {
    let info = block.context.block_info();
    let version = &info.starknet_version;
    let da_mode = L1DataAvailabilityMode::from_use_kzg_da(info.use_kzg_da);
    let leaves: Vec<_> = transactions.iter().map(|data| transaction_leaf(data, version)).collect();
    let receipts: Vec<_> = transactions.iter().map(ReceiptElement::from).collect();
    diff.check_keys()?;
    let (count, length) = (transactions.len(), diff.length());
    let (event_commitment, event_count) = event_commitment(transactions);
    let commitments = BlockHeaderCommitments {
        transaction_commitment: calculate_transaction_commitment::<Poseidon>(&leaves),
        event_commitment,
        receipt_commitment: calculate_receipt_commitment::<Poseidon>(&receipts),
        state_diff_commitment: StateDiffCommitment(PoseidonHash(state_diff_hash(diff))),
        concatenated_counts: concat_counts(count, event_count, length, da_mode),
    };
    let parts = PartialBlockHashComponents::new(info, commitments.clone());
    let hash = block_hash(&parts, parent_hash).map_err(|error| Failure::new(Kind::Input, error))?;
    to_json(&Seal {
        block_hash: Hex(hash),
        transaction_commitment: Hex(commitments.transaction_commitment.0),
        event_commitment: Hex(commitments.event_commitment.0),
        receipt_commitment: Hex(commitments.receipt_commitment.0),
        state_diff_commitment: Hex(commitments.state_diff_commitment.0.0),
        transaction_count: count,
        event_count,
        state_diff_length: length,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use starknet_api::block::{BlockNumber, BlockTimestamp, GasPrice, GasPricePerToken};
    use starknet_api::block_hash::block_hash_calculator::calculate_block_hash;
    use starknet_api::block_hash::state_diff_hash::calculate_state_diff_hash;
    use starknet_api::core::{
        ClassHash, CompiledClassHash, GlobalRoot, Nonce, ReceiptCommitment,
        SequencerContractAddress, TransactionCommitment,
    };
    use starknet_api::state::{StorageKey, ThinStateDiff};

    /// A difference with lists of these lengths.
    fn diff_of(contracts: u64, slots: u64, others: u64) -> Diff {
        let key = |number: u64| Key::from(Felt::from(number) * Felt::from(u64::MAX));
        let pairs = |first: u64, count: u64| {
            (first..first + count)
                .map(|number| (key(number), Felt::MAX - Felt::from(number)))
                .collect()
        };
        Diff {
            storage: (1..=contracts).map(|number| (key(number), pairs(number, slots))).collect(),
            nonces: pairs(1, others),
            deployed: pairs(10, others),
            replaced: pairs(5, others.min(5)),
            declared: pairs(2, others),
            deprecated: (0..others).map(key).collect(),
            migrated: pairs(1, others.min(1)),
        }
    }

    /// The difference in the form of the sequencer.
    fn thin(diff: &Diff) -> ThinStateDiff {
        let address = |key: &Key| ContractAddress::try_from(key.felt()).unwrap();
        let slots =
            |(key, value): &(Key, Felt)| (StorageKey::try_from(key.felt()).unwrap(), *value);
        let hashes = diff.deployed.iter().chain(&diff.replaced);
        ThinStateDiff {
            deployed_contracts: hashes
                .map(|(key, hash)| (address(key), ClassHash(*hash)))
                .collect(),
            storage_diffs: diff
                .storage
                .iter()
                .map(|(key, pairs)| (address(key), pairs.iter().map(slots).collect()))
                .collect(),
            class_hash_to_compiled_class_hash: diff
                .declared
                .iter()
                .chain(&diff.migrated)
                .map(|(hash, compiled)| (ClassHash(hash.felt()), CompiledClassHash(*compiled)))
                .collect(),
            deprecated_declared_classes: diff
                .deprecated
                .iter()
                .map(|hash| ClassHash(hash.felt()))
                .collect(),
            nonces: diff.nonces.iter().map(|(key, nonce)| (address(key), Nonce(*nonce))).collect(),
        }
    }

    #[test]
    fn the_hash_of_a_block_is_that_of_the_protocol() {
        let price = |number: u128| GasPricePerToken {
            price_in_fri: GasPrice(number),
            price_in_wei: GasPrice(number + 1),
        };
        let number = |number: u64| Felt::MAX - Felt::from(number);
        for starknet_version in [
            StarknetVersion::V0_13_1,
            StarknetVersion::V0_13_2,
            StarknetVersion::V0_13_4,
            StarknetVersion::LATEST,
        ] {
            let block = PartialBlockHashComponents {
                header_commitments: BlockHeaderCommitments {
                    transaction_commitment: TransactionCommitment(number(1)),
                    event_commitment: EventCommitment(number(2)),
                    receipt_commitment: ReceiptCommitment(number(3)),
                    state_diff_commitment: StateDiffCommitment(PoseidonHash(number(4))),
                    concatenated_counts: number(5),
                },
                block_number: BlockNumber(6),
                l1_gas_price: price(7),
                l1_data_gas_price: price(9),
                l2_gas_price: price(11),
                sequencer: SequencerContractAddress(ContractAddress::from(13_u128)),
                timestamp: BlockTimestamp(14),
                starknet_version,
            };
            let parent = BlockHash(number(15));
            assert_eq!(
                block_hash(&block, parent),
                calculate_block_hash(&block, GlobalRoot(Felt::ZERO), parent).map(|hash| hash.0)
            );
        }
    }

    #[test]
    fn the_hash_of_a_difference_is_that_of_the_protocol() {
        for (contracts, slots, others) in
            [(0, 0, 0), (1, 1, 0), (0, 0, 1), (1, 0, 1), (3, 2, 2), (2, 3, 4), (5, 7, 6)]
        {
            let diff = diff_of(contracts, slots, others);
            let thin = thin(&diff);
            assert_eq!(state_diff_hash(&diff), calculate_state_diff_hash(&thin).0.0);
            assert_eq!(diff.length(), thin.len());
        }
    }
}
