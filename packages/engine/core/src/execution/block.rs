//! The block that a transaction runs in.

use std::sync::Arc;

use blockifier::blockifier_versioned_constants::VersionedConstants;
use blockifier::bouncer::{BouncerConfig, BouncerWeights};
use blockifier::context::{BlockContext, ChainInfo, FeeTokenAddresses};
use serde::Deserialize;
use starknet_api::block::{
    BlockInfo, BlockNumber, BlockTimestamp, GasPrice, GasPriceVector, GasPrices, NonzeroGasPrice,
    StarknetVersion,
};
use starknet_api::core::ChainId;
use starknet_api::execution_resources::GasAmount;
use starknet_api::versioned_constants_logic::VersionedConstantsTrait;

use crate::error::{Result, input};
use crate::felt::parse_address;
use crate::json::parse_json;

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
    #[serde(default = "enabled")]
    use_kzg_da: bool,
    #[serde(default)]
    limits: BlockLimits,
}

fn enabled() -> bool {
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

/// Capacity of a block; a transaction that needs more is refused.
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

pub fn parse_chain_id(text: &str) -> Result<ChainId> {
    if text.is_empty() || text.len() > 31 || !text.is_ascii() {
        return Err(input(format!(
            "chain_id: {text:?} is not a short string (1 to 31 characters)"
        )));
    }
    Ok(ChainId::from(text.to_owned()))
}

fn price(what: &str, text: &str) -> Result<NonzeroGasPrice> {
    let amount = match text.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    amount
        .and_then(|amount| NonzeroGasPrice::new(GasPrice(amount)).ok())
        .ok_or_else(|| input(format!("gas_prices.{what}: {text:?} is not between 1 and 2^128 - 1")))
}

fn starknet_version(text: Option<&str>) -> Result<(StarknetVersion, &'static VersionedConstants)> {
    let version = match text {
        None => StarknetVersion::LATEST,
        Some(text) => StarknetVersion::try_from(text)
            .map_err(|_| input(format!("starknet_version: {text:?} is unknown")))?,
    };
    let constants = VersionedConstants::get(&version).map_err(|_| {
        input(format!("starknet_version: {version} is too old: no constants are known for it"))
    })?;
    Ok((version, constants))
}

impl Block {
    pub fn parse(text: &str) -> Result<Block> {
        let values: Values = parse_json("block", text)?;
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

    /// The context of a transaction that declares a class whose compiled class hash is checked already.
    pub fn without_class_check(&self) -> Arc<BlockContext> {
        let mut constants = self.context.versioned_constants().clone();
        constants.block_casm_hash_v1_declares = false;
        Arc::new(BlockContext::new(
            self.context.block_info().clone(),
            self.context.chain_info().clone(),
            constants,
            self.context.bouncer_config.clone(),
        ))
    }
}
