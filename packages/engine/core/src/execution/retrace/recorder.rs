//! Recording of each call frame while transactions run.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use blockifier::execution::call_info::CallInfo;
use blockifier::execution::entry_point::{
    CallEntryPointVariant, CallType, ExecutableCallEntryPoint,
};
use blockifier::execution::observer::{Observer, Printed, set_observer, take_printed};
use blockifier::execution::syscalls::vm_syscall_utils::SyscallUsageMap;
use cairo_vm::vm::runners::cairo_runner::{CairoRunner, ExecutionResources};
use starknet_api::contract_class::EntryPointType;
use starknet_types_core::felt::Felt;

use super::location::{Step, Trace, steps_of, visits};
use super::machine::{Code, Machine, own_resources, registers};
use crate::class::{Class, Hints};
use crate::execution::Block;

/// What is recorded besides the frames and where they failed.
#[derive(Clone, Copy, Default)]
pub struct TraceOptions {
    pub visited: bool,
    /// Also what the machine did, of calls of every kind, with the registers of at most so many steps.
    pub machine: Option<usize>,
}

/// One call. Those that run no Cairo 1 code are recorded if the machine's work is wanted.
pub struct FrameRecord {
    pub depth: usize,
    pub contract_address: Felt,
    pub class_hash: Felt,
    pub selector: Felt,
    pub entry_point_type: EntryPointType,
    pub call_type: CallType,
    pub failed: bool,
    /// Steps of the machine, without those of inner calls.
    pub steps: usize,
    /// How often each builtin was used.
    pub builtins: BTreeMap<String, usize>,
    /// How often each system call was made.
    pub syscalls: BTreeMap<String, usize>,
    /// Where it failed, as offsets into the bytecode, innermost function first.
    pub location: Vec<usize>,
    /// Offsets into the bytecode and how often each ran.
    pub visited: Option<Vec<(usize, u64)>>,
    pub machine: Machine,
}

pub struct Recorded {
    /// In the order in which they began.
    pub frames: Vec<FrameRecord>,
    pub options: TraceOptions,
    pub printed: Vec<Printed>,
}

/// Gives a class by its hash.
pub type Classes = Box<dyn Fn(Felt) -> Option<Arc<Class>>>;

struct Recorder {
    classes: Classes,
    options: TraceOptions,
    block: Arc<Block>,
    /// Steps whose registers are still kept.
    remaining_steps: usize,
    frames: Vec<FrameRecord>,
    open: Vec<usize>,
}

impl Recorder {
    fn add<T>(&mut self, call: &CallEntryPointVariant<T>, class_hash: Felt, code: Code) {
        let all = self.options.machine.is_some();
        let is_counted = |index: &&usize| all || self.frames[**index].machine.code == Code::Cairo1;
        let depth = self.open.iter().filter(is_counted).count();
        self.frames.push(FrameRecord {
            depth,
            contract_address: *call.storage_address.0.key(),
            class_hash,
            selector: call.entry_point_selector.0,
            entry_point_type: call.entry_point_type,
            call_type: call.call_type,
            // Holds for a frame that never ran.
            failed: code != Code::None,
            steps: 0,
            builtins: BTreeMap::new(),
            syscalls: BTreeMap::new(),
            location: Vec::new(),
            visited: None,
            machine: Machine::new(code, call.calldata.0.len()),
        });
    }

    fn current(&mut self) -> Option<&mut FrameRecord> {
        self.open.last().and_then(|index| self.frames.get_mut(*index))
    }

    fn registers(&mut self, steps: &[Step], runner: &CairoRunner) -> Option<String> {
        self.remaining_steps = self.remaining_steps.checked_sub(steps.len())?;
        Some(registers(steps, runner.get_program().data_len()))
    }
}

struct Shared(Rc<RefCell<Recorder>>);

impl Observer for Shared {
    fn called(&mut self, call: &ExecutableCallEntryPoint) {
        let mut recorder = self.0.borrow_mut();
        let index = recorder.frames.len();
        recorder.add(call, call.class_hash.0, Code::Cairo0);
        recorder.open.push(index);
    }

    fn entered(&mut self) {
        if let Some(frame) = self.0.borrow_mut().current() {
            frame.machine.code = Code::Cairo1;
        }
    }

    fn ran(&mut self, runner: &mut CairoRunner, syscalls: &SyscallUsageMap, completed: bool) {
        let steps = steps_of(runner);
        let recorder = &mut *self.0.borrow_mut();
        let options = recorder.options;
        let registers = options.machine.and_then(|_| recorder.registers(&steps, runner));
        let Some(frame) = recorder.open.last().and_then(|index| recorder.frames.get_mut(*index))
        else {
            return;
        };
        let mut trace = Trace { steps: &steps, vm: &runner.vm, hints: Hints::default() };
        if trace.has_panicked() {
            let class = (recorder.classes)(frame.class_hash);
            trace.hints = class.and_then(|class| class.hints().ok()).unwrap_or_default();
        }
        let location =
            if completed { trace.panic_location() } else { Some(trace.error_location()) };
        frame.failed = location.is_some();
        frame.steps = steps.len();
        frame.builtins = runner.get_execution_resources().map(builtins).unwrap_or_default();
        frame.syscalls = counts(syscalls);
        frame.machine.called_system(syscalls);
        frame.location = location.unwrap_or_default();
        frame.visited = options.visited.then(|| visits(&steps));
        frame.machine.registers = registers;
    }

    fn measured(&mut self, used: &ExecutionResources) {
        if let Some(frame) = self.0.borrow_mut().current() {
            frame.machine.memory_holes = used.n_memory_holes;
        }
    }

    fn returned(&mut self, info: Option<&CallInfo>) {
        let recorder = &mut *self.0.borrow_mut();
        let constants = recorder.block.context.versioned_constants();
        let frame = recorder.open.pop().and_then(|index| recorder.frames.get_mut(index));
        let (Some(frame), Some(info)) = (frame, info) else { return };
        frame.machine.returned(info);
        if frame.machine.code == Code::Cairo0 {
            let resources = own_resources(info, constants);
            frame.failed = info.execution.failed;
            frame.steps = resources.n_steps;
            frame.machine.memory_holes = resources.n_memory_holes;
            frame.builtins = builtins(resources);
            frame.syscalls = counts(&info.syscalls_usage);
            frame.machine.called_system(&info.syscalls_usage);
        }
    }

    fn deployed(&mut self, info: &CallInfo) {
        let class_hash = info.call.class_hash.unwrap_or_default().0;
        self.0.borrow_mut().add(&info.call, class_hash, Code::None);
    }
}

fn counts(syscalls: &SyscallUsageMap) -> BTreeMap<String, usize> {
    let counts = syscalls.iter();
    counts.map(|(selector, usage)| (format!("{selector:?}"), usage.call_count)).collect()
}

/// What a run used of each builtin.
fn builtins(used: ExecutionResources) -> BTreeMap<String, usize> {
    let counts = used.builtin_instance_counter.into_iter().filter(|(_, count)| *count > 0);
    counts.map(|(name, count)| (name.to_str().to_owned(), count)).collect()
}

/// Removes the observer of this thread, also when the work panics.
struct Unset;

impl Drop for Unset {
    fn drop(&mut self) {
        set_observer(None);
    }
}

/// Runs `work` with an observer of its calls.
pub fn observing<T>(observer: Box<dyn Observer>, work: impl FnOnce() -> T) -> T {
    take_printed();
    set_observer(Some(observer));
    let unset = Unset;
    let output = work();
    drop(unset);
    output
}

/// Runs `work` and records every frame in it.
pub fn record<T>(
    options: TraceOptions,
    block: Arc<Block>,
    classes: Classes,
    work: impl FnOnce() -> T,
) -> (T, Recorded) {
    let remaining_steps = options.machine.unwrap_or_default();
    let frames = Vec::new();
    let recorder = Recorder { classes, options, block, remaining_steps, frames, open: Vec::new() };
    let recorder = Rc::new(RefCell::new(recorder));
    let output = observing(Box::new(Shared(recorder.clone())), work);
    let mut frames = std::mem::take(&mut recorder.borrow_mut().frames);
    if options.machine.is_none() {
        frames.retain(|frame| frame.machine.code == Code::Cairo1);
    }
    (output, Recorded { frames, options, printed: take_printed() })
}
