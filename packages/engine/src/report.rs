//! Knows how what happened is told: receipts, traces and reads as the RPC writes them.

use blockifier::blockifier_versioned_constants::VersionedConstants;
use blockifier::execution::call_info::CallInfo;
use blockifier::execution::entry_point::CallType;
use blockifier::state::cached_state::StateMaps;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use starknet_api::contract_class::EntryPointType;
use starknet_api::execution_resources::GasVector;
use starknet_api::transaction::fields::GasVectorComputationMode;
use starknet_types_core::felt::Felt;

use crate::diff::Diff;
use crate::error::{Failure, Kind, Outcome};
use crate::execute::Executed;
use crate::felt::{Hex, HexList};
use crate::transaction::Transaction;

pub fn written(value: &impl Serialize) -> Outcome<String> {
    serde_json::to_string(value).map_err(|error| Failure::new(Kind::Internal, error))
}

// Receipts.

#[derive(Serialize)]
struct Receipt<'a> {
    r#type: &'a str,
    transaction_hash: Hex,
    actual_fee: Payment,
    messages_sent: Vec<Message<'a>>,
    events: Vec<Event<'a>>,
    execution_status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    revert_reason: Option<&'a str>,
    execution_resources: Gas,
    /// The part of the gas that publishing the state difference costs.
    data_availability: Gas,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract_address: Option<Hex>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_hash: Option<String>,
}

#[derive(Serialize)]
struct Payment {
    amount: Hex,
    unit: &'static str,
}

#[derive(Serialize)]
struct Message<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<usize>,
    from_address: Hex,
    to_address: Hex,
    payload: HexList<'a>,
}

#[derive(Serialize)]
struct Event<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_address: Option<Hex>,
    keys: Vec<Hex>,
    data: HexList<'a>,
}

#[derive(Serialize)]
struct Gas {
    l1_gas: u64,
    l1_data_gas: u64,
    l2_gas: u64,
}

impl From<&GasVector> for Gas {
    fn from(gas: &GasVector) -> Self {
        Gas { l1_gas: gas.l1_gas.0, l1_data_gas: gas.l1_data_gas.0, l2_gas: gas.l2_gas.0 }
    }
}

fn messages(call: &CallInfo, ordered: bool) -> impl Iterator<Item = (usize, Message<'_>)> {
    call.execution.l2_to_l1_messages.iter().map(move |message| {
        let order = message.order;
        let told = Message {
            order: ordered.then_some(order),
            from_address: Hex(*call.call.storage_address.0.key()),
            to_address: Hex(message.message.to_address.0),
            payload: HexList(&message.message.payload.0),
        };
        (order, told)
    })
}

fn events(call: &CallInfo, in_trace: bool) -> impl Iterator<Item = (usize, Event<'_>)> {
    call.execution.events.iter().map(move |event| {
        let order = event.order;
        let told = Event {
            order: in_trace.then_some(order),
            from_address: (!in_trace).then_some(Hex(*call.call.storage_address.0.key())),
            keys: event.event.keys.iter().map(|key| Hex(key.0)).collect(),
            data: HexList(&event.event.data.0),
        };
        (order, told)
    })
}

/// All items of the call trees, tree by tree, in the order in which they were emitted.
fn in_order<'a, T: 'a, I: Iterator<Item = (usize, T)>>(
    roots: impl Iterator<Item = &'a CallInfo>,
    items: impl Fn(&'a CallInfo) -> I,
) -> Vec<T> {
    let mut all = Vec::new();
    for root in roots {
        let mut of_root: Vec<_> = root.iter().flat_map(&items).collect();
        of_root.sort_by_key(|(order, _)| *order);
        all.extend(of_root.into_iter().map(|(_, item)| item));
    }
    all
}

fn revert_reason(run: &Executed) -> Option<String> {
    run.info.revert_error.as_ref().map(ToString::to_string)
}

pub fn receipt(transaction: &Transaction, run: &Executed) -> Outcome<String> {
    let reason = revert_reason(run);
    let info = &run.info;
    written(&Receipt {
        r#type: transaction.type_name(),
        transaction_hash: Hex(transaction.hash.0),
        actual_fee: Payment {
            amount: Hex(Felt::from(info.receipt.fee.0)),
            unit: if transaction.pays_in_wei() { "WEI" } else { "FRI" },
        },
        messages_sent: in_order(info.non_optional_call_infos(), |call| messages(call, false)),
        events: in_order(info.non_optional_call_infos(), |call| events(call, false)),
        execution_status: if reason.is_some() { "REVERTED" } else { "SUCCEEDED" },
        revert_reason: reason.as_deref(),
        execution_resources: Gas::from(&info.receipt.gas),
        data_availability: Gas::from(&info.receipt.da_gas),
        contract_address: (transaction.type_name() == "DEPLOY_ACCOUNT")
            .then(|| Hex(*transaction.address.0.key())),
        message_hash: transaction.message_hash(),
    })
}

// Traces.

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
) -> Outcome<String> {
    let info = &run.info;
    let mode = &run.gas_mode;
    let told = |call| Invocation { call, constants, mode };
    let reason = revert_reason(run);
    let mut execution = match (&reason, &info.execute_call_info) {
        (Some(revert_reason), _) => Some(Execution::Reverted { revert_reason }),
        (None, call) => call.as_ref().map(told).map(Execution::Done),
    };
    let mut only_for = |name| {
        if transaction.type_name() == name { execution.take() } else { None }
    };
    written(&Trace {
        r#type: transaction.type_name(),
        validate_invocation: info.validate_call_info.as_ref().map(told),
        execute_invocation: only_for("INVOKE"),
        constructor_invocation: only_for("DEPLOY_ACCOUNT"),
        function_invocation: only_for("L1_HANDLER"),
        fee_transfer_invocation: info.fee_transfer_call_info.as_ref().map(told),
        state_diff: &run.diff,
        execution_resources: Gas::from(&info.receipt.gas),
    })
}

// Reads.

#[derive(Serialize)]
struct StorageRead {
    contract_address: Hex,
    key: Hex,
    value: Hex,
}
#[derive(Serialize)]
struct NonceRead {
    contract_address: Hex,
    nonce: Hex,
}
#[derive(Serialize)]
struct ClassHashRead {
    contract_address: Hex,
    class_hash: Hex,
}
#[derive(Serialize)]
struct DeclaredRead {
    class_hash: Hex,
    is_declared: bool,
}
#[derive(Serialize)]
struct Reads {
    storage: Vec<StorageRead>,
    nonces: Vec<NonceRead>,
    class_hashes: Vec<ClassHashRead>,
    declared_contracts: Vec<DeclaredRead>,
}

pub fn initial_reads(maps: &StateMaps) -> Outcome<String> {
    let mut storage: Vec<_> = maps.storage.iter().collect();
    storage.sort_by_key(|(slot, _)| **slot);
    let mut nonces: Vec<_> = maps.nonces.iter().collect();
    nonces.sort_by_key(|(address, _)| **address);
    let mut class_hashes: Vec<_> = maps.class_hashes.iter().collect();
    class_hashes.sort_by_key(|(address, _)| **address);
    let mut declared: Vec<_> = maps.declared_contracts.iter().collect();
    declared.sort_by_key(|(hash, _)| **hash);
    written(&Reads {
        storage: storage
            .into_iter()
            .map(|((address, key), value)| StorageRead {
                contract_address: Hex(*address.0.key()),
                key: Hex(*key.0.key()),
                value: Hex(*value),
            })
            .collect(),
        nonces: nonces
            .into_iter()
            .map(|(address, nonce)| NonceRead {
                contract_address: Hex(*address.0.key()),
                nonce: Hex(nonce.0),
            })
            .collect(),
        class_hashes: class_hashes
            .into_iter()
            .map(|(address, hash)| ClassHashRead {
                contract_address: Hex(*address.0.key()),
                class_hash: Hex(hash.0),
            })
            .collect(),
        declared_contracts: declared
            .into_iter()
            .map(|(hash, declared)| DeclaredRead {
                class_hash: Hex(hash.0),
                is_declared: *declared,
            })
            .collect(),
    })
}
