//! Where a traced run failed.

use std::collections::BTreeMap;

use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::trace::trace_entry::RelocatedTraceEntry;
use cairo_vm::vm::vm_core::VirtualMachine;
use starknet_types_core::felt::Felt;

/// Steps that a run took, with registers as offsets into the program and the stack.
pub struct Trace<'a> {
    pub steps: &'a [RelocatedTraceEntry],
    pub vm: &'a VirtualMachine,
}

const PROGRAM: isize = 0;
const STACK: isize = 1;

/// Flags of an instruction: bits of its first word.
const AP_ADD: u64 = 1 << 58;
const AP_ADD_1: u64 = 1 << 59;
const CALL: u64 = 1 << 60;

/// Steps of one function, from `first` up to `end`, with its own calls among them.
#[derive(Clone, Copy)]
struct Activation {
    first: usize,
    end: usize,
    fp: usize,
}

impl Trace<'_> {
    /// The place where a panic was made, innermost function first; none if the run returned a value.
    pub fn panic_place(&self) -> Option<Vec<usize>> {
        let (start, end) = self.panic_data()?;
        let panicked = self.panicked(&start, &end)?;
        let step = self.creation(panicked, &start).or_else(|| self.last_own(panicked))?;
        Some(self.stack_at(step))
    }

    /// The place where the machine stopped.
    pub fn error_place(&self) -> Vec<usize> {
        let (pc, fp) = (self.vm.get_pc(), self.vm.get_fp());
        if pc.segment_index != PROGRAM {
            return self
                .steps
                .len()
                .checked_sub(1)
                .map(|step| self.stack_at(step))
                .unwrap_or_default();
        }
        self.stack(pc.offset, fp.offset)
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
        let mut own = Activation { first: 0, end: self.steps.len(), fp: self.steps.first()?.fp };
        let mut step = own.end;
        while step > own.first {
            step -= 1;
            let entry = &self.steps[step];
            if entry.fp == own.fp {
                continue;
            }
            let first = self.first_of(step, own.first);
            let returns = |below: usize| {
                entry.ap.checked_sub(below).and_then(|offset| self.pointer_at(offset))
            };
            if returns(2).as_ref() == Some(start) && returns(1).as_ref() == Some(end) {
                own = Activation { first, end: step + 1, fp: entry.fp };
                step = own.end;
            } else {
                step = first;
            }
        }
        Some(own)
    }

    /// The first step of the function whose last step is given.
    fn first_of(&self, last: usize, lowest: usize) -> usize {
        let fp = self.steps[last].fp;
        let mut first = last;
        while first > lowest && self.steps[first - 1].fp >= fp {
            first -= 1;
        }
        first
    }

    fn instruction(&self, pc: usize) -> u64 {
        match self.vm.get_maybe(&Relocatable { segment_index: PROGRAM, offset: pc }) {
            Some(MaybeRelocatable::Int(word)) => word.to_le_digits()[0],
            _ => 0,
        }
    }

    /// The first step that put a pointer to the panic's felts on the stack.
    fn creation(&self, within: Activation, data: &Relocatable) -> Option<usize> {
        let mut reserved = None;
        for step in within.first..within.end {
            let entry = &self.steps[step];
            let instruction = self.instruction(entry.pc);
            let grows = instruction & (AP_ADD | AP_ADD_1) != 0 && instruction & CALL == 0;
            let points = || {
                self.pointer_at(entry.ap)
                    .is_some_and(|pointer| pointer.segment_index == data.segment_index)
            };
            if !grows || !points() {
                continue;
            }
            // A function may begin by reserving cells that are written later.
            let begins = step == 0 || self.steps[step - 1].fp < entry.fp;
            if instruction & AP_ADD == 0 || !begins {
                return Some(step);
            }
            reserved = reserved.or(Some(step));
        }
        reserved
    }

    /// The last step of a function in its own code, before it returned.
    fn last_own(&self, of: Activation) -> Option<usize> {
        (of.first..of.end).rev().skip(1).find(|step| self.steps[*step].fp == of.fp)
    }

    fn stack_at(&self, step: usize) -> Vec<usize> {
        let entry = &self.steps[step];
        self.stack(entry.pc, entry.fp)
    }

    /// Offsets of the current instruction and of the calls around it. Below a frame pointer are the
    /// return address and the caller's frame pointer.
    fn stack(&self, pc: usize, mut fp: usize) -> Vec<usize> {
        /// A recursion that is deeper than this is cut.
        const DEEPEST: usize = 200;
        let mut places = vec![pc];
        while places.len() < DEEPEST {
            let Some(back) = fp.checked_sub(1).and_then(|offset| self.pointer_at(offset)) else {
                break;
            };
            let Some(caller) = fp.checked_sub(2).and_then(|offset| self.pointer_at(offset)) else {
                break;
            };
            if back.segment_index != PROGRAM || caller.segment_index != STACK || caller.offset >= fp
            {
                break;
            }
            // The call is before the address that it returns to.
            places.push(back.offset.saturating_sub(1));
            fp = caller.offset;
        }
        places
    }
}

/// Offsets into the bytecode and how often each ran, in order.
pub fn visits(steps: &[RelocatedTraceEntry]) -> Vec<(usize, u64)> {
    let mut counts = BTreeMap::new();
    for step in steps {
        *counts.entry(step.pc).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}
