//! A state as of one version, as blockifier reads it.

use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use blockifier::execution::contract_class::RunnableCompiledClass;
use blockifier::state::errors::StateError;
use blockifier::state::state_api::{StateReader, StateResult};
use starknet_api::core::{ClassHash, CompiledClassHash, ContractAddress, Nonce};
use starknet_api::state::StorageKey;
use starknet_types_core::felt::Felt;

use super::transaction::Transaction;
use crate::class::Class;
use crate::error::{Failure, Result};
use crate::fault;
use crate::felt::Key;
use crate::state::State;
use crate::state_source::StateSource;

pub struct Reader {
    state: Arc<State>,
    at: u64,
    /// When this reader was made, by the clock of the source.
    begun: Duration,
    /// The first failed read. Blockifier may report it as a revert of the transaction, so callers check
    /// it after each execution.
    failure: OnceLock<Failure>,
}

impl Reader {
    pub fn new(state: Arc<State>, at: u64) -> Self {
        let begun = state.source.as_ref().map_or(Duration::ZERO, |source| source.now());
        Reader { state, at, begun, failure: OnceLock::new() }
    }

    pub fn failure(&self) -> Option<&Failure> {
        self.failure.get()
    }

    fn record<T>(&self, answer: Result<T>) -> StateResult<T> {
        answer.map_err(|failure| {
            let message = failure.message.clone();
            let _ = self.failure.set(failure);
            StateError::StateReadError(message)
        })
    }

    /// The source of values that the state does not hold.
    fn source(&self) -> Result<Option<&StateSource>> {
        let source = self.state.source.as_deref();
        source.map_or(Ok(()), |source| source.check_time(self.begun))?;
        Ok(source)
    }

    pub fn storage(&self, address: Key, key: Key) -> Result<Felt> {
        fault::point("read");
        if let Some(value) = self.state.storage(address, key, self.at) {
            return Ok(value);
        }
        self.source()?.map_or(Ok(Felt::ZERO), |source| source.storage(address, key))
    }

    pub fn nonce(&self, address: Key) -> Result<Felt> {
        if let Some(value) = self.state.nonce(address, self.at) {
            return Ok(value);
        }
        self.source()?.map_or(Ok(Felt::ZERO), |source| source.nonce(address))
    }

    pub fn class_hash(&self, address: Key) -> Result<Felt> {
        if let Some(value) = self.state.class_hash(address, self.at) {
            return Ok(value);
        }
        self.source()?.map_or(Ok(Felt::ZERO), |source| source.class_hash(address))
    }

    pub fn class(&self, hash: Key) -> Result<Option<Arc<Class>>> {
        if let Some(class) = self.state.class(hash, self.at) {
            return Ok(Some(class.clone()));
        }
        self.source()?.map_or(Ok(None), |source| source.class(hash))
    }
}

/// Gives a class by its hash.
pub type Classes = Rc<dyn Fn(Felt) -> Option<Arc<Class>>>;

/// Classes of a state, and those that the transactions on it declare.
pub fn classes_of(state: Arc<State>, at: u64, transactions: &[Arc<Transaction>]) -> Classes {
    let reader = Reader::new(state, at);
    let declared: Vec<_> = transactions.iter().filter_map(|tx| tx.class.clone()).collect();
    Rc::new(move |hash| {
        let declared = declared.iter().find(|class| class.hash == hash).cloned();
        declared.or_else(|| reader.class(hash.into()).ok().flatten())
    })
}

impl StateReader for Reader {
    fn get_storage_at(&self, address: ContractAddress, key: StorageKey) -> StateResult<Felt> {
        self.record(self.storage(address.into(), key.into()))
    }

    fn get_nonce_at(&self, address: ContractAddress) -> StateResult<Nonce> {
        self.record(self.nonce(address.into())).map(Nonce)
    }

    fn get_class_hash_at(&self, address: ContractAddress) -> StateResult<ClassHash> {
        self.record(self.class_hash(address.into())).map(ClassHash)
    }

    fn get_compiled_class(&self, hash: ClassHash) -> StateResult<RunnableCompiledClass> {
        match self.record(self.class(hash.into()))? {
            Some(class) => self.record(class.runnable()),
            None => Err(StateError::UndeclaredClassHash(hash)),
        }
    }

    fn get_compiled_class_hash(&self, hash: ClassHash) -> StateResult<CompiledClassHash> {
        let class = self.record(self.class(hash.into()))?;
        Ok(CompiledClassHash(class.and_then(|class| class.compiled_hash).unwrap_or_default()))
    }

    fn get_compiled_class_hash_v2(
        &self,
        hash: ClassHash,
        _class: &RunnableCompiledClass,
    ) -> StateResult<CompiledClassHash> {
        self.get_compiled_class_hash(hash)
    }
}
