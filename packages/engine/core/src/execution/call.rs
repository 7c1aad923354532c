//! Calls of a function, outside of a transaction.

use std::sync::Arc;

use blockifier::context::TransactionContext;
use blockifier::execution::call_info::CallInfo;
use blockifier::execution::entry_point::{
    CallEntryPoint, CallType, EntryPointExecutionContext, SierraGasRevertTracker,
};
use blockifier::execution::observer::take_printed;
use blockifier::execution::stack_trace::{ErrorStack, gen_tx_execution_error_trace};
use blockifier::state::cached_state::CachedState;
use blockifier::state::state_api::StateReader;
use blockifier::transaction::errors::TransactionExecutionError;
use blockifier::transaction::objects::{CurrentTransactionInfo, TransactionInfo};
use starknet_api::contract_class::EntryPointType;
use starknet_api::core::{ContractAddress, EntryPointSelector};
use starknet_api::execution_resources::GasAmount;
use starknet_api::transaction::TransactionVersion;
use starknet_api::transaction::fields::Calldata;
use starknet_types_core::felt::Felt;

use super::block::Block;
use super::reader::Reader;
use crate::error::{Failure, Kind, Result};
use crate::state::{Changes, State};

pub struct Call {
    pub address: ContractAddress,
    pub selector: EntryPointSelector,
    pub calldata: Vec<Felt>,
    /// Zero for a call of the RPC.
    pub caller: ContractAddress,
}

pub enum Called {
    Returned(Box<CallInfo>),
    /// Panicked: the tree shows where.
    Panicked(Box<CallInfo>),
    /// Did not run to an end.
    Failed(ErrorStack),
}

/// A call whose changes are kept.
pub struct Invoked {
    pub called: Called,
    /// None if it failed.
    pub changes: Option<Changes>,
}

/// Runs an external function and drops its changes.
pub fn call(state: Arc<State>, at: u64, block: &Block, call: Call) -> Result<Called> {
    let mut cached = CachedState::new(Reader::new(state, at));
    run(&mut cached, block, call)
}

/// Runs an external function and gives its changes.
pub fn invoke(state: Arc<State>, block: &Block, call: Call) -> Result<Invoked> {
    let at = state.version;
    let mut cached = CachedState::new(Reader::new(state, at));
    let called = run(&mut cached, block, call)?;
    let changes = match &called {
        Called::Returned(_) => {
            let diff = cached.to_state_diff().map_err(|error| Failure::new(Kind::Internal, error));
            Some(Changes::from_maps(diff?.state_maps, Vec::new()))
        }
        Called::Panicked(_) | Called::Failed(_) => None,
    };
    Ok(Invoked { called, changes })
}

/// A caller is also the account of the transaction that contracts see.
fn transaction_info(caller: ContractAddress) -> TransactionInfo {
    if caller == ContractAddress::default() {
        return TransactionInfo::default();
    }
    let mut info = CurrentTransactionInfo::create_default_unlimited();
    info.common_fields.sender_address = caller;
    info.common_fields.version = TransactionVersion::THREE;
    TransactionInfo::Current(info)
}

fn run(cached: &mut CachedState<Reader>, block: &Block, call: Call) -> Result<Called> {
    take_printed();
    let constants = block.context.versioned_constants();
    let gas = constants.os_constants.execute_max_sierra_gas;
    let context = Arc::new(TransactionContext {
        block_context: block.context.clone(),
        tx_info: transaction_info(call.caller),
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
        caller_address: call.caller,
        call_type: CallType::Call,
        initial_gas: gas.0,
    };
    let result = entry_point.execute(cached, &mut execution, &mut gas.0.clone());
    if let Some(failure) = cached.state.failure() {
        return Err(failure.clone());
    }
    Ok(match result {
        Ok(info) if info.execution.failed => Called::Panicked(Box::new(info)),
        Ok(info) => Called::Returned(Box::new(info)),
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
