//! Knows how a transaction or a call runs on a state, and what comes of it.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use blockifier::blockifier_versioned_constants::VersionedConstants;
use blockifier::context::TransactionContext;
use blockifier::execution::call_info::CallInfo;
use blockifier::execution::contract_class::RunnableCompiledClass;
use blockifier::execution::entry_point::{
    CallEntryPoint, CallType, EntryPointExecutionContext, SierraGasRevertTracker,
};
use blockifier::execution::stack_trace::{ErrorStack, gen_tx_execution_error_trace};
use blockifier::state::cached_state::{CachedState, StateMaps, TransactionalState};
use blockifier::state::errors::StateError;
use blockifier::state::state_api::{StateReader, StateResult};
use blockifier::transaction::errors::TransactionExecutionError;
use blockifier::transaction::objects::{TransactionExecutionInfo, TransactionInfo};
use blockifier::transaction::transactions::ExecutableTransaction;
use starknet_api::contract_class::EntryPointType;
use starknet_api::core::{
    ClassHash, CompiledClassHash, ContractAddress, EntryPointSelector, Nonce,
};
use starknet_api::execution_resources::GasAmount;
use starknet_api::state::StorageKey;
use starknet_api::transaction::fields::{Calldata, GasVectorComputationMode, ValidResourceBounds};
use starknet_types_core::felt::Felt;

use crate::block::Block;
use crate::class::Class;
use crate::diff::{Changes, Diff, Moves};
use crate::error::{Failure, Kind, Outcome};
use crate::felt::Key;
use crate::origin::Origin;
use crate::state::State;
use crate::transaction::{Flags, Transaction};

/// A state as of one version, as blockifier reads it.
pub struct Reader {
    state: Arc<State>,
    at: u64,
    begun: Instant,
    /// Blockifier may take a failed read for a reason to revert; we must not.
    failure: OnceLock<Failure>,
}

impl Reader {
    pub fn new(state: Arc<State>, at: u64) -> Self {
        Reader { state, at, begun: Instant::now(), failure: OnceLock::new() }
    }

    fn asked<T>(&self, answer: Outcome<T>) -> StateResult<T> {
        answer.map_err(|failure| {
            let message = failure.message.clone();
            let _ = self.failure.set(failure);
            StateError::StateReadError(message)
        })
    }

    /// Answers what this chain never wrote.
    fn origin(&self) -> Outcome<Option<&Origin>> {
        let origin = self.state.origin.as_deref();
        origin.map_or(Ok(()), |origin| origin.bear(self.begun))?;
        Ok(origin)
    }

    pub fn storage(&self, address: Key, key: Key) -> Outcome<Felt> {
        if let Some(value) = self.state.storage(address, key, self.at) {
            return Ok(value);
        }
        self.origin()?.map_or(Ok(Felt::ZERO), |origin| origin.storage(address, key))
    }

    pub fn nonce(&self, address: Key) -> Outcome<Felt> {
        if let Some(value) = self.state.nonce(address, self.at) {
            return Ok(value);
        }
        self.origin()?.map_or(Ok(Felt::ZERO), |origin| origin.nonce(address))
    }

    pub fn class_hash(&self, address: Key) -> Outcome<Felt> {
        if let Some(value) = self.state.class_hash(address, self.at) {
            return Ok(value);
        }
        self.origin()?.map_or(Ok(Felt::ZERO), |origin| origin.class_hash(address))
    }

    pub fn class(&self, hash: Key) -> Outcome<Option<Arc<Class>>> {
        if let Some(class) = self.state.class(hash, self.at) {
            return Ok(Some(class.clone()));
        }
        self.origin()?.map_or(Ok(None), |origin| origin.class(hash))
    }
}

impl StateReader for Reader {
    fn get_storage_at(&self, address: ContractAddress, key: StorageKey) -> StateResult<Felt> {
        self.asked(self.storage(address.into(), key.into()))
    }

    fn get_nonce_at(&self, address: ContractAddress) -> StateResult<Nonce> {
        self.asked(self.nonce(address.into())).map(Nonce)
    }

    fn get_class_hash_at(&self, address: ContractAddress) -> StateResult<ClassHash> {
        self.asked(self.class_hash(address.into())).map(ClassHash)
    }

    fn get_compiled_class(&self, hash: ClassHash) -> StateResult<RunnableCompiledClass> {
        match self.asked(self.class(hash.into()))? {
            Some(class) => self.asked(class.runnable()),
            None => Err(StateError::UndeclaredClassHash(hash)),
        }
    }

    fn get_compiled_class_hash(&self, hash: ClassHash) -> StateResult<CompiledClassHash> {
        let class = self.asked(self.class(hash.into()))?;
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

/// A transaction that ran, to the end or to a revert.
pub struct Executed {
    pub info: TransactionExecutionInfo,
    pub diff: Diff,
    pub changes: Changes,
    pub gas_mode: GasVectorComputationMode,
}

pub enum Run {
    Executed(Box<Executed>),
    /// Refused: nothing changed.
    Rejected(Box<TransactionExecutionError>),
}

/// Transactions that run one after another on a throw-away layer over a state.
pub struct Session {
    cached: CachedState<Reader>,
    block: Arc<Block>,
    /// Class hashes that earlier transactions of the session set.
    class_hashes: HashMap<Key, Felt>,
}

impl Session {
    pub fn new(state: Arc<State>, at: u64, block: Arc<Block>) -> Self {
        let cached = CachedState::new(Reader::new(state, at));
        Session { cached, block, class_hashes: HashMap::new() }
    }

    pub fn constants(&self) -> &VersionedConstants {
        self.block.context.versioned_constants()
    }

    pub fn run(&mut self, transaction: &Transaction, flags: Flags) -> Outcome<Run> {
        let executable = transaction.executable(flags)?;
        let mut layer = TransactionalState::create_transactional(&mut self.cached);
        let result = executable
            .execute_raw(&mut layer, &self.block.context, false)
            .and_then(|info| Ok((info, layer.to_state_diff()?.state_maps)));
        let result = match result {
            Ok((info, maps)) => {
                layer.commit();
                Ok((info, maps))
            }
            Err(error) => {
                layer.abort();
                Err(error)
            }
        };
        if let Some(failure) = self.cached.state.failure.get() {
            return Err(failure.clone());
        }
        let (info, maps) = match result {
            Ok(done) => done,
            Err(error) => return Ok(Run::Rejected(Box::new(error))),
        };
        let classes = match &transaction.class {
            Some(class) if maps.declared_contracts.contains_key(&ClassHash(class.hash)) => {
                vec![class.clone()]
            }
            _ => Vec::new(),
        };
        let gas_mode = match transaction.body.resource_bounds() {
            Some(ValidResourceBounds::AllResources(_)) => GasVectorComputationMode::All,
            _ => GasVectorComputationMode::NoL2Gas,
        };
        let changes = Changes::from_maps(maps, classes);
        let diff = self.classify(&changes)?;
        Ok(Run::Executed(Box::new(Executed { info, diff, changes, gas_mode })))
    }

    /// Tells deployed contracts from replaced classes.
    fn classify(&mut self, changes: &Changes) -> Outcome<Diff> {
        let mut moves = Moves::default();
        for (address, hash) in &changes.class_hashes {
            let before = match self.class_hashes.insert(*address, *hash) {
                Some(before) => before,
                None => self.cached.state.class_hash(*address)?,
            };
            moves.add(*address, before, *hash);
        }
        let declared = changes
            .classes
            .iter()
            .filter_map(|class| Some((Key::from(class.hash), class.compiled_hash?)))
            .collect();
        let pairs = |map: &BTreeMap<Key, Felt>| map.iter().map(|(k, v)| (*k, *v)).collect();
        Ok(Diff {
            storage: changes
                .storage
                .iter()
                .map(|(address, slots)| (*address, pairs(slots)))
                .collect(),
            nonces: pairs(&changes.nonces),
            deployed: moves.deployed.into(),
            replaced: moves.replaced.into(),
            declared,
            deprecated: Box::default(),
        })
    }

    /// Everything that was read from the state below since the session began.
    pub fn initial_reads(&self) -> Outcome<StateMaps> {
        self.cached.get_initial_reads().map_err(|error| Failure::new(Kind::Internal, error))
    }
}

pub struct Call {
    pub address: ContractAddress,
    pub selector: EntryPointSelector,
    pub calldata: Vec<Felt>,
}

pub enum Called {
    Returned(Vec<Felt>),
    /// Panicked: the tree shows where.
    Panicked(Box<CallInfo>),
    /// Could not be run to an end.
    Failed(ErrorStack),
}

/// Runs an external function and drops its changes.
pub fn call(state: Arc<State>, at: u64, block: &Block, call: Call) -> Outcome<Called> {
    let mut cached = CachedState::new(Reader::new(state, at));
    let constants = block.context.versioned_constants();
    let gas = constants.os_constants.execute_max_sierra_gas;
    let context = Arc::new(TransactionContext {
        block_context: block.context.clone(),
        tx_info: TransactionInfo::default(),
    });
    let mut execution = EntryPointExecutionContext::new_invoke(
        context,
        false,
        SierraGasRevertTracker::new(GasAmount(gas.0)),
    );
    let class_hash = cached.get_class_hash_at(call.address).unwrap_or_default();
    let entry_point = CallEntryPoint {
        class_hash: None,
        code_address: None,
        entry_point_type: EntryPointType::External,
        entry_point_selector: call.selector,
        calldata: Calldata(Arc::new(call.calldata)),
        storage_address: call.address,
        caller_address: ContractAddress::default(),
        call_type: CallType::Call,
        initial_gas: gas.0,
    };
    let result = entry_point.execute(&mut cached, &mut execution, &mut gas.0.clone());
    if let Some(failure) = cached.state.failure.get() {
        return Err(failure.clone());
    }
    Ok(match result {
        Ok(info) if info.execution.failed => Called::Panicked(Box::new(info)),
        Ok(info) => Called::Returned(info.execution.retdata.0),
        Err(error) => Called::Failed(gen_tx_execution_error_trace(
            &TransactionExecutionError::ExecutionError {
                error: Box::new(error),
                class_hash,
                storage_address: call.address,
                selector: call.selector,
            },
        )),
    })
}
