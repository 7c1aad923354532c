//! Knows the block a transaction runs in, and the commitments and hash of a finished one.

use std::sync::Arc;

use blockifier::blockifier_versioned_constants::VersionedConstants;
use blockifier::bouncer::{BouncerConfig, BouncerWeights};
use blockifier::context::{BlockContext, ChainInfo, FeeTokenAddresses};
use napi::bindgen_prelude::block_on;
use serde::{Deserialize, Serialize};
use starknet_api::block::{
    BlockHash, BlockInfo, BlockNumber, BlockTimestamp, GasPrice, GasPriceVector, GasPrices,
    NonzeroGasPrice, StarknetVersion,
};
use starknet_api::block_hash::block_hash_calculator::{
    PartialBlockHashComponents, TransactionHashingData, TransactionOutputForHash,
    calculate_block_commitments, calculate_block_hash,
};
use starknet_api::core::{ChainId, ContractAddress, EthAddress, GlobalRoot};
use starknet_api::data_availability::L1DataAvailabilityMode;
use starknet_api::execution_resources::{GasAmount, GasVector};
use starknet_api::transaction::fields::{Fee, TransactionSignature};
use starknet_api::transaction::{
    Event, L2ToL1Payload, MessageToL1, RevertedTransactionExecutionStatus,
    TransactionExecutionStatus, TransactionHash,
};
use starknet_api::versioned_constants_logic::VersionedConstantsTrait;
use starknet_types_core::felt::Felt;

use crate::diff::Diff;
use crate::error::{Failure, Kind, Outcome, input, read_json};
use crate::felt::{Hex, parse, parse_address};
use crate::report::written;

pub struct Block {
    pub context: Arc<BlockContext>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Values {
    number: u64,
    timestamp: u64,
    sequencer_address: String,
    chain_id: String,
    fee_tokens: FeeTokens,
    gas_prices: Prices,
    #[serde(default)]
    starknet_version: Option<String>,
    #[serde(default = "yes")]
    use_kzg_da: bool,
    #[serde(default)]
    limits: BlockLimits,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FeeTokens {
    strk: String,
    eth: String,
}

/// Prices as text: they may exceed what a JavaScript number holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Prices {
    l1_gas: PricePair,
    l1_data_gas: PricePair,
    l2_gas: PricePair,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PricePair {
    wei: String,
    fri: String,
}

/// What one transaction may use of a block; one that is larger fits no block.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct BlockLimits {
    l1_gas: usize,
    sierra_gas: u64,
    state_diff_size: usize,
    n_events: usize,
}

impl Default for BlockLimits {
    fn default() -> Self {
        BlockLimits {
            l1_gas: 4_950_000,
            sierra_gas: 2_000_000_000,
            state_diff_size: 4_000,
            n_events: 5_000,
        }
    }
}

pub fn parse_chain_id(text: &str) -> Outcome<ChainId> {
    if text.is_empty() || text.len() > 31 || !text.is_ascii() {
        return Err(input(format!(
            "chain_id: {text:?} is not a short string (1 to 31 characters)"
        )));
    }
    Ok(ChainId::from(text.to_owned()))
}

fn price(what: &str, text: &str) -> Outcome<NonzeroGasPrice> {
    let amount = match text.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    amount
        .and_then(|amount| NonzeroGasPrice::new(GasPrice(amount)).ok())
        .ok_or_else(|| input(format!("gas_prices.{what}: {text:?} is not between 1 and 2^128 - 1")))
}

fn starknet_version(text: Option<&str>) -> Outcome<(StarknetVersion, &'static VersionedConstants)> {
    let version = match text {
        None => StarknetVersion::LATEST,
        Some(text) => StarknetVersion::try_from(text)
            .map_err(|_| input(format!("starknet_version: {text:?} is not one we know")))?,
    };
    let constants = VersionedConstants::get(&version).map_err(|_| {
        input(format!("starknet_version: {version} is too old: no constants are known for it"))
    })?;
    Ok((version, constants))
}

impl Block {
    pub fn parse(text: &str) -> Outcome<Block> {
        let values: Values = read_json("block", text)?;
        let (version, constants) = starknet_version(values.starknet_version.as_deref())?;
        let prices = &values.gas_prices;
        let block_info = BlockInfo {
            block_number: BlockNumber(values.number),
            block_timestamp: BlockTimestamp(values.timestamp),
            starknet_version: version,
            sequencer_address: parse_address("sequencer_address", &values.sequencer_address)?,
            gas_prices: GasPrices {
                eth_gas_prices: GasPriceVector {
                    l1_gas_price: price("l1_gas.wei", &prices.l1_gas.wei)?,
                    l1_data_gas_price: price("l1_data_gas.wei", &prices.l1_data_gas.wei)?,
                    l2_gas_price: price("l2_gas.wei", &prices.l2_gas.wei)?,
                },
                strk_gas_prices: GasPriceVector {
                    l1_gas_price: price("l1_gas.fri", &prices.l1_gas.fri)?,
                    l1_data_gas_price: price("l1_data_gas.fri", &prices.l1_data_gas.fri)?,
                    l2_gas_price: price("l2_gas.fri", &prices.l2_gas.fri)?,
                },
            },
            use_kzg_da: values.use_kzg_da,
        };
        let chain_info = ChainInfo {
            chain_id: parse_chain_id(&values.chain_id)?,
            fee_token_addresses: FeeTokenAddresses {
                strk_fee_token_address: parse_address("fee_tokens.strk", &values.fee_tokens.strk)?,
                eth_fee_token_address: parse_address("fee_tokens.eth", &values.fee_tokens.eth)?,
            },
            is_l3: false,
        };
        let bouncer = BouncerConfig {
            block_max_capacity: BouncerWeights {
                l1_gas: values.limits.l1_gas,
                sierra_gas: GasAmount(values.limits.sierra_gas),
                state_diff_size: values.limits.state_diff_size,
                n_events: values.limits.n_events,
                ..BouncerWeights::default()
            },
            ..BouncerConfig::default()
        };
        let context = BlockContext::new(block_info, chain_info, constants.clone(), bouncer);
        Ok(Block { context: Arc::new(context) })
    }
}

// Finishing a block.

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
    fn hashing_data(self) -> Outcome<TransactionHashingData> {
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
                messages_sent: messages_sent.collect::<Outcome<_>>()?,
            },
            transaction_hash: TransactionHash(receipt.transaction_hash),
        })
    }
}

/// Commitments, counts and hash of a block, as JSON. Blocks; not for the JavaScript thread.
pub fn seal(block: &Block, diff: &Diff, transactions: &str, parent_hash: &str) -> Outcome<String> {
    let included: Vec<Included> = read_json("transactions", transactions)?;
    let parent_hash = BlockHash(parse("parent_hash", parent_hash)?);
    let data: Vec<_> = included.into_iter().map(Included::hashing_data).collect::<Outcome<_>>()?;
    let info = block.context.block_info();
    let da_mode = L1DataAvailabilityMode::from_use_kzg_da(info.use_kzg_da);
    let (commitments, counts) =
        block_on(calculate_block_commitments(&data, diff.thin()?, da_mode, &info.starknet_version));
    let parts = PartialBlockHashComponents::new(info, commitments.clone());
    // There is no trie, so the root of every block is 0.
    let hash = calculate_block_hash(&parts, GlobalRoot(Felt::ZERO), parent_hash)
        .map_err(|error| Failure::new(Kind::Input, error))?;
    written(&Seal {
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
