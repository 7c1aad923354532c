//! Recording of each call frame while transactions run.

use std::cell::RefCell;
use std::rc::Rc;

use blockifier::execution::entry_point::{CallType, ExecutableCallEntryPoint};
use blockifier::execution::observer::{Observer, Printed, set_observer, take_printed};
use cairo_vm::vm::runners::cairo_runner::CairoRunner;
use starknet_api::contract_class::EntryPointType;
use starknet_types_core::felt::Felt;

use super::place::{Trace, visits};

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

#[derive(Default)]
struct Recorder {
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
            place: Vec::new(),
            visited: None,
        });
    }

    fn ran(&mut self, runner: &mut CairoRunner, completed: bool) {
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
        let trace = Trace { steps: &steps, vm: &runner.vm };
        let place = if completed { trace.panic_place() } else { Some(trace.error_place()) };
        frame.failed = place.is_some();
        frame.place = place.unwrap_or_default();
        frame.visited = visited.then(|| visits(&steps));
    }

    fn left(&mut self) {
        self.0.borrow_mut().open.pop();
    }
}

/// Removes the observer of this thread, also when the work panics.
struct Unset;

impl Drop for Unset {
    fn drop(&mut self) {
        set_observer(None);
    }
}

/// Runs `work` and records every frame in it.
pub fn record<T>(wanted: Wanted, work: impl FnOnce() -> T) -> (T, Recorded) {
    let recorder = Rc::new(RefCell::new(Recorder { wanted, ..Recorder::default() }));
    take_printed();
    set_observer(Some(Box::new(Shared(recorder.clone()))));
    let unset = Unset;
    let done = work();
    drop(unset);
    let frames = std::mem::take(&mut recorder.borrow_mut().frames);
    (done, Recorded { frames, printed: take_printed() })
}
