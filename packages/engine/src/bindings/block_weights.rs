//! Weights and capacities of blocks.

use std::sync::Arc;

use napi_derive::napi;

use super::arguments::weight;
use super::error::Result;
use crate::release::Held;
use starkbox_engine_core::error;
use starkbox_engine_core::execution::{self, Figures};

#[napi(object)]
pub struct CapacityFigures {
    #[napi(js_name = "l1_gas")]
    pub l1_gas: f64,
    #[napi(js_name = "message_segment_length")]
    pub message_segment_length: f64,
    #[napi(js_name = "n_events")]
    pub n_events: f64,
    #[napi(js_name = "n_txs")]
    pub n_txs: f64,
    #[napi(js_name = "state_diff_size")]
    pub state_diff_size: f64,
    #[napi(js_name = "sierra_gas")]
    pub sierra_gas: f64,
    #[napi(js_name = "proving_gas")]
    pub proving_gas: f64,
    #[napi(js_name = "receipt_l2_gas")]
    pub receipt_l2_gas: f64,
}

impl CapacityFigures {
    pub(super) fn parse(&self) -> error::Result<Figures> {
        Ok(Figures([
            weight("capacity.l1_gas", self.l1_gas)?,
            weight("capacity.message_segment_length", self.message_segment_length)?,
            weight("capacity.n_events", self.n_events)?,
            weight("capacity.n_txs", self.n_txs)?,
            weight("capacity.state_diff_size", self.state_diff_size)?,
            weight("capacity.sierra_gas", self.sierra_gas)?,
            weight("capacity.proving_gas", self.proving_gas)?,
            weight("capacity.receipt_l2_gas", self.receipt_l2_gas)?,
        ]))
    }
}

impl From<Figures> for CapacityFigures {
    fn from(Figures(figures): Figures) -> Self {
        let [
            l1_gas,
            message_segment_length,
            n_events,
            n_txs,
            state_diff_size,
            sierra_gas,
            proving_gas,
            receipt_l2_gas,
        ] = figures.map(|figure| figure as f64);
        CapacityFigures {
            l1_gas,
            message_segment_length,
            n_events,
            n_txs,
            state_diff_size,
            sierra_gas,
            proving_gas,
            receipt_l2_gas,
        }
    }
}

/// Accumulated weights of a block under construction.
#[napi]
pub struct BlockWeights {
    pub(super) inner: Held<execution::BlockWeights>,
}

impl BlockWeights {
    pub(super) fn of(weights: Arc<execution::BlockWeights>) -> BlockWeights {
        BlockWeights { inner: Held::new(weights) }
    }
}

#[napi]
impl BlockWeights {
    /// Weights of a block without transactions.
    #[napi(constructor, catch_unwind)]
    #[allow(clippy::new_without_default, reason = "JavaScript constructs it")]
    pub fn new() -> BlockWeights {
        BlockWeights::of(Arc::default())
    }

    /// Reads what `toText` wrote.
    #[napi(catch_unwind)]
    pub fn parse(text: String) -> Result<BlockWeights> {
        Ok(BlockWeights::of(Arc::new(execution::BlockWeights::parse(&text)?)))
    }

    #[napi(getter, catch_unwind)]
    pub fn figures(&self) -> CapacityFigures {
        self.inner.figures.into()
    }

    #[napi(catch_unwind)]
    pub fn to_text(&self) -> Result<String> {
        Ok(self.inner.to_text()?)
    }
}
