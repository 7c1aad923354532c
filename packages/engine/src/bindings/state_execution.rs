//! Executions, calls and closing of blocks on a state.

use std::sync::Arc;

use blockifier::execution::observer::take_printed;
use napi::bindgen_prelude::*;
use napi_derive::napi;
use starknet_api::block::BlockHash;
use starknet_api::core::{ContractAddress, EntryPointSelector};

use super::block_weights::{BlockWeights, CapacityFigures};
use super::error::Result;
use super::execution::{Closed, Content, Execution};
use super::promise::off_thread;
use super::state::State;
use super::transaction::{Block, Flags, Transaction};
use crate::release::Held;
use starkbox_engine_core::error;
use starkbox_engine_core::execution::{
    self, Admission, Call, FirstWrite, Run, Session, classes_of, included, parse_included, report,
    retrace,
};
use starkbox_engine_core::felt::{parse, parse_address, parse_all, parse_key};

/// A call of a function, as the RPC names its parts.
#[napi(object, object_to_js = false)]
pub struct FunctionCall {
    #[napi(js_name = "contract_address")]
    pub contract_address: String,
    #[napi(js_name = "entry_point_selector")]
    pub entry_point_selector: String,
    pub calldata: Vec<String>,
    pub caller: Option<String>,
}

impl FunctionCall {
    pub(super) fn parse(&self) -> error::Result<Call> {
        Ok(Call {
            address: parse_address("contract_address", &self.contract_address)?,
            selector: EntryPointSelector(parse(
                "entry_point_selector",
                &self.entry_point_selector,
            )?),
            calldata: parse_all("calldata", &self.calldata)?,
            caller: match &self.caller {
                Some(caller) => parse_address("caller", caller)?,
                None => ContractAddress::default(),
            },
        })
    }
}

/// Entries whose commitment takes less time than waking another thread.
const SMALL_DIFFERENCE: usize = 8;

/// A slot that is written at the start of a version.
#[napi(object)]
pub struct SlotWrite {
    pub address: String,
    pub key: String,
    pub value: String,
}

impl SlotWrite {
    pub(super) fn parse(&self) -> error::Result<FirstWrite> {
        Ok(FirstWrite {
            address: parse_address("address", &self.address)?.into(),
            key: parse_key("key", &self.key)?.into(),
            value: parse("value", &self.value)?,
        })
    }
}

fn closing(
    block: &Block,
    parent_hash: &str,
    first_write: Option<&SlotWrite>,
) -> error::Result<execution::Closing> {
    Ok(execution::Closing {
        block: block.inner.clone(),
        parent_hash: BlockHash(parse("parent_hash", parent_hash)?),
        first_write: first_write.map(SlotWrite::parse).transpose()?,
    })
}

#[napi]
impl State {
    /// Executes one transaction and folds its changes into the next state.
    #[napi(catch_unwind)]
    pub fn execute<'env>(
        &self,
        env: &'env Env,
        block: &Block,
        transaction: &Transaction,
        flags: Option<Flags>,
    ) -> Result<PromiseRaw<'env, Execution>> {
        let flags = flags.map(execution::Flags::from).unwrap_or_default();
        let state = self.writable()?.clone();
        let (block, transaction) = (block.inner.clone(), transaction.inner.clone());
        let at = self.at;
        off_thread(env, move || {
            let mut session = Session::new(state.clone(), at, block);
            let run = session.run(&transaction, flags)?;
            let mut report =
                Execution::from_run(&run, &transaction, session.constants(), Content::ALL)?;
            if let Run::Executed(run) = &run {
                report.next = Some(Held::new(Arc::new(state.apply(&run.changes)?)));
            }
            Ok(report)
        })
    }

    /// As `execute`, and adds the transaction to the weights of the block. Changes nothing if they would be above the
    /// capacity.
    #[napi(catch_unwind)]
    pub fn execute_within<'env>(
        &self,
        env: &'env Env,
        block: &Block,
        transaction: &Transaction,
        flags: Option<Flags>,
        weights: &BlockWeights,
        capacity: CapacityFigures,
    ) -> Result<PromiseRaw<'env, Execution>> {
        let flags = flags.map(execution::Flags::from).unwrap_or_default();
        let capacity = capacity.parse()?;
        let state = self.writable()?.clone();
        let (block, transaction) = (block.inner.clone(), transaction.inner.clone());
        let (weights, at) = (weights.inner.clone(), self.at);
        off_thread(env, move || {
            let mut session = Session::new(state.clone(), at, block);
            let run = session.run(&transaction, flags)?;
            let Run::Executed(executed) = &run else {
                return Execution::from_run(&run, &transaction, session.constants(), Content::ALL);
            };
            let weights = match session.admit(executed, &weights, capacity)? {
                Admission::Fits(weights) => weights,
                Admission::Full { exceeded, too_large } => {
                    return Execution::full(exceeded, too_large);
                }
            };
            let mut report =
                Execution::from_run(&run, &transaction, session.constants(), Content::ALL)?;
            report.next = Some(Held::new(Arc::new(state.apply(&executed.changes)?)));
            report.weights = Some(Held::new(Arc::new(weights)));
            Ok(report)
        })
    }

    /// Calls a function and gives `{result}` or `{failure}` as JSON.
    #[napi(catch_unwind)]
    pub fn call<'env>(
        &self,
        env: &'env Env,
        block: &Block,
        call: FunctionCall,
    ) -> Result<PromiseRaw<'env, String>> {
        let call = call.parse()?;
        let (state, at, block) = (self.inner.clone(), self.at, block.inner.clone());
        off_thread(env, move || {
            let called = execution::call(state, at, &block, call)?;
            report::call_report(&called, take_printed())
        })
    }

    /// Calls a function with the machine's trace and gives its frames as JSON.
    #[napi(catch_unwind)]
    pub fn retrace_call<'env>(
        &self,
        env: &'env Env,
        block: &Block,
        call: FunctionCall,
        visited: bool,
    ) -> Result<PromiseRaw<'env, String>> {
        let call = call.parse()?;
        let (state, at, block) = (self.inner.clone(), self.at, block.inner.clone());
        off_thread(env, move || {
            let classes = classes_of(state.clone(), at, &[]);
            retrace::retrace(visited, classes, || execution::call(state, at, &block, call))
        })
    }
}

#[napi]
impl State {
    /// Closes the version being written at once, without a hash.
    #[napi(catch_unwind)]
    pub fn advance(&self, first_write: Option<SlotWrite>) -> Result<State> {
        let next = self.writable()?.advance();
        Ok(State::head(Arc::new(match first_write {
            Some(write) => write.parse()?.apply(&next)?,
            None => next,
        })))
    }

    /// Closes the version being written as a block without transactions, at once; null if its
    /// difference is too large for the JavaScript thread.
    #[napi(catch_unwind)]
    pub fn close_empty(
        &self,
        block: &Block,
        parent_hash: String,
        first_write: Option<SlotWrite>,
    ) -> Result<Option<Closed>> {
        let state = self.writable()?;
        if state.touched.count() > SMALL_DIFFERENCE {
            return Ok(None);
        }
        let closing = closing(block, &parent_hash, first_write.as_ref())?;
        Ok(Some(closing.close(state, &[])?.into()))
    }

    /// Closes the version being written.
    #[napi(catch_unwind)]
    pub fn close<'env>(
        &self,
        env: &'env Env,
        block: &Block,
        transactions: String,
        parent_hash: String,
        first_write: Option<SlotWrite>,
    ) -> Result<PromiseRaw<'env, Closed>> {
        let state = self.writable()?.clone();
        let closing = closing(block, &parent_hash, first_write.as_ref())?;
        off_thread(env, move || Ok(closing.close(&state, &parse_included(&transactions)?)?.into()))
    }

    /// Executes a transaction and, unless it is rejected, closes the version with it.
    #[napi(catch_unwind)]
    pub fn execute_and_close<'env>(
        &self,
        env: &'env Env,
        block: &Block,
        transaction: &Transaction,
        flags: Option<Flags>,
        parent_hash: String,
        first_write: Option<SlotWrite>,
    ) -> Result<PromiseRaw<'env, Execution>> {
        let flags = flags.map(execution::Flags::from).unwrap_or_default();
        let (state, at) = (self.writable()?.clone(), self.at);
        let closing = closing(block, &parent_hash, first_write.as_ref())?;
        let transaction = transaction.inner.clone();
        off_thread(env, move || {
            let mut session = Session::new(state.clone(), at, closing.block.clone());
            let run = session.run(&transaction, flags)?;
            let mut report =
                Execution::from_run(&run, &transaction, session.constants(), Content::ALL)?;
            if let Run::Executed(run) = &run {
                let after = state.apply(&run.changes)?;
                let closed = closing.close(&after, &[included(&transaction, run)])?;
                report.closed = Some(closed.into());
            }
            Ok(report)
        })
    }
}
