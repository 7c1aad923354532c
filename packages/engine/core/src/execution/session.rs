//! Transactions that run one after another on a temporary layer over a state.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use blockifier::blockifier_versioned_constants::VersionedConstants;
use blockifier::execution::observer::take_printed;
use blockifier::state::cached_state::{CachedState, StateMaps, TransactionalState};
use blockifier::state::state_api::State as _;
use blockifier::transaction::errors::TransactionExecutionError;
use blockifier::transaction::objects::TransactionExecutionInfo;
use blockifier::transaction::transactions::ExecutableTransaction;
use starknet_api::core::{ClassHash, ContractAddress};
use starknet_api::state::StorageKey;
use starknet_api::transaction::fields::{GasVectorComputationMode, ValidResourceBounds};
use starknet_types_core::felt::Felt;

use super::block::Block;
use super::block_weights::{Admission, BlockWeights, Figures};
use super::first_write::FirstWrite;
use super::reader::Reader;
use super::transaction::{Flags, Transaction};
use crate::error::{Failure, Kind, Result, input};
use crate::fault;
use crate::felt::Key;
use crate::state::{Changes, ClassChanges, Diff, State};

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

/// Runs before each transaction, in builds that compare executors.
#[cfg(feature = "compare-executors")]
pub static CHECK_BEFORE_RUN: std::sync::OnceLock<Check> = std::sync::OnceLock::new();

#[cfg(feature = "compare-executors")]
type Check = Box<dyn Fn(&mut Session, &Transaction, Flags) -> Result<()> + Send + Sync>;

/// A temporary layer over a state; its changes are dropped with it.
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

    /// Writes a slot before the first transaction.
    pub fn write(&mut self, write: &FirstWrite) -> Result<()> {
        let address = ContractAddress::try_from(write.address.felt()).map_err(input)?;
        let key = StorageKey::try_from(write.key.felt()).map_err(input)?;
        self.cached.set_storage_at(address, key, write.value).map_err(input)
    }

    pub fn constants(&self) -> &VersionedConstants {
        self.block.context.versioned_constants()
    }

    pub fn run(&mut self, transaction: &Transaction, flags: Flags) -> Result<Run> {
        fault::point("execution");
        #[cfg(feature = "compare-executors")]
        CHECK_BEFORE_RUN.get().map_or(Ok(()), |check| check(self, transaction, flags))?;
        self.try_run(transaction, flags, true)
    }

    /// Executes a transaction, and drops its changes unless they are kept.
    pub(super) fn try_run(
        &mut self,
        transaction: &Transaction,
        flags: Flags,
        keeps_changes: bool,
    ) -> Result<Run> {
        let executable = transaction.executable(flags)?;
        let (declared, context) = match transaction.declared_without_code() {
            Some(class) => (Some(class.runnable()?), self.block.without_class_check()),
            None => (None, self.block.context.clone()),
        };
        take_printed();
        let mut layer = TransactionalState::create_transactional(&mut self.cached);
        let result = executable
            .execute_raw(&mut layer, &context, false)
            .and_then(|info| Ok((info, layer.to_state_diff()?.state_maps)));
        let result = match result {
            Ok((info, maps)) => {
                if keeps_changes {
                    layer.commit();
                } else {
                    layer.abort();
                }
                Ok((info, maps))
            }
            Err(error) => {
                layer.abort();
                Err(error)
            }
        };
        if let Some(failure) = self.cached.state.failure() {
            return Err(failure.clone());
        }
        let (info, maps) = match result {
            Ok(done) => done,
            Err(error) => return Ok(Run::Rejected(Box::new(error))),
        };
        let classes = match &transaction.class {
            Some(class) if maps.declared_contracts.contains_key(&ClassHash(class.hash)) => {
                if let Some(runnable) = declared.filter(|_| keeps_changes) {
                    self.cached
                        .set_contract_class(ClassHash(class.hash), runnable)
                        .map_err(|error| Failure::new(Kind::Internal, error))?;
                }
                vec![class.clone()]
            }
            _ => Vec::new(),
        };
        let gas_mode = match transaction.body.resource_bounds() {
            Some(ValidResourceBounds::AllResources(_)) => GasVectorComputationMode::All,
            _ => GasVectorComputationMode::NoL2Gas,
        };
        let changes = Changes::from_maps(maps, classes);
        let diff = self.classify(&changes, keeps_changes)?;
        Ok(Run::Executed(Box::new(Executed { info, diff, changes, gas_mode })))
    }

    /// Tells deployed contracts from replaced classes.
    fn classify(&mut self, changes: &Changes, keeps_changes: bool) -> Result<Diff> {
        let mut moves = ClassChanges::default();
        for (address, hash) in &changes.class_hashes {
            let before = match self.class_hashes.get(address) {
                Some(before) => *before,
                None => self.cached.state.class_hash(*address)?,
            };
            if keeps_changes {
                self.class_hashes.insert(*address, *hash);
            }
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
            migrated: Box::default(),
        })
    }

    /// Adds the last transaction of the session to the weights of its block, unless it does not fit.
    pub fn admit(
        &self,
        run: &Executed,
        weights: &BlockWeights,
        capacity: Figures,
    ) -> Result<Admission> {
        let transaction = (&run.info, &run.changes);
        let admission = weights.admit(transaction, &self.cached, &self.block.context, capacity);
        self.cached.state.failure().map_or(admission, |failure| Err(failure.clone()))
    }

    /// Everything that was read from the state below since the session began.
    pub fn initial_reads(&self) -> Result<StateMaps> {
        self.cached.get_initial_reads().map_err(|error| Failure::new(Kind::Internal, error))
    }
}
