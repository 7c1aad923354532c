//! Receipts as the RPC writes them, without finality and block.

use serde::Serialize;
use starknet_types_core::felt::Felt;

use super::emitted::{Event, Gas, Message, events, in_order, messages, revert_reason};
use crate::error::Result;
use crate::execution::session::Executed;
use crate::execution::transaction::Transaction;
use crate::fault;
use crate::felt::Hex;
use crate::json::to_json;

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

pub fn receipt(transaction: &Transaction, run: &Executed) -> Result<String> {
    fault::point("report");
    let reason = revert_reason(run);
    let info = &run.info;
    to_json(&Receipt {
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

#[derive(Serialize)]
struct Resources {
    execution_resources: Gas,
    data_availability: Gas,
}

/// The resources of a receipt, without what grows with events and messages.
pub fn resources(run: &Executed) -> Result<String> {
    let gas = &run.info.receipt;
    to_json(&Resources {
        execution_resources: Gas::from(&gas.gas),
        data_availability: Gas::from(&gas.da_gas),
    })
}
