//! Closing of blocks, alone or right after the execution of their only transaction.

use std::sync::Arc;

use napi::bindgen_prelude::*;
use napi_derive::napi;
use starknet_api::block::BlockHash;

use super::execution::Execution;
use super::promise::off_thread;
use super::state::State;
use super::transaction::{Block, Flags, Transaction};
use crate::error;
use crate::execution::{self, FirstWrite, Run, Session, included, parse_included};
use crate::felt::{parse, parse_address, parse_key};

/// A slot that is written at the start of a version.
#[napi(object)]
pub struct SlotWrite {
    pub address: String,
    pub key: String,
    pub value: String,
}

impl SlotWrite {
    fn parse(&self) -> error::Result<FirstWrite> {
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

/// A closed block, and the states after it.
#[napi]
pub struct Closed {
    seal: String,
    diff: String,
    latest: State,
    next: State,
}

impl From<execution::Closed> for Closed {
    fn from(closed: execution::Closed) -> Self {
        let execution::Closed { seal, diff, latest, next } = closed;
        Closed { seal, diff, latest: State::head(latest), next: State::head(next) }
    }
}

#[napi]
impl Closed {
    /// Commitments, counts and hash as JSON.
    #[napi(getter, catch_unwind)]
    pub fn seal(&self) -> &str {
        &self.seal
    }

    /// What the version changed, as JSON.
    #[napi(getter, catch_unwind)]
    pub fn diff(&self) -> &str {
        &self.diff
    }

    /// The state at its end.
    #[napi(getter, catch_unwind)]
    pub fn latest(&self) -> State {
        self.latest.copy()
    }

    /// The state at the start of the next version.
    #[napi(getter, catch_unwind)]
    pub fn next(&self) -> State {
        self.next.copy()
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
        off_thread(env, move || {
            Ok(closing.close(&state, &parse_included(&transactions)?)?.into())
        })
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
        let flags = execution::Flags::from(flags);
        let (state, at) = (self.writable()?.clone(), self.at);
        let closing = closing(block, &parent_hash, first_write.as_ref())?;
        let transaction = transaction.inner.clone();
        off_thread(env, move || {
            let mut session = Session::new(state.clone(), at, closing.block.clone());
            let run = session.run(&transaction, flags)?;
            let mut report = Execution::from_run(&run, &transaction, session.constants())?;
            if let Run::Executed(run) = &run {
                let after = state.apply(&run.changes)?;
                let closed = closing.close(&after, &[included(&transaction, run)])?;
                report.closed = Some(closed.into());
            }
            Ok(report)
        })
    }
}
