//! Calls whose changes are kept, on the thread of JavaScript or on another.

use std::sync::Arc;

use napi::bindgen_prelude::*;
use napi_derive::napi;

use super::coverage::Coverage;
use super::error::Result;
use super::promise::off_thread;
use super::state::State;
use super::state_execution::FunctionCall;
use super::transaction::Block;
use crate::release::Held;
use starkbox_engine_core::error;
use starkbox_engine_core::execution::coverage::{self, covering};
use starkbox_engine_core::execution::{self, Call, Called, report};
use starkbox_engine_core::felt::hex;
use starkbox_engine_core::state;

type SharedCoverage = Arc<parking_lot::Mutex<coverage::Coverage>>;

/// A call that ran.
#[napi]
pub struct Invocation {
    called: Called,
    block: Arc<execution::Block>,
    changes: Option<state::Changes>,
    next: Option<Held<state::State>>,
}

#[napi]
impl Invocation {
    /// Returned felts; empty if it failed.
    #[napi(getter, catch_unwind)]
    pub fn result(&self) -> Vec<String> {
        match &self.called {
            Called::Returned(info) => {
                info.execution.retdata.0.iter().map(|felt| hex(*felt)).collect()
            }
            Called::Panicked(_) | Called::Failed(_) => Vec::new(),
        }
    }

    /// Why it failed, as JSON.
    #[napi(getter, catch_unwind)]
    pub fn failure(&self) -> Result<Option<String>> {
        Ok(report::call_failure(&self.called)?)
    }

    #[napi(getter, catch_unwind)]
    pub fn has_failed(&self) -> bool {
        !matches!(self.called, Called::Returned(_))
    }

    /// Sierra gas; 0 if it did not run to an end.
    #[napi(getter, catch_unwind)]
    pub fn gas(&self) -> f64 {
        match &self.called {
            Called::Returned(info) | Called::Panicked(info) => info.execution.gas_consumed as f64,
            Called::Failed(_) => 0.0,
        }
    }

    /// Events as JSON; none if it failed.
    #[napi(catch_unwind)]
    pub fn events(&self) -> Result<Option<String>> {
        match &self.called {
            Called::Returned(info) => Ok(Some(report::call_events(info)?)),
            Called::Panicked(_) | Called::Failed(_) => Ok(None),
        }
    }

    /// Address, key and value of each written slot, one after another.
    #[napi(catch_unwind)]
    pub fn writes(&self) -> Vec<String> {
        let contracts = self.changes.iter().flat_map(|changes| &changes.storage);
        contracts
            .flat_map(|(address, slots)| {
                slots
                    .iter()
                    .flat_map(|(key, value)| [hex(address.felt()), hex(key.felt()), hex(*value)])
            })
            .collect()
    }

    /// The tree of its calls as JSON; none if it did not run to an end.
    #[napi(catch_unwind)]
    pub fn trace(&self) -> Result<Option<String>> {
        match &self.called {
            Called::Returned(info) | Called::Panicked(info) => {
                let constants = self.block.context.versioned_constants();
                Ok(Some(report::call_trace(info, constants)?))
            }
            Called::Failed(_) => Ok(None),
        }
    }

    /// The state after it; none if it failed.
    #[napi(getter, catch_unwind)]
    pub fn next(&self) -> Option<State> {
        self.next.as_ref().map(|next| State::head(Arc::clone(next)))
    }
}

fn invoked(
    state: Arc<state::State>,
    block: Arc<execution::Block>,
    call: Call,
    coverage: Option<&SharedCoverage>,
) -> error::Result<Invocation> {
    let invoke = || execution::invoke(state.clone(), &block, call);
    let invoked = match coverage {
        Some(coverage) => covering(coverage, invoke),
        None => invoke(),
    }?;
    let next = match &invoked.changes {
        Some(changes) => Some(Held::new(Arc::new(state.apply(changes)?))),
        None => None,
    };
    Ok(Invocation { called: invoked.called, block, changes: invoked.changes, next })
}

/// Stack that the deepest chain of calls takes, with a reserve.
#[cfg(not(target_family = "wasm"))]
const DEEPEST: usize = 3 << 20;
/// Size of a further stack.
#[cfg(not(target_family = "wasm"))]
const FURTHER_STACK: usize = 64 << 20;

/// Runs work on this thread, with as much stack as execution may take.
#[cfg(not(target_family = "wasm"))]
fn with_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(DEEPEST, FURTHER_STACK, work)
}

#[cfg(target_family = "wasm")]
fn with_stack<T>(work: impl FnOnce() -> T) -> T {
    work()
}

#[napi]
impl State {
    /// Calls a function as any address and folds its changes into the next state. For a state without a
    /// source: its answers need this thread.
    #[napi(catch_unwind)]
    pub fn invoke_sync(
        &self,
        block: &Block,
        call: FunctionCall,
        coverage: Option<&Coverage>,
    ) -> Result<Invocation> {
        self.without_source()?;
        let call = call.parse()?;
        let (state, block) = (self.writable()?.clone(), block.inner.clone());
        let coverage = coverage.map(|coverage| &coverage.inner);
        Ok(with_stack(|| error::catch_panic(|| invoked(state, block, call, coverage)))?)
    }

    /// As `invokeSync`, on another thread.
    #[napi(catch_unwind)]
    pub fn invoke<'env>(
        &self,
        env: &'env Env,
        block: &Block,
        call: FunctionCall,
        coverage: Option<&Coverage>,
    ) -> Result<PromiseRaw<'env, Invocation>> {
        let call = call.parse()?;
        let (state, block) = (self.writable()?.clone(), block.inner.clone());
        let coverage = coverage.map(|coverage| coverage.inner.clone());
        off_thread(env, move || invoked(state, block, call, coverage.as_ref()))
    }
}

impl State {
    fn without_source(&self) -> error::Result<()> {
        match self.inner.source {
            None => Ok(()),
            Some(_) => Err(error::Failure::new(
                error::Kind::State,
                "a state with a source cannot wait for it on this thread; use invoke",
            )),
        }
    }
}
