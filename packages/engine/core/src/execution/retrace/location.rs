//! Where a traced run failed.

use std::collections::BTreeMap;

use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::runners::cairo_runner::CairoRunner;
use cairo_vm::vm::vm_core::VirtualMachine;
use starknet_types_core::felt::Felt;

use crate::class::Hints;

/// Registers before a step, as offsets into the program and the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub pc: u32,
    pub ap: u32,
    pub fp: u32,
}

impl Step {
    pub fn new(pc: usize, ap: usize, fp: usize) -> Self {
        let narrow = |register| u32::try_from(register).unwrap_or(u32::MAX);
        Step { pc: narrow(pc), ap: narrow(ap), fp: narrow(fp) }
    }

    fn pc(&self) -> usize {
        self.pc as usize
    }

    fn fp(&self) -> usize {
        self.fp as usize
    }

    fn ap(&self) -> usize {
        self.ap as usize
    }
}

/// The steps that a run took; none if it ran without a trace.
pub fn steps_of(runner: &CairoRunner) -> Vec<Step> {
    let entries = runner.get_relocatable_trace().unwrap_or_default();
    entries.iter().map(|entry| Step::new(entry.pc.offset, entry.ap, entry.fp)).collect()
}

/// A traced run.
pub struct Trace<'a> {
    pub steps: &'a [Step],
    pub vm: &'a VirtualMachine,
    pub hints: Hints,
}

const PROGRAM: isize = 0;
const STACK: isize = 1;

/// Flag of an instruction in its first word: it writes the next cell of the stack.
const AP_ADD_1: u64 = 1 << 59;

/// Steps of one function, from `first` up to `end`, with its own calls among them.
#[derive(Clone, Copy)]
struct Activation {
    first: usize,
    end: usize,
    fp: usize,
}

impl Trace<'_> {
    pub fn has_panicked(&self) -> bool {
        self.panic_data().is_some()
    }

    /// The place where a panic was made, innermost function first; none if the run returned a value.
    pub fn panic_location(&self) -> Option<Vec<usize>> {
        let (step, panicked) = self.panic()?;
        let entry = &self.steps[step];
        // A function that made the felts and returned them is not where the panic was made.
        let frames = self.stack(entry.pc(), entry.fp()).into_iter();
        Some(frames.skip_while(|(_, fp)| *fp > panicked.fp).map(|(pc, _)| pc).collect())
    }

    /// The last step before the panic in the function that made it; none if the run returned a value.
    pub fn panic_step(&self) -> Option<usize> {
        let (step, panicked) = self.panic()?;
        (panicked.first..=step).rev().find(|step| self.steps[*step].fp() == panicked.fp)
    }

    /// The step that made the felts of a panic, and the function that panicked with them.
    fn panic(&self) -> Option<(usize, Activation)> {
        let (start, end) = self.panic_data()?;
        let panicked = self.panicked(&start, &end)?;
        let step = self.panic_source(panicked, &start).or_else(|| self.last_own(panicked))?;
        Some((step, panicked))
    }

    /// The place where the machine stopped.
    pub fn error_location(&self) -> Vec<usize> {
        let (pc, fp) = (self.vm.get_pc(), self.vm.get_fp());
        let last = self.steps.last();
        let frames = match last {
            Some(last) if pc.segment_index != PROGRAM => self.stack(last.pc(), last.fp()),
            _ => self.stack(pc.offset, fp.offset),
        };
        frames.into_iter().map(|(pc, _)| pc).collect()
    }

    fn stack_value(&self, offset: usize) -> Option<MaybeRelocatable> {
        self.vm.get_maybe(&Relocatable { segment_index: STACK, offset })
    }

    fn pointer_at(&self, offset: usize) -> Option<Relocatable> {
        match self.stack_value(offset)? {
            MaybeRelocatable::RelocatableValue(pointer) => Some(pointer),
            MaybeRelocatable::Int(_) => None,
        }
    }

    /// Begin and end of the panic's felts. An entry point returns a flag and then these two.
    fn panic_data(&self) -> Option<(Relocatable, Relocatable)> {
        let ap = self.vm.get_ap().offset;
        match self.stack_value(ap.checked_sub(3)?)? {
            MaybeRelocatable::Int(flag) if flag == Felt::ONE => {}
            _ => return None,
        }
        Some((self.pointer_at(ap - 2)?, self.pointer_at(ap - 1)?))
    }

    /// The innermost function that returned the panic: those that were called later, to drop values,
    /// returned something else.
    fn panicked(&self, start: &Relocatable, end: &Relocatable) -> Option<Activation> {
        let mut innermost =
            Activation { first: 0, end: self.steps.len(), fp: self.steps.first()?.fp() };
        let mut calls = self.calls();
        let mut step = innermost.end;
        while step > innermost.first {
            step -= 1;
            let entry = &self.steps[step];
            if entry.fp() == innermost.fp {
                continue;
            }
            while calls.last().is_some_and(|(_, last)| *last > step) {
                calls.pop();
            }
            let first =
                calls.last().filter(|(_, last)| *last == step).map_or(step, |(first, _)| *first);
            if self.returns_panic(entry.ap(), start, end) {
                innermost = Activation { first, end: step + 1, fp: entry.fp() };
                step = innermost.end;
            } else {
                step = first;
            }
        }
        Some(innermost)
    }

    /// First and last step of every call within the run, ordered by the last.
    fn calls(&self) -> Vec<(usize, usize)> {
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut calls = Vec::new();
        for (step, entry) in self.steps.iter().enumerate() {
            while let Some((_, first)) = open.last().copied().filter(|(fp, _)| *fp > entry.fp()) {
                calls.push((first, step - 1));
                open.pop();
            }
            if open.last().is_none_or(|(fp, _)| *fp < entry.fp()) {
                open.push((entry.fp(), step));
            }
        }
        calls
    }

    /// Whether the values below `ap` are an error with these felts: the number of the variant, which is 1,
    /// zeros up to the size of the other variant, and the felts' begin and end.
    fn returns_panic(&self, ap: usize, start: &Relocatable, end: &Relocatable) -> bool {
        let at = |below: usize| ap.checked_sub(below).and_then(|offset| self.stack_value(offset));
        let is = |value: Option<MaybeRelocatable>, pointer: &Relocatable| matches!(value, Some(MaybeRelocatable::RelocatableValue(found)) if found == *pointer);
        if !is(at(2), start) || !is(at(1), end) {
            return false;
        }
        (3..=ap)
            .map(at)
            .find(|value| *value != Some(MaybeRelocatable::Int(Felt::ZERO)))
            .is_some_and(|value| value == Some(MaybeRelocatable::Int(Felt::ONE)))
    }

    fn instruction(&self, pc: usize) -> u64 {
        match self.vm.get_maybe(&Relocatable { segment_index: PROGRAM, offset: pc }) {
            Some(MaybeRelocatable::Int(word)) => word.to_le_digits()[0],
            _ => 0,
        }
    }

    /// The step that made the panic's felts: one of this function that allocated them, or the system call
    /// that answered with them. None if they were made before the function was called.
    fn panic_source(&self, within: Activation, data: &Relocatable) -> Option<usize> {
        let points = |entry: &Step| {
            self.pointer_at(entry.ap())
                .is_some_and(|pointer| pointer.segment_index == data.segment_index)
        };
        let allocation =
            self.steps.iter().position(|entry| self.hints.allocates(entry.pc()) && points(entry));
        if let Some(step) = allocation {
            return Some(step).filter(|step| (within.first..within.end).contains(step));
        }
        let received = self
            .steps
            .iter()
            .position(|entry| self.instruction(entry.pc()) & AP_ADD_1 != 0 && points(entry))?;
        self.steps[..received].iter().rposition(|entry| self.hints.calls_system(entry.pc()))
    }

    /// The last step of a function in its own code, before it returned.
    fn last_own(&self, of: Activation) -> Option<usize> {
        (of.first..of.end).rev().skip(1).find(|step| self.steps[*step].fp() == of.fp)
    }

    /// Offsets of the current instruction and of the calls around it, each with its function's frame
    /// pointer. Below a frame pointer are the return address and the caller's frame pointer.
    fn stack(&self, mut pc: usize, mut fp: usize) -> Vec<(usize, usize)> {
        /// A recursion that is deeper than this is cut.
        const DEEPEST: usize = 100;
        let below = |fp: usize, by: usize| fp.checked_sub(by).and_then(|at| self.pointer_at(at));
        let mut frames = Vec::new();
        while frames.len() < DEEPEST {
            frames.push((pc, fp));
            let (Some(back), Some(caller)) = (below(fp, 1), below(fp, 2)) else { break };
            if back.segment_index != PROGRAM || caller.segment_index != STACK || caller.offset >= fp
            {
                break;
            }
            // The call is before the address that it returns to.
            pc = back.offset.saturating_sub(1);
            fp = caller.offset;
        }
        frames
    }
}

/// Offsets into the bytecode and how often each ran, in order.
pub fn visits(steps: &[Step]) -> Vec<(usize, u64)> {
    let mut counts = BTreeMap::new();
    for step in steps {
        *counts.entry(step.pc()).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}
