//! Reports of an execution, as texts that JavaScript parses when needed.

use std::sync::Arc;

use blockifier::blockifier_versioned_constants::VersionedConstants;
use blockifier::execution::observer::take_printed;
use napi_derive::napi;

use super::block_weights::BlockWeights;
use super::state::State;
use crate::release::Held;
use starkbox_engine_core::error;
use starkbox_engine_core::execution::{self, Run, report};
use starkbox_engine_core::state;

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

/// What reports contain of a transaction that ran, besides its outcome.
#[derive(Clone, Copy)]
#[napi(object, object_to_js = false)]
pub struct Content {
    /// The whole receipt; otherwise its resources alone.
    pub receipt: bool,
    pub trace: bool,
}

impl Content {
    pub(super) const ALL: Content = Content { receipt: true, trace: true };
}

#[napi]
pub struct Execution {
    outcome: &'static str,
    receipt: Option<String>,
    trace: Option<String>,
    failure: Option<String>,
    printed: Option<String>,
    pub(super) reads: Option<String>,
    pub(super) next: Option<Held<state::State>>,
    pub(super) closed: Option<Closed>,
    pub(super) weights: Option<Held<execution::BlockWeights>>,
    exceeded: Vec<&'static str>,
    too_large: bool,
}

#[napi]
impl Execution {
    /// `accepted`, `reverted`, `rejected` or `full`.
    #[napi(getter, catch_unwind)]
    pub fn outcome(&self) -> &'static str {
        self.outcome
    }

    #[napi(getter, catch_unwind)]
    pub fn receipt(&self) -> Option<&str> {
        self.receipt.as_deref()
    }

    /// The trace, once: the collector of JavaScript does not know how much memory it takes here.
    #[napi(catch_unwind)]
    pub fn take_trace(&mut self) -> Option<String> {
        self.trace.take()
    }

    /// Bytes of its texts.
    #[napi(getter, catch_unwind)]
    pub fn bytes(&self) -> f64 {
        self.length() as f64
    }

    /// Why it reverted or was rejected.
    #[napi(getter, catch_unwind)]
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// What contracts printed.
    #[napi(getter, catch_unwind)]
    pub fn printed(&self) -> Option<&str> {
        self.printed.as_deref()
    }

    #[napi(getter, catch_unwind)]
    pub fn initial_reads(&self) -> Option<&str> {
        self.reads.as_deref()
    }

    /// The state after it; none if it was rejected or ran on a temporary layer.
    #[napi(getter, catch_unwind)]
    pub fn next(&self) -> Option<State> {
        self.next.as_ref().map(|next| State::head(Arc::clone(next)))
    }

    /// The weights of the block with it, if they were asked for.
    #[napi(getter, catch_unwind)]
    pub fn weights(&self) -> Option<BlockWeights> {
        self.weights.as_ref().map(|weights| BlockWeights::of(Arc::clone(weights)))
    }

    /// The weights that would be above the capacity of the block.
    #[napi(getter, catch_unwind)]
    pub fn exceeded(&self) -> Vec<&'static str> {
        self.exceeded.clone()
    }

    /// Whether it does not fit an empty block either.
    #[napi(getter, catch_unwind)]
    pub fn is_too_large(&self) -> bool {
        self.too_large
    }

    /// The block that was closed with it, once.
    #[napi(catch_unwind)]
    pub fn take_closed(&mut self) -> Option<Closed> {
        self.closed.take()
    }
}

impl Execution {
    /// The report of a transaction without effects.
    fn without_effects(outcome: &'static str, printed: Option<String>) -> Execution {
        Execution {
            outcome,
            receipt: None,
            trace: None,
            failure: None,
            printed,
            reads: None,
            next: None,
            closed: None,
            weights: None,
            exceeded: Vec::new(),
            too_large: false,
        }
    }

    pub(super) fn length(&self) -> usize {
        [&self.receipt, &self.trace, &self.failure, &self.printed, &self.reads]
            .into_iter()
            .flatten()
            .map(String::len)
            .sum()
    }

    pub(super) fn from_run(
        run: &Run,
        transaction: &execution::Transaction,
        constants: &VersionedConstants,
        content: Content,
    ) -> error::Result<Execution> {
        let printed = report::printed(take_printed())?;
        Ok(match run {
            Run::Rejected(error) => Execution {
                failure: Some(report::rejection(error)?),
                ..Execution::without_effects("rejected", printed)
            },
            Run::Executed(run) => Execution {
                receipt: Some(match content.receipt {
                    true => report::receipt(transaction, run)?,
                    false => report::resources(run)?,
                }),
                trace: match content.trace {
                    true => Some(report::trace(transaction, run, constants)?),
                    false => None,
                },
                failure: report::revert(run)?,
                ..Execution::without_effects(
                    if run.info.is_reverted() { "reverted" } else { "accepted" },
                    printed,
                )
            },
        })
    }

    /// The report of a transaction that a block has no room for.
    pub(super) fn full(exceeded: Vec<&'static str>, too_large: bool) -> error::Result<Execution> {
        let printed = report::printed(take_printed())?;
        Ok(Execution { exceeded, too_large, ..Execution::without_effects("full", printed) })
    }
}
