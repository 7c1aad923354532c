//! Reports of failures: reverts, rejections and failed calls, with the frames where they happened.

use blockifier::execution::call_info::CallInfo;
use blockifier::execution::observer::Printed;
use blockifier::execution::stack_trace::{
    Cairo1RevertSummary, ErrorStack, ErrorStackSegment, PreambleType, gen_tx_execution_error_trace,
};
use blockifier::state::errors::StateError;
use blockifier::transaction::errors::{
    TransactionExecutionError, TransactionFeeError, TransactionPreValidationError,
};
use blockifier::transaction::objects::RevertError;
use serde::Serialize;

use super::printed::{PrintedText, texts};
use crate::error::Result;
use crate::execution::call::Called;
use crate::execution::session::Executed;
use crate::felt::{Hex, HexList};
use crate::json::to_json;

#[derive(Serialize)]
struct Frame {
    kind: &'static str,
    contract_address: Hex,
    class_hash: Hex,
    selector: Hex,
}

/// Where a failure happened, outermost frame first, and its message.
#[derive(Serialize)]
struct Fault {
    message: String,
    frames: Vec<Frame>,
    /// The felts that a Cairo 1 contract panicked with.
    #[serde(skip_serializing_if = "Option::is_none")]
    panic: Option<Vec<Hex>>,
}

impl Fault {
    fn of_stack(stack: &ErrorStack) -> Self {
        let mut fault = Fault { message: stack.to_string(), frames: Vec::new(), panic: None };
        for segment in &stack.stack {
            match segment {
                ErrorStackSegment::EntryPoint(frame) => fault.frames.push(Frame {
                    kind: match frame.preamble_type {
                        PreambleType::CallContract => "call",
                        PreambleType::LibraryCall => "library_call",
                        PreambleType::Constructor => "constructor",
                    },
                    contract_address: Hex(*frame.storage_address.0.key()),
                    class_hash: Hex(frame.class_hash.0),
                    selector: Hex(frame.selector.unwrap_or_default().0),
                }),
                ErrorStackSegment::Cairo1RevertSummary(summary) => fault.add_panic(summary),
                ErrorStackSegment::Vm(_) | ErrorStackSegment::StringFrame(_) => {}
            }
        }
        fault
    }

    fn add_panic(&mut self, summary: &Cairo1RevertSummary) {
        self.frames.extend(summary.stack.iter().map(|frame| Frame {
            kind: "panic",
            contract_address: Hex(*frame.contract_address.0.key()),
            class_hash: Hex(frame.class_hash.unwrap_or_default().0),
            selector: Hex(frame.selector.0),
        }));
        self.panic = Some(summary.last_retdata.0.iter().map(|felt| Hex(*felt)).collect());
    }

    fn of_text(message: String) -> Self {
        Fault { message, frames: Vec::new(), panic: None }
    }
}

/// Why a transaction reverted, as JSON; none if it did not.
pub fn revert(run: &Executed) -> Result<Option<String>> {
    let fault = match &run.info.revert_error {
        None => return Ok(None),
        Some(RevertError::Execution(stack)) => Fault::of_stack(stack),
        Some(RevertError::PostExecution(error)) => Fault::of_text(error.to_string()),
    };
    to_json(&fault).map(Some)
}

#[derive(Serialize)]
struct Rejection {
    reason: &'static str,
    #[serde(flatten)]
    fault: Fault,
    #[serde(skip_serializing_if = "Option::is_none")]
    nonce: Option<NonceGap>,
}

#[derive(Serialize)]
struct NonceGap {
    address: Hex,
    account: Hex,
    given: Hex,
}

fn fee_reason(error: &TransactionFeeError) -> &'static str {
    use TransactionFeeError as Error;
    match error {
        Error::ResourcesBoundsExceedBalance { .. }
        | Error::GasBoundsExceedBalance { .. }
        | Error::MaxFeeExceedsBalance { .. } => "balance",
        Error::InsufficientResourceBounds { .. }
        | Error::MaxFeeTooLow { .. }
        | Error::MissingL1GasBounds
        | Error::FeeTransferError { .. } => "resource_bounds",
        Error::InsufficientFee { .. } => "l1_fee",
        Error::StateError(error) => state_reason(error),
        Error::ExecuteFeeTransferError(_) | Error::CairoResourcesNotContainedInFeeCosts => "fee",
    }
}

fn state_reason(error: &StateError) -> &'static str {
    match error {
        StateError::UndeclaredClassHash(_) => "class_not_declared",
        StateError::UnavailableContractAddress(_) => "address_taken",
        _ => "state",
    }
}

/// Why a transaction was rejected: a reason that maps to an RPC error, the message, and the frames.
pub fn rejection(error: &TransactionExecutionError) -> Result<String> {
    use TransactionExecutionError as Error;
    let mut nonce = None;
    let reason = match error {
        Error::TransactionPreValidationError(inner) => match &**inner {
            TransactionPreValidationError::InvalidNonce {
                address,
                account_nonce,
                incoming_tx_nonce,
            } => {
                nonce = Some(NonceGap {
                    address: Hex(*address.0.key()),
                    account: Hex(account_nonce.0),
                    given: Hex(incoming_tx_nonce.0),
                });
                "nonce"
            }
            TransactionPreValidationError::TransactionFeeError(error) => fee_reason(error),
            TransactionPreValidationError::InvalidProofFacts(_) => "proof_facts",
            TransactionPreValidationError::StateError(error) => state_reason(error),
        },
        Error::TransactionFeeError(error) => fee_reason(error),
        Error::FeeCheckError(_) => "resource_bounds",
        Error::DeclareTransactionError { .. } => "class_already_declared",
        Error::StateError(error) => state_reason(error),
        Error::ValidateTransactionError { .. }
        | Error::PanicInValidate { .. }
        | Error::InvalidValidateReturnData { .. }
        | Error::ValidateCairo0Error(_) => "validation",
        Error::ContractConstructorExecutionFailed(_) => "constructor",
        Error::ExecutionError { .. } => "execution",
        Error::TransactionTooLarge { .. } => "too_large",
        Error::InvalidVersion { .. } | Error::ContractClassVersionMismatch { .. } => "version",
        Error::FromStr(_)
        | Error::StarknetApiError(_)
        | Error::TryFromIntError(_)
        | Error::InvalidSegmentStructure(..)
        | Error::ProgramError(_) => "other",
    };
    let fault = Fault::of_stack(&gen_tx_execution_error_trace(error));
    let fault = Fault { message: error.to_string(), ..fault };
    to_json(&Rejection { reason, fault, nonce })
}

#[derive(Serialize)]
struct Call<'a> {
    #[serde(flatten)]
    report: CallReport<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    printed: Vec<PrintedText>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum CallReport<'a> {
    Result(HexList<'a>),
    Failure(CallFailure<'a>),
}

#[derive(Serialize)]
struct CallFailure<'a> {
    #[serde(flatten)]
    fault: Fault,
    /// What each failed frame returned, outermost first.
    returned: Vec<HexList<'a>>,
}

/// What a call returned, or why it did not, as JSON.
pub fn call_report(called: &Called, printed: Vec<Printed>) -> Result<String> {
    let report = match called {
        Called::Returned(info) => CallReport::Result(HexList(&info.execution.retdata.0)),
        Called::Failed(stack) => CallReport::Failure(failed_call(stack)),
        Called::Panicked(root) => CallReport::Failure(panicked_call(root)),
    };
    to_json(&Call { report, printed: texts(printed) })
}

/// Why a call failed, as JSON; none if it returned.
pub fn call_failure(called: &Called) -> Result<Option<String>> {
    match called {
        Called::Returned(_) => Ok(None),
        Called::Failed(stack) => to_json(&failed_call(stack)).map(Some),
        Called::Panicked(root) => to_json(&panicked_call(root)).map(Some),
    }
}

fn failed_call(stack: &ErrorStack) -> CallFailure<'_> {
    CallFailure { fault: Fault::of_stack(stack), returned: Vec::new() }
}

fn panicked_call(root: &CallInfo) -> CallFailure<'_> {
    let failed = failing_chain(root);
    let last = failed.last().map_or(&root.execution.retdata.0, |c| &c.execution.retdata.0);
    let fault = Fault {
        message: starknet_api::execution_utils::format_panic_data(last),
        frames: failed.iter().map(|call| panic_frame(call)).collect(),
        panic: Some(last.iter().map(|felt| Hex(*felt)).collect()),
    };
    let returned = failed.iter().map(|call| HexList(&call.execution.retdata.0)).collect();
    CallFailure { fault, returned }
}

fn panic_frame(call: &CallInfo) -> Frame {
    Frame {
        kind: "panic",
        contract_address: Hex(*call.call.storage_address.0.key()),
        class_hash: Hex(call.call.class_hash.unwrap_or_default().0),
        selector: Hex(call.call.entry_point_selector.0),
    }
}

/// From the outermost failed call down to where it began: each time the last inner call that failed.
fn failing_chain(root: &CallInfo) -> Vec<&CallInfo> {
    fn inner<'a>(call: &&'a CallInfo) -> Option<&'a CallInfo> {
        call.inner_calls.iter().rev().find(|call| call.execution.failed)
    }
    std::iter::successors(Some(root), inner).collect()
}
