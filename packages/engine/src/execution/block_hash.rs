//! Commitments, counts and hash of a finished block.

use std::sync::Arc;

use napi::bindgen_prelude::block_on;
use serde::{Deserialize, Serialize};
use starknet_api::block::BlockHash;
use starknet_api::block_hash::block_hash_calculator::{
    PartialBlockHashComponents, TransactionHashingData, TransactionOutputForHash,
    calculate_block_commitments, calculate_block_hash,
};
use starknet_api::core::{ContractAddress, EthAddress, GlobalRoot};
use starknet_api::data_availability::L1DataAvailabilityMode;
use starknet_api::execution_resources::GasVector;
use starknet_api::transaction::fields::{Fee, TransactionSignature};
use starknet_api::transaction::{
    Event, L2ToL1Payload, MessageToL1, RevertedTransactionExecutionStatus,
    TransactionExecutionStatus, TransactionHash,
};
use starknet_types_core::felt::Felt;

use super::block::Block;
use crate::error::{Failure, Kind, Result, input};
use crate::felt::{Hex, parse};
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

/// Commitments, counts and hash of a block, as JSON. Blocks; not for the JavaScript thread.
pub fn seal(block: &Block, diff: &Diff, transactions: &str, parent_hash: &str) -> Result<String> {
    let included: Vec<Included> = parse_json("transactions", transactions)?;
    let parent_hash = BlockHash(parse("parent_hash", parent_hash)?);
    let data: Vec<_> = included.into_iter().map(Included::hashing_data).collect::<Result<_>>()?;
    let info = block.context.block_info();
    let da_mode = L1DataAvailabilityMode::from_use_kzg_da(info.use_kzg_da);
    let (commitments, counts) =
        block_on(calculate_block_commitments(&data, diff.thin()?, da_mode, &info.starknet_version));
    let parts = PartialBlockHashComponents::new(info, commitments.clone());
    // There is no trie, so the root of every block is 0.
    let hash = calculate_block_hash(&parts, GlobalRoot(Felt::ZERO), parent_hash)
        .map_err(|error| Failure::new(Kind::Input, error))?;
    to_json(&Seal {
        block_hash: Hex(hash.0),
        transaction_commitment: Hex(commitments.transaction_commitment.0),
        event_commitment: Hex(commitments.event_commitment.0),
        receipt_commitment: Hex(commitments.receipt_commitment.0),
        state_diff_commitment: Hex(commitments.state_diff_commitment.0.0),
        transaction_count: counts.n_txs,
        event_count: counts.n_events,
        state_diff_length: counts.state_diff_length,
    })
}
