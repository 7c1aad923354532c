//! Hooks on calls of contracts and on the machine's runs of Cairo 1 code. `npm run patch:engine` adds this file to
//! blockifier as `execution::observer`.

use std::cell::RefCell;

use cairo_lang_casm::hints::{CoreHint, CoreHintBase};
use cairo_lang_runner::casm_run::{format_for_debug, read_felts};
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::runners::cairo_runner::{CairoRunner, ExecutionResources};
use cairo_vm::vm::vm_core::VirtualMachine;
use starknet_api::core::{ClassHash, ContractAddress};

use crate::execution::call_info::CallInfo;
use crate::execution::entry_point::ExecutableCallEntryPoint;
use crate::execution::entry_point_execution::ExecutionRunnerMode;
use crate::execution::syscalls::vm_syscall_utils::SyscallUsageMap;

/// Sees every call that this thread executes while it is set.
pub trait Observer {
    /// A call of a class of any kind begins.
    fn called(&mut self, call: &ExecutableCallEntryPoint);
    /// The call that began last runs Cairo 1 code.
    fn entered(&mut self);
    /// The run ended: with return values, or by an error of the machine.
    fn ran(&mut self, runner: &mut CairoRunner, syscalls: &SyscallUsageMap, completed: bool);
    /// What a completed run used, without its system calls.
    fn measured(&mut self, used: &ExecutionResources);
    /// The call that began last ended; without information after an error.
    fn returned(&mut self, info: Option<&CallInfo>);
    /// A contract was deployed whose class has no constructor.
    fn deployed(&mut self, info: &CallInfo);
}

/// What a contract printed.
pub struct Printed {
    pub contract_address: ContractAddress,
    pub class_hash: ClassHash,
    pub text: String,
}

/// Bytes of text kept of one transaction; an empty text counts as one.
const MOST_PRINTED: usize = 64 << 10;

#[derive(Default)]
struct PrintedTexts {
    texts: Vec<Printed>,
    bytes: usize,
}

thread_local! {
    static OBSERVER: RefCell<Option<Box<dyn Observer>>> = const { RefCell::new(None) };
    static PRINTED: RefCell<PrintedTexts> =
        const { RefCell::new(PrintedTexts { texts: Vec::new(), bytes: 0 }) };
}

/// Sets the observer of this thread and gives the one before.
pub fn set_observer(observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
    OBSERVER.replace(observer)
}

/// What contracts printed on this thread since the last call.
pub fn take_printed() -> Vec<Printed> {
    PRINTED.take().texts
}

fn observe(work: impl FnOnce(&mut dyn Observer)) -> bool {
    OBSERVER.with_borrow_mut(|observer| match observer {
        Some(observer) => {
            work(observer.as_mut());
            true
        }
        None => false,
    })
}

pub(crate) fn called(call: &ExecutableCallEntryPoint) {
    observe(|observer| observer.called(call));
}

pub(crate) fn returned(info: Option<&CallInfo>) {
    observe(|observer| observer.returned(info));
}

pub(crate) fn deployed(info: &CallInfo) {
    observe(|observer| observer.deployed(info));
}

/// The mode of a run of Cairo 1 code that is about to begin.
pub(crate) fn entered() -> ExecutionRunnerMode {
    if observe(|observer| observer.entered()) {
        ExecutionRunnerMode::Tracing
    } else {
        ExecutionRunnerMode::Starknet
    }
}

pub(crate) fn ran(runner: &mut CairoRunner, syscalls: &SyscallUsageMap, completed: bool) {
    observe(|observer| observer.ran(runner, syscalls, completed));
}

pub(crate) fn measured(runner: &CairoRunner) {
    observe(|observer| {
        if let Ok(used) = runner.get_execution_resources() {
            observer.measured(&used);
        }
    });
}

pub(crate) fn is_print(hint: &CoreHintBase) -> bool {
    matches!(hint, CoreHintBase::Core(CoreHint::DebugPrint { .. }))
}

/// Keeps the text that the hint would write to the standard output.
pub(crate) fn print(
    vm: &mut VirtualMachine,
    call: &ExecutableCallEntryPoint,
    hint: &CoreHintBase,
) -> Result<(), HintError> {
    let CoreHintBase::Core(CoreHint::DebugPrint { start, end }) = hint else { return Ok(()) };
    let text = format_for_debug(read_felts(vm, start, end)?.into_iter());
    PRINTED.with_borrow_mut(|printed| {
        if printed.bytes + text.len() <= MOST_PRINTED {
            printed.bytes += text.len().max(1);
            printed.texts.push(Printed {
                contract_address: call.storage_address,
                class_hash: call.class_hash,
                text,
            });
        }
    });
    Ok(())
}
