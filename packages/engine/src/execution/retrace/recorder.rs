//! Recording of each call frame while transactions run.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use blockifier::execution::entry_point::{CallType, ExecutableCallEntryPoint};
use blockifier::execution::observer::{Observer, Printed, set_observer, take_printed};
use blockifier::execution::syscalls::vm_syscall_utils::SyscallUsageMap;
use cairo_vm::vm::runners::cairo_runner::CairoRunner;
use starknet_api::contract_class::EntryPointType;
use starknet_types_core::felt::Felt;

use super::place::{Trace, visits};
use crate::class::{Class, Hints};

/// What is recorded besides the frames and where they failed.
#[derive(Clone, Copy, Default)]
pub struct Wanted {
    pub visited: bool,
}

/// One run of an entry point of a Cairo 1 class.
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
    pub place: Vec<usize>,
    /// Offsets into the bytecode and how often each ran.
    pub visited: Option<Vec<(usize, u64)>>,
}

pub struct Recorded {
    /// In the order in which they began.
    pub frames: Vec<FrameRecord>,
    pub printed: Vec<Printed>,
}

/// Gives a class by its hash.
pub type Classes = Box<dyn Fn(Felt) -> Option<Arc<Class>>>;

struct Recorder {
    classes: Classes,
    wanted: Wanted,
    frames: Vec<FrameRecord>,
    open: Vec<usize>,
}

struct Shared(Rc<RefCell<Recorder>>);

impl Observer for Shared {
    fn entered(&mut self, call: &ExecutableCallEntryPoint) {
        let mut recorder = self.0.borrow_mut();
        let depth = recorder.open.len();
        let index = recorder.frames.len();
        recorder.open.push(index);
        recorder.frames.push(FrameRecord {
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
            place: Vec::new(),
            visited: None,
        });
    }

    fn ran(&mut self, runner: &mut CairoRunner, syscalls: &SyscallUsageMap, completed: bool) {
        // The program is segment 0 and the stack is segment 1: offsets into them stay as they are.
        let steps = match runner.relocate_trace(&[0, 0]) {
            Ok(()) => runner.relocated_trace.take().unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        let recorder = &mut *self.0.borrow_mut();
        let visited = recorder.wanted.visited;
        let Some(frame) = recorder.open.last().and_then(|index| recorder.frames.get_mut(*index))
        else {
            return;
        };
        let mut trace = Trace { steps: &steps, vm: &runner.vm, hints: Hints::default() };
        if trace.has_panicked() {
            let class = (recorder.classes)(frame.class_hash);
            trace.hints = class.and_then(|class| class.hints().ok()).unwrap_or_default();
        }
        let place = if completed { trace.panic_place() } else { Some(trace.error_place()) };
        frame.failed = place.is_some();
        frame.steps = steps.len();
        frame.builtins = builtins(runner);
        frame.syscalls = syscalls
            .iter()
            .map(|(selector, usage)| (format!("{selector:?}"), usage.call_count))
            .collect();
        frame.place = place.unwrap_or_default();
        frame.visited = visited.then(|| visits(&steps));
    }

    fn left(&mut self) {
        self.0.borrow_mut().open.pop();
    }
}

/// What the run used of each builtin; none after an error of the machine.
fn builtins(runner: &CairoRunner) -> BTreeMap<String, usize> {
    let counts = runner.get_execution_resources().map(|used| used.builtin_instance_counter);
    let counts = counts.unwrap_or_default().into_iter().filter(|(_, count)| *count > 0);
    counts.map(|(name, count)| (name.to_str().to_owned(), count)).collect()
}

/// Removes the observer of this thread, also when the work panics.
struct Unset;

impl Drop for Unset {
    fn drop(&mut self) {
        set_observer(None);
    }
}

/// Runs `work` and records every frame in it.
pub fn record<T>(wanted: Wanted, classes: Classes, work: impl FnOnce() -> T) -> (T, Recorded) {
    let recorder = Recorder { classes, wanted, frames: Vec::new(), open: Vec::new() };
    let recorder = Rc::new(RefCell::new(recorder));
    take_printed();
    set_observer(Some(Box::new(Shared(recorder.clone()))));
    let unset = Unset;
    let done = work();
    drop(unset);
    let frames = std::mem::take(&mut recorder.borrow_mut().frames);
    (done, Recorded { frames, printed: take_printed() })
}
