//! Recorded frames as JSON, with Sierra statements in place of offsets.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use blockifier::execution::entry_point::CallType;
use serde::Serialize;
use starknet_api::contract_class::EntryPointType;
use starknet_types_core::felt::Felt;

use super::recorder::{FrameRecord, Recorded, record};
use crate::class::Statements;
use crate::error::Result;
use crate::execution::reader::Classes;
use crate::execution::report::{PrintedText, texts};
use crate::felt::Hex;
use crate::json::to_json;

#[derive(Serialize)]
struct Retrace {
    frames: Vec<Frame>,
    printed: Vec<PrintedText>,
}

#[derive(Serialize)]
struct Frame {
    depth: usize,
    contract_address: Hex,
    class_hash: Hex,
    entry_point_selector: Hex,
    entry_point_type: &'static str,
    call_type: &'static str,
    failed: bool,
    steps: usize,
    builtins: BTreeMap<String, usize>,
    syscalls: BTreeMap<String, usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<Vec<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    visited: Option<Vec<(usize, u64, u64)>>,
}

type StatementMaps = HashMap<Felt, Option<Arc<Statements>>>;

/// Runs `work` and gives its frames as JSON, with the visited statements if they are wanted.
pub fn retrace<T>(
    lists_visited: bool,
    classes: Classes,
    work: impl FnOnce() -> Result<T>,
) -> Result<String> {
    let (done, recorded) = record(lists_visited, classes.clone(), work);
    done?;
    report(recorded, &classes)
}

/// A class that cannot be compiled again, or has code of another compiler, gives frames without statements.
fn report(recorded: Recorded, classes: &Classes) -> Result<String> {
    let mut maps = StatementMaps::new();
    let mut frames = Vec::with_capacity(recorded.frames.len());
    for frame in recorded.frames {
        let needs_statements =
            frame.failed && !frame.location.is_empty() || frame.visited.is_some();
        let statements = if needs_statements {
            maps.entry(frame.class_hash)
                .or_insert_with(|| classes(frame.class_hash)?.statements().ok())
                .clone()
        } else {
            None
        };
        frames.push(resolved(frame, statements.as_deref()));
    }
    to_json(&Retrace { frames, printed: texts(recorded.printed) })
}

fn resolved(frame: FrameRecord, statements: Option<&Statements>) -> Frame {
    Frame {
        depth: frame.depth,
        contract_address: Hex(frame.contract_address),
        class_hash: Hex(frame.class_hash),
        entry_point_selector: Hex(frame.selector),
        entry_point_type: entry_point_name(frame.entry_point_type),
        call_type: call_name(frame.call_type),
        failed: frame.failed,
        steps: frame.steps,
        builtins: frame.builtins,
        syscalls: frame.syscalls,
        stack: statements.filter(|_| frame.failed).map(|statements| {
            frame.location.iter().filter_map(|offset| statements.at(*offset)).collect()
        }),
        visited: match (frame.visited, statements) {
            (Some(visits), Some(statements)) => Some(statements.visited(&visits)),
            _ => None,
        },
    }
}

/// As the RPC names it.
pub fn entry_point_name(entry_point_type: EntryPointType) -> &'static str {
    match entry_point_type {
        EntryPointType::Constructor => "CONSTRUCTOR",
        EntryPointType::External => "EXTERNAL",
        EntryPointType::L1Handler => "L1_HANDLER",
    }
}

/// As the RPC names it.
pub fn call_name(call_type: CallType) -> &'static str {
    match call_type {
        CallType::Call => "CALL",
        CallType::Delegate => "DELEGATE",
    }
}
