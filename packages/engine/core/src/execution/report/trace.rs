//! Traces as the RPC writes them.

use blockifier::blockifier_versioned_constants::VersionedConstants;
use blockifier::execution::call_info::CallInfo;
use blockifier::execution::entry_point::CallType;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use starknet_api::contract_class::EntryPointType;
use starknet_api::transaction::fields::GasVectorComputationMode;

use super::emitted::{Gas, events, messages, revert_reason};
use crate::error::Result;
use crate::execution::session::Executed;
use crate::execution::transaction::Transaction;
use crate::felt::{Hex, HexList};
use crate::json::to_json;
use crate::state::Diff;

#[derive(Serialize)]
struct Trace<'a> {
    r#type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    validate_invocation: Option<Invocation<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    execute_invocation: Option<Execution<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    constructor_invocation: Option<Execution<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_invocation: Option<Execution<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fee_transfer_invocation: Option<Invocation<'a>>,
    state_diff: &'a Diff,
    execution_resources: Gas,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Execution<'a> {
    Done(Invocation<'a>),
    Reverted { revert_reason: &'a str },
}

struct Invocation<'a> {
    call: &'a CallInfo,
    constants: &'a VersionedConstants,
    mode: &'a GasVectorComputationMode,
}

#[derive(Serialize)]
struct InnerGas {
    l1_gas: u64,
    l2_gas: u64,
}

impl Serialize for Invocation<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Invocation { call: info, constants, mode } = self;
        let call = &info.call;
        let gas = info.summarize(constants).to_partial_gas_vector(constants, mode);
        let mut object = serializer.serialize_map(Some(13))?;
        object.serialize_entry("contract_address", &Hex(*call.storage_address.0.key()))?;
        object.serialize_entry("entry_point_selector", &Hex(call.entry_point_selector.0))?;
        object.serialize_entry("calldata", &HexList(&call.calldata.0))?;
        object.serialize_entry("caller_address", &Hex(*call.caller_address.0.key()))?;
        object.serialize_entry("class_hash", &Hex(call.class_hash.unwrap_or_default().0))?;
        object.serialize_entry(
            "entry_point_type",
            match call.entry_point_type {
                EntryPointType::Constructor => "CONSTRUCTOR",
                EntryPointType::External => "EXTERNAL",
                EntryPointType::L1Handler => "L1_HANDLER",
            },
        )?;
        object.serialize_entry(
            "call_type",
            match call.call_type {
                CallType::Call => "CALL",
                CallType::Delegate => "DELEGATE",
            },
        )?;
        object.serialize_entry("result", &HexList(&info.execution.retdata.0))?;
        let inner: Vec<_> =
            info.inner_calls.iter().map(|call| Invocation { call, constants, mode }).collect();
        object.serialize_entry("calls", &inner)?;
        let events: Vec<_> = events(info, true).map(|(_, event)| event).collect();
        object.serialize_entry("events", &events)?;
        let messages: Vec<_> = messages(info, true).map(|(_, message)| message).collect();
        object.serialize_entry("messages", &messages)?;
        let gas = InnerGas { l1_gas: gas.l1_gas.0, l2_gas: gas.l2_gas.0 };
        object.serialize_entry("execution_resources", &gas)?;
        object.serialize_entry("is_reverted", &info.execution.failed)?;
        object.end()
    }
}

pub fn trace(
    transaction: &Transaction,
    run: &Executed,
    constants: &VersionedConstants,
) -> Result<String> {
    let info = &run.info;
    let mode = &run.gas_mode;
    let invocation = |call| Invocation { call, constants, mode };
    let reason = revert_reason(run);
    let mut execution = match (&reason, &info.execute_call_info) {
        (Some(revert_reason), _) => Some(Execution::Reverted { revert_reason }),
        (None, call) => call.as_ref().map(invocation).map(Execution::Done),
    };
    let mut only_for = |name| {
        if transaction.type_name() == name { execution.take() } else { None }
    };
    to_json(&Trace {
        r#type: transaction.type_name(),
        validate_invocation: info.validate_call_info.as_ref().map(invocation),
        execute_invocation: only_for("INVOKE"),
        constructor_invocation: only_for("DEPLOY_ACCOUNT"),
        function_invocation: only_for("L1_HANDLER"),
        fee_transfer_invocation: info.fee_transfer_call_info.as_ref().map(invocation),
        state_diff: &run.diff,
        execution_resources: Gas::from(&info.receipt.gas),
    })
}

/// The tree of a call outside of a transaction.
pub fn call_trace(call: &CallInfo, constants: &VersionedConstants) -> Result<String> {
    to_json(&Invocation { call, constants, mode: &GasVectorComputationMode::All })
}
