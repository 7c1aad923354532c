//! Events, messages and gas as receipts and traces share them.

use blockifier::execution::call_info::CallInfo;
use serde::Serialize;
use starknet_api::execution_resources::GasVector;

use crate::error::Result;
use crate::execution::session::Executed;
use crate::felt::{Hex, HexList};
use crate::json::to_json;

#[derive(Serialize)]
pub(super) struct Message<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<usize>,
    from_address: Hex,
    to_address: Hex,
    payload: HexList<'a>,
}

#[derive(Serialize)]
pub(super) struct Event<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_address: Option<Hex>,
    keys: Vec<Hex>,
    data: HexList<'a>,
}

#[derive(Serialize)]
pub(super) struct Gas {
    l1_gas: u64,
    l1_data_gas: u64,
    l2_gas: u64,
}

impl From<&GasVector> for Gas {
    fn from(gas: &GasVector) -> Self {
        Gas { l1_gas: gas.l1_gas.0, l1_data_gas: gas.l1_data_gas.0, l2_gas: gas.l2_gas.0 }
    }
}

pub(super) fn messages(
    call: &CallInfo,
    ordered: bool,
) -> impl Iterator<Item = (usize, Message<'_>)> {
    call.execution.l2_to_l1_messages.iter().map(move |message| {
        let item = Message {
            order: ordered.then_some(message.order),
            from_address: Hex(*call.call.storage_address.0.key()),
            to_address: Hex(message.message.to_address.0),
            payload: HexList(&message.message.payload.0),
        };
        (message.order, item)
    })
}

pub(super) fn events(call: &CallInfo, in_trace: bool) -> impl Iterator<Item = (usize, Event<'_>)> {
    call.execution.events.iter().map(move |event| {
        let item = Event {
            order: in_trace.then_some(event.order),
            from_address: (!in_trace).then_some(Hex(*call.call.storage_address.0.key())),
            keys: event.event.keys.iter().map(|key| Hex(key.0)).collect(),
            data: HexList(&event.event.data.0),
        };
        (event.order, item)
    })
}

/// All items of the call trees, tree by tree, in the order in which they were emitted.
pub(super) fn in_order<'a, T: 'a, I: Iterator<Item = (usize, T)>>(
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

/// Events of a call and of its inner calls, as JSON.
pub fn call_events(root: &CallInfo) -> Result<String> {
    to_json(&in_order(std::iter::once(root), |call| events(call, false)))
}

pub(super) fn revert_reason(run: &Executed) -> Option<String> {
    run.info.revert_error.as_ref().map(ToString::to_string)
}
