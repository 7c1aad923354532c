//! Executes each transaction by the published executor as well, and compares what both give. Only builds with the
//! feature `compare-executors` do.

use std::cell::RefCell;
use std::rc::Rc;

use blockifier::execution::call_info::CallInfo;
use blockifier::execution::entry_point::ExecutableCallEntryPoint;
use blockifier::execution::observer::{Observer, set_observer};
use blockifier::execution::syscalls::vm_syscall_utils::SyscallUsageMap;
use cairo_vm::types::relocatable::MaybeRelocatable;
use cairo_vm::vm::optimizations;
use cairo_vm::vm::runners::cairo_runner::{CairoRunner, ExecutionResources};
use cairo_vm::vm::trace::trace_entry::TraceEntry;

use super::report;
use super::session::{CHECK_BEFORE_RUN, Run, Session};
use super::transaction::{Flags, Transaction};
use crate::error::Result;
use crate::json::to_json;

/// What a comparison found.
pub struct Comparison {
    /// Runs of the machine.
    pub runs: usize,
    pub steps: usize,
    /// Cells that differ in runs that draw an arbitrary point.
    pub arbitrary_cells: usize,
    pub difference: Option<String>,
}

/// Compares from now on, and gives each comparison to a function.
pub fn start(report: fn(&Comparison)) {
    CHECK_BEFORE_RUN.get_or_init(|| {
        Box::new(move |session, transaction, flags| {
            report(&compare(session, transaction, flags)?);
            Ok(())
        })
    });
}

/// A run of the machine.
struct MachineRun {
    completed: bool,
    resources: Option<ExecutionResources>,
    trace: Vec<TraceEntry>,
    memory: Vec<Vec<Option<MaybeRelocatable>>>,
    draws_point: bool,
}

#[derive(Clone, Default)]
struct MachineRuns(Rc<RefCell<Vec<MachineRun>>>);

impl Observer for MachineRuns {
    fn called(&mut self, _call: &ExecutableCallEntryPoint) {}

    fn entered(&mut self) {}

    fn ran(&mut self, runner: &mut CairoRunner, _syscalls: &SyscallUsageMap, completed: bool) {
        let trace = runner.get_relocatable_trace().unwrap_or_default().to_vec();
        let hints = &runner.get_program().shared_program_data.hints_collection;
        let draws_point = trace.iter().any(|entry| {
            let range = hints.get_hint_range_for_pc(entry.pc.offset).flatten();
            range.is_some_and(|(start, length)| {
                let reached = &hints.hints[start..start + length.get()];
                reached.iter().any(|hint| hint.code.contains("RandomEcPoint"))
            })
        });
        self.0.borrow_mut().push(MachineRun {
            completed,
            resources: None,
            trace,
            memory: runner.get_relocatable_memory(),
            draws_point,
        });
    }

    fn measured(&mut self, used: &ExecutionResources) {
        if let Some(run) = self.0.borrow_mut().last_mut() {
            run.resources = Some(used.clone());
        }
    }

    fn returned(&mut self, _info: Option<&CallInfo>) {}

    fn deployed(&mut self, _info: &CallInfo) {}
}

/// What clients see of an execution, and what the machine did.
struct Outcome {
    texts: Vec<String>,
    runs: Vec<MachineRun>,
}

/// Executes a transaction by both executors, compares, and drops its changes.
fn compare(session: &mut Session, transaction: &Transaction, flags: Flags) -> Result<Comparison> {
    // The first run of a program prepares what the second takes over.
    observe(session, transaction, flags, true)?;
    let published = observe(session, transaction, flags, false)?;
    let optimized = observe(session, transaction, flags, true)?;
    let mut arbitrary_cells = 0;
    let difference = difference(&published, &optimized, &mut arbitrary_cells);
    let steps = published.runs.iter().map(|run| run.trace.len()).sum();
    Ok(Comparison { runs: published.runs.len(), steps, arbitrary_cells, difference })
}

fn observe(
    session: &mut Session,
    transaction: &Transaction,
    flags: Flags,
    is_optimized: bool,
) -> Result<Outcome> {
    let runs = MachineRuns::default();
    let observer = set_observer(Some(Box::new(runs.clone())));
    let was_enabled = optimizations::set_enabled(is_optimized);
    let run = session.try_run(transaction, flags, false);
    optimizations::set_enabled(was_enabled);
    set_observer(observer);
    let texts = match run? {
        Run::Rejected(error) => vec![format!("{error:?}"), report::rejection(&error)?],
        Run::Executed(run) => vec![
            report::receipt(transaction, &run)?,
            report::trace(transaction, &run, session.constants())?,
            to_json(&run.diff)?,
            format!("{:?}", report::revert(&run)?),
        ],
    };
    let runs = runs.0.take();
    Ok(Outcome { texts, runs })
}

fn difference(
    published: &Outcome,
    optimized: &Outcome,
    arbitrary_cells: &mut usize,
) -> Option<String> {
    let pairs = published.texts.iter().zip(&optimized.texts);
    if let Some((text, other)) = pairs.into_iter().find(|(text, other)| text != other) {
        return Some(format!("published {text}, optimized {other}"));
    }
    if published.texts.len() != optimized.texts.len()
        || published.runs.len() != optimized.runs.len()
    {
        return Some("one executor rejects the transaction or makes more calls".into());
    }
    for (index, (run, other)) in published.runs.iter().zip(&optimized.runs).enumerate() {
        if run.trace != other.trace {
            return Some(format!("the registers of call {index} differ"));
        }
        if (run.completed, &run.resources) != (other.completed, &other.resources) {
            return Some(format!("the resources of call {index} differ"));
        }
        let cells = differing_cells(run, other);
        if cells > 0 && !run.draws_point {
            return Some(format!("{cells} cells of the memory of call {index} differ"));
        }
        *arbitrary_cells += cells;
    }
    None
}

fn differing_cells(run: &MachineRun, other: &MachineRun) -> usize {
    let lengths = |run: &MachineRun| run.memory.iter().map(Vec::len).collect::<Vec<_>>();
    if lengths(run) != lengths(other) {
        return usize::MAX / 2;
    }
    let cells = run.memory.iter().flatten().zip(other.memory.iter().flatten());
    cells.filter(|(cell, other)| cell != other).count()
}
