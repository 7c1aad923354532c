//! Recording of an execution.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use blockifier::execution::call_info::{CallInfo, MessageToL1};
use blockifier::execution::entry_point::{CallEntryPointVariant, ExecutableCallEntryPoint};
use blockifier::execution::observer::{Observer, StorageAccess};
use blockifier::execution::syscalls::vm_syscall_utils::SyscallUsageMap;
use cairo_vm::vm::runners::cairo_runner::{CairoRunner, ExecutionResources};
use starknet_api::transaction::EventContent;
use starknet_types_core::felt::Felt;

use super::memory::Segment;
use super::trace::{Action, Code, Limits, PrintedText, Run, Trace, hexes};
use crate::error::Result;
use crate::execution::reader::Classes;
use crate::execution::retrace::{self, Step, call_name, entry_point_name, steps_of};
use crate::felt::Hex;

/// Bytes of printed texts.
const MOST_PRINTED: usize = 1 << 20;

struct Recorder {
    classes: Classes,
    limits: Limits,
    trace: Trace,
    programs: HashMap<Felt, Arc<Segment>>,
    open_runs: Vec<usize>,
    open_actions: Vec<usize>,
    ended: usize,
    printed_bytes: usize,
}

impl Recorder {
    fn begin<T>(&mut self, call: &CallEntryPointVariant<T>, class_hash: Felt, code: Code) -> usize {
        let index = self.trace.runs.len();
        let parent = self.open_runs.last().copied();
        let parent_action = parent.and(self.open_actions.last().copied());
        if let Some(action) = parent_action.and_then(|action| self.trace.actions.get_mut(action)) {
            action.called_run = Some(index);
        }
        self.trace.runs.push(Run {
            parent,
            parent_action,
            contract_address: Hex(*call.storage_address.0.key()),
            class_hash: Hex(class_hash),
            caller_address: Hex(*call.caller_address.0.key()),
            entry_point_selector: Hex(call.entry_point_selector.0),
            entry_point_type: entry_point_name(call.entry_point_type),
            call_type: call_name(call.call_type),
            code,
            calldata: hexes(&call.calldata.0),
            result: None,
            // Holds for a run that never returns.
            failed: true,
            initial_gas: call.initial_gas,
            step_count: 0,
            first_step: 0,
            failure_step: None,
            lengths: Vec::new(),
            steps: Vec::new(),
            segments: Vec::new(),
            program: None,
            ended: 0,
            action_count: 0,
        });
        index
    }

    fn end(&mut self, index: usize, info: Option<&CallInfo>) {
        let Some(run) = self.trace.runs.get_mut(index) else { return };
        run.ended = self.ended;
        self.ended += 1;
        run.failed = info.is_none_or(|info| info.execution.failed);
        run.result = info.map(|info| hexes(&info.execution.retdata.0));
        if !run.failed {
            run.failure_step = None;
        }
    }

    fn action(&mut self) -> Option<&mut Action> {
        let index = *self.open_actions.last()?;
        self.trace.actions.get_mut(index)
    }

    fn copy_memory(&mut self, index: usize, runner: &mut CairoRunner) {
        let lengths = runner.vm.segments.compute_effective_sizes().clone();
        let run = &mut self.trace.runs[index];
        let vm = &runner.vm;
        let program = self.programs.entry(run.class_hash.0).or_insert_with(|| {
            Arc::new(Segment::copy(vm, 0, lengths.first().copied().unwrap_or_default()))
        });
        run.program = Some(program.clone());
        run.segments = lengths
            .iter()
            .enumerate()
            .map(|(segment, length)| match segment {
                0 => Segment::default(),
                _ => Segment::copy(vm, segment, *length),
            })
            .collect();
        run.lengths = lengths;
    }

    fn copy_steps(&mut self, index: usize, runner: &CairoRunner, completed: bool) {
        let mut steps = steps_of(runner);
        let vm = &runner.vm;
        // An instruction that fails is not in the trace of the machine.
        if !completed && vm.get_pc().segment_index == 0 && steps.len() == vm.get_current_step() {
            steps.push(Step::new(vm.get_pc().offset, vm.get_ap().offset, vm.get_fp().offset));
        }
        let class_hash = self.trace.runs[index].class_hash.0;
        let failure_step = if completed {
            let mut trace = retrace::Trace { steps: &steps, vm, hints: Default::default() };
            if trace.has_panicked() {
                let class = (self.classes)(class_hash);
                trace.hints = class.and_then(|class| class.hints().ok()).unwrap_or_default();
            }
            trace.panic_step()
        } else {
            steps.len().checked_sub(1)
        };
        let run = &mut self.trace.runs[index];
        run.failure_step = failure_step;
        run.step_count = steps.len();
        run.first_step = steps.len().saturating_sub(self.limits.steps);
        steps.drain(..run.first_step);
        steps.shrink_to_fit();
        run.steps = steps;
    }
}

struct Shared(Rc<RefCell<Recorder>>);

impl Observer for Shared {
    fn called(&mut self, call: &ExecutableCallEntryPoint) {
        let mut recorder = self.0.borrow_mut();
        let index = recorder.begin(call, call.class_hash.0, Code::Cairo0);
        recorder.open_runs.push(index);
    }

    fn entered(&mut self) {
        let recorder = &mut *self.0.borrow_mut();
        let run = recorder.open_runs.last().and_then(|index| recorder.trace.runs.get_mut(*index));
        if let Some(run) = run {
            run.code = Code::Cairo1;
        }
    }

    fn ran(&mut self, runner: &mut CairoRunner, _syscalls: &SyscallUsageMap, completed: bool) {
        let recorder = &mut *self.0.borrow_mut();
        let Some(index) = recorder.open_runs.last().copied() else { return };
        recorder.copy_steps(index, runner, completed);
        recorder.copy_memory(index, runner);
    }

    fn measured(&mut self, _used: &ExecutionResources) {}

    fn returned(&mut self, info: Option<&CallInfo>) {
        let recorder = &mut *self.0.borrow_mut();
        if let Some(index) = recorder.open_runs.pop() {
            recorder.end(index, info);
        }
    }

    fn deployed(&mut self, info: &CallInfo) {
        let recorder = &mut *self.0.borrow_mut();
        let class_hash = info.call.class_hash.unwrap_or_default().0;
        let index = recorder.begin(&info.call, class_hash, Code::None);
        recorder.end(index, Some(info));
    }

    fn system_call(&mut self, step: usize, selector: Felt, gas: Option<u64>) {
        let recorder = &mut *self.0.borrow_mut();
        let Some(run) = recorder.open_runs.last().copied() else { return };
        let Some(record) = recorder.trace.runs.get_mut(run) else { return };
        let step = match record.code {
            Code::Cairo1 => step,
            Code::Cairo0 | Code::None => record.action_count,
        };
        record.action_count += 1;
        recorder.open_actions.push(recorder.trace.actions.len());
        recorder.trace.actions.push(Action {
            run,
            step,
            name: short_string(selector),
            failed: false,
            gas,
            contract_address: None,
            key: None,
            value: None,
            previous: None,
            keys: None,
            data: None,
            to_address: None,
            called_run: None,
        });
    }

    fn system_call_ended(&mut self, failed: bool) {
        let recorder = &mut *self.0.borrow_mut();
        if let Some(action) = recorder.action() {
            action.failed = failed;
        }
        recorder.open_actions.pop();
    }

    fn accessed(&mut self, access: &StorageAccess) {
        let recorder = &mut *self.0.borrow_mut();
        let Some(action) = recorder.action() else { return };
        action.contract_address = Some(Hex(*access.contract_address.0.key()));
        action.key = Some(Hex(*access.key.0.key()));
        action.value = Some(Hex(access.value));
        action.previous = access.previous.map(Hex);
    }

    fn emitted(&mut self, event: &EventContent) {
        let recorder = &mut *self.0.borrow_mut();
        let Some(action) = recorder.action() else { return };
        action.keys = Some(event.keys.iter().map(|key| Hex(key.0)).collect());
        action.data = Some(hexes(&event.data.0));
    }

    fn sent(&mut self, message: &MessageToL1) {
        let recorder = &mut *self.0.borrow_mut();
        let Some(action) = recorder.action() else { return };
        action.to_address = Some(Hex(message.to_address.0));
        action.data = Some(hexes(&message.payload.0));
    }

    fn printed(&mut self, step: usize, text: &str) {
        let recorder = &mut *self.0.borrow_mut();
        let Some(run) = recorder.open_runs.last().copied() else { return };
        recorder.printed_bytes += text.len().max(1);
        if recorder.printed_bytes <= MOST_PRINTED {
            recorder.trace.printed.push(PrintedText { run, step, text: text.to_owned() });
        }
    }
}

/// The characters of a selector, such as `StorageWrite`.
fn short_string(selector: Felt) -> String {
    let bytes = selector.to_bytes_be();
    let text = bytes.iter().skip_while(|byte| **byte == 0);
    text.map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { '?' }).collect()
}

/// Runs `work` and records it.
pub fn record<T>(
    limits: Limits,
    classes: Classes,
    work: impl FnOnce() -> Result<T>,
) -> Result<Trace> {
    let recorder = Rc::new(RefCell::new(Recorder {
        classes,
        limits,
        trace: Trace::default(),
        programs: HashMap::new(),
        open_runs: Vec::new(),
        open_actions: Vec::new(),
        ended: 0,
        printed_bytes: 0,
    }));
    retrace::observing(Box::new(Shared(recorder.clone())), work)?;
    let mut trace = std::mem::take(&mut recorder.borrow_mut().trace);
    trace.limit(limits);
    Ok(trace)
}
