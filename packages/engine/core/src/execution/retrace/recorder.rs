//! Recording of each call frame while transactions run.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use blockifier::execution::call_info::CallInfo;
use blockifier::execution::entry_point::{CallType, ExecutableCallEntryPoint};
use blockifier::execution::observer::{Observer, Printed, set_observer, take_printed};
use blockifier::execution::syscalls::vm_syscall_utils::SyscallUsageMap;
use cairo_vm::vm::runners::cairo_runner::{CairoRunner, ExecutionResources};
use starknet_api::contract_class::EntryPointType;
use starknet_types_core::felt::Felt;

use super::location::{Trace, steps_of, visits};
use crate::class::Hints;
use crate::execution::reader::Classes;

/// One call.
pub struct FrameRecord {
    /// Whether it ran Cairo 1 code. Others are no part of the result.
    pub is_cairo1: bool,
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
}

pub struct Recorded {
    /// In the order in which they began.
    pub frames: Vec<FrameRecord>,
    pub printed: Vec<Printed>,
}

struct Recorder {
    classes: Classes,
    lists_visited: bool,
    frames: Vec<FrameRecord>,
    open: Vec<usize>,
}

impl Recorder {
    fn current(&mut self) -> Option<&mut FrameRecord> {
        self.open.last().and_then(|index| self.frames.get_mut(*index))
    }
}

struct Shared(Rc<RefCell<Recorder>>);

impl Observer for Shared {
    fn called(&mut self, call: &ExecutableCallEntryPoint) {
        let Recorder { frames, open, .. } = &mut *self.0.borrow_mut();
        let depth = open.iter().filter(|index| frames[**index].is_cairo1).count();
        open.push(frames.len());
        frames.push(FrameRecord {
            is_cairo1: false,
            depth,
            contract_address: *call.storage_address.0.key(),
            class_hash: call.class_hash.0,
            selector: call.entry_point_selector.0,
            entry_point_type: call.entry_point_type,
            call_type: call.call_type,
            // Holds for a frame that never ran.
            failed: true,
            steps: 0,
            builtins: BTreeMap::new(),
            syscalls: BTreeMap::new(),
            location: Vec::new(),
            visited: None,
        });
    }

    fn entered(&mut self) {
        if let Some(frame) = self.0.borrow_mut().current() {
            frame.is_cairo1 = true;
        }
    }

    fn ran(&mut self, runner: &mut CairoRunner, syscalls: &SyscallUsageMap, completed: bool) {
        let steps = steps_of(runner);
        let recorder = &mut *self.0.borrow_mut();
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
        frame.syscalls = syscalls
            .iter()
            .map(|(selector, usage)| (format!("{selector:?}"), usage.call_count))
            .collect();
        frame.location = location.unwrap_or_default();
        frame.visited = recorder.lists_visited.then(|| visits(&steps));
    }

    fn measured(&mut self, used: &ExecutionResources) {
        if let Some(frame) = self.0.borrow_mut().current() {
            let counts = used.builtin_instance_counter.iter().filter(|(_, count)| **count > 0);
            frame.builtins =
                counts.map(|(name, count)| (name.to_str().to_owned(), *count)).collect();
        }
    }

    fn returned(&mut self, _info: Option<&CallInfo>) {
        self.0.borrow_mut().open.pop();
    }

    fn deployed(&mut self, _info: &CallInfo) {}
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

/// Runs `work` and records every frame in it, with the visited offsets if they are wanted.
pub fn record<T>(lists_visited: bool, classes: Classes, work: impl FnOnce() -> T) -> (T, Recorded) {
    let recorder = Recorder { classes, lists_visited, frames: Vec::new(), open: Vec::new() };
    let recorder = Rc::new(RefCell::new(recorder));
    let output = observing(Box::new(Shared(recorder.clone())), work);
    let mut frames = std::mem::take(&mut recorder.borrow_mut().frames);
    frames.retain(|frame| frame.is_cairo1);
    (output, Recorded { frames, printed: take_printed() })
}
