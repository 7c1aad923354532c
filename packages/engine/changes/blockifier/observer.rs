//! Hooks on calls of contracts and on the machine's runs of Cairo 1 code. `npm run patch:engine` adds this file to
//! blockifier as `execution::observer`.

use std::cell::RefCell;

use cairo_lang_casm::hints::{CoreHint, CoreHintBase};
use cairo_lang_runner::casm_run::{format_for_debug, read_felts};
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::runners::cairo_runner::{CairoRunner, ExecutionResources};
use cairo_vm::vm::vm_core::VirtualMachine;
use starknet_api::core::{ClassHash, ContractAddress};
use starknet_api::state::StorageKey;
use starknet_api::transaction::EventContent;
use starknet_types_core::felt::Felt;

use crate::execution::call_info::{CallInfo, MessageToL1};
use crate::execution::entry_point::ExecutableCallEntryPoint;
use crate::execution::entry_point_execution::ExecutionRunnerMode;
use crate::execution::syscalls::vm_syscall_utils::SyscallUsageMap;
use crate::state::state_api::State;

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
    /// A system call begins in the run that began last. Cairo 0 code has no gas.
    fn system_call(&mut self, _step: usize, _selector: Felt, _gas: Option<u64>) {}
    /// The system call that began last ended.
    fn system_call_ended(&mut self, _failed: bool) {}
    /// The current system call reads or writes a slot.
    fn accessed(&mut self, _access: &StorageAccess) {}
    /// The current system call emits an event.
    fn emitted(&mut self, _event: &EventContent) {}
    /// The current system call sends a message.
    fn sent(&mut self, _message: &MessageToL1) {}
    /// The run that began last prints a text.
    fn printed(&mut self, _step: usize, _text: &str) {}
}

/// A read or a write of a slot.
pub struct StorageAccess {
    pub contract_address: ContractAddress,
    pub key: StorageKey,
    pub value: Felt,
    /// The value before a write.
    pub previous: Option<Felt>,
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

/// A system call begins. Its request begins with the selector, followed by the gas except in Cairo 0 code.
pub(crate) fn system_call(vm: &VirtualMachine, request: Relocatable, has_gas: bool) {
    observe(|observer| {
        let number = |by: usize| {
            let at = (request + by).ok()?;
            vm.get_integer(at).map(|number| *number).ok()
        };
        let gas = number(1).filter(|_| has_gas).and_then(|gas| gas.try_into().ok());
        observer.system_call(vm.get_current_step(), number(0).unwrap_or_default(), gas);
    });
}

/// A system call ended, with its response before `end` unless it caused an error.
pub(crate) fn system_call_ended(vm: &VirtualMachine, end: Relocatable, is_error: bool) {
    observe(|observer| observer.system_call_ended(is_error || is_failure(vm, end)));
}

/// Whether a response ends with the flag of a failure and two pointers to the felts of its reason.
fn is_failure(vm: &VirtualMachine, end: Relocatable) -> bool {
    let before = |by: usize| (end - by).ok().and_then(|at| vm.get_maybe(&at));
    matches!(before(1), Some(MaybeRelocatable::RelocatableValue(_)))
        && matches!(before(2), Some(MaybeRelocatable::RelocatableValue(_)))
        && before(3) == Some(MaybeRelocatable::Int(Felt::ONE))
}

pub(crate) fn storage_read(contract_address: ContractAddress, key: StorageKey, value: Felt) {
    let access = StorageAccess { contract_address, key, value, previous: None };
    observe(|observer| observer.accessed(&access));
}

/// A slot is about to be written.
pub(crate) fn storage_write(
    state: &dyn State,
    contract_address: ContractAddress,
    key: StorageKey,
    value: Felt,
) {
    observe(|observer| {
        let previous = state.get_storage_at(contract_address, key).ok();
        observer.accessed(&StorageAccess { contract_address, key, value, previous });
    });
}

pub(crate) fn emitted(event: &EventContent) {
    observe(|observer| observer.emitted(event));
}

pub(crate) fn sent(message: &MessageToL1) {
    observe(|observer| observer.sent(message));
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
    observe(|observer| observer.printed(vm.get_current_step(), &text));
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
