//! A recorded execution: its runs and system calls, within limits of steps and bytes.

use std::collections::HashMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Serialize;
use starknet_types_core::felt::Felt;

use super::memory::Segment;
use crate::error::{Result, input};
use crate::execution::retrace::Step;
use crate::felt::Hex;
use crate::json::to_json;

/// Cells of one answer.
const MOST_CELLS: usize = 1 << 20;

/// What a trace may keep.
#[derive(Clone, Copy)]
pub struct Limits {
    pub steps: usize,
    pub bytes: usize,
}

/// The code that a call runs.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Code {
    /// A class without a constructor was deployed.
    None,
    Cairo0,
    Cairo1,
}

/// One call of a contract.
#[derive(Serialize)]
pub(super) struct Run {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_action: Option<usize>,
    pub contract_address: Hex,
    pub class_hash: Hex,
    pub caller_address: Hex,
    pub entry_point_selector: Hex,
    pub entry_point_type: &'static str,
    pub call_type: &'static str,
    pub code: Code,
    pub calldata: Vec<Hex>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Vec<Hex>>,
    pub failed: bool,
    pub initial_gas: u64,
    pub step_count: usize,
    pub first_step: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_step: Option<usize>,
    /// Lengths of the segments, with that of the program.
    #[serde(rename = "segments")]
    pub lengths: Vec<usize>,
    /// Those from `first_step` on.
    #[serde(skip)]
    pub steps: Vec<Step>,
    /// The program is shared by all runs of a class; its own entry here is empty.
    #[serde(skip)]
    pub segments: Vec<Segment>,
    #[serde(skip)]
    pub program: Option<Arc<Segment>>,
    /// Number of runs that ended before it.
    #[serde(skip)]
    pub ended: usize,
    /// Number of system calls that it has begun.
    #[serde(skip)]
    pub action_count: usize,
}

impl Run {
    fn memory_bytes(&self) -> usize {
        self.segments.iter().map(Segment::bytes).sum()
    }

    fn drop_memory(&mut self) {
        self.segments = Vec::new();
        self.lengths = Vec::new();
        self.program = None;
    }

    fn drop_steps_before(&mut self, first: usize) {
        if first > self.first_step {
            self.steps.drain(..first - self.first_step);
            self.steps.shrink_to_fit();
            self.first_step = first;
        }
    }
}

/// A system call.
#[derive(Serialize)]
pub(super) struct Action {
    pub run: usize,
    pub step: usize,
    pub name: String,
    pub failed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gas: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contract_address: Option<Hex>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<Hex>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Hex>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<Hex>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<Vec<Hex>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Vec<Hex>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_address: Option<Hex>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub called_run: Option<usize>,
}

#[derive(Serialize)]
pub(super) struct PrintedText {
    pub run: usize,
    pub step: usize,
    pub text: String,
}

#[derive(Default)]
pub struct Trace {
    pub(super) runs: Vec<Run>,
    pub(super) actions: Vec<Action>,
    pub(super) printed: Vec<PrintedText>,
    dropped_steps: usize,
    dropped_memory: usize,
}

#[derive(Serialize)]
struct Report<'a> {
    runs: &'a [Run],
    actions: &'a [Action],
    dropped_steps: usize,
    dropped_memory: usize,
    bytes: usize,
    printed: &'a [PrintedText],
}

/// Steps of one run that were not interrupted by another one.
#[derive(Debug, PartialEq, Eq)]
struct Span {
    run: usize,
    first: usize,
    end: usize,
}

impl Trace {
    /// All but steps and memory, as JSON.
    pub fn report(&self) -> Result<String> {
        to_json(&Report {
            runs: &self.runs,
            actions: &self.actions,
            dropped_steps: self.dropped_steps,
            dropped_memory: self.dropped_memory,
            bytes: self.bytes(),
            printed: &self.printed,
        })
    }

    /// Three unsigned integers of 32 bits for each step, little-endian, in base64.
    pub fn steps(&self, run: usize, first: usize, count: usize) -> Result<String> {
        let run = self.run(run)?;
        let range = first.checked_sub(run.first_step).and_then(|begin| {
            let end = begin.checked_add(count)?;
            run.steps.get(begin..end)
        });
        let Some(steps) = range else {
            return Err(input(format!(
                "steps: {first} and {count} more are not within {} to {}",
                run.first_step, run.step_count
            )));
        };
        let mut bytes = Vec::with_capacity(size_of_val(steps));
        for step in steps {
            for register in [step.pc, step.ap, step.fp] {
                bytes.extend_from_slice(&register.to_le_bytes());
            }
        }
        Ok(BASE64.encode(bytes))
    }

    /// The values of cells; none for those that were not written or kept.
    pub fn memory(
        &self,
        run: usize,
        segment: usize,
        first: usize,
        count: usize,
    ) -> Result<Vec<Option<String>>> {
        let run = self.run(run)?;
        let cells = match segment {
            0 => run.program.as_deref(),
            _ => run.segments.get(segment),
        };
        if count > MOST_CELLS {
            return Err(input(format!("memory: {count} cells are more than {MOST_CELLS}")));
        }
        let cell = |offset| cells?.cell(offset).map(|cell| cell.to_string());
        Ok((first..first.saturating_add(count)).map(cell).collect())
    }

    fn run(&self, index: usize) -> Result<&Run> {
        self.runs
            .get(index)
            .ok_or_else(|| input(format!("run: {index} is not below {}", self.runs.len())))
    }

    pub fn bytes(&self) -> usize {
        let runs = self.runs.iter();
        let programs: usize = self.programs().map(|program| program.bytes()).sum();
        let of_runs: usize = runs
            .map(|run| {
                run.memory_bytes() + run.steps.capacity() * size_of::<Step>() + size_of::<Run>()
            })
            .sum();
        of_runs + programs + self.actions.capacity() * size_of::<Action>()
    }

    /// Each program once.
    fn programs(&self) -> impl Iterator<Item = &Arc<Segment>> {
        let mut programs: Vec<_> =
            self.runs.iter().filter_map(|run| run.program.as_ref()).collect();
        programs.sort_unstable_by_key(|program| Arc::as_ptr(program));
        programs.dedup_by_key(|program| Arc::as_ptr(program));
        programs.into_iter()
    }

    /// Drops the first steps, and the memory of the runs that ended first, until the limits hold.
    pub(super) fn limit(&mut self, limits: Limits) {
        let steps: usize = self.runs.iter().map(|run| run.step_count).sum();
        self.drop_first_steps(steps.saturating_sub(limits.steps));
        let mut order: Vec<usize> = (0..self.runs.len()).collect();
        order.sort_unstable_by_key(|index| self.runs[*index].ended);
        let mut users: HashMap<*const Segment, usize> = HashMap::new();
        for program in self.runs.iter().filter_map(|run| run.program.as_ref()) {
            *users.entry(Arc::as_ptr(program)).or_default() += 1;
        }
        let mut bytes = self.bytes();
        for index in order {
            if bytes <= limits.bytes {
                break;
            }
            let run = &mut self.runs[index];
            if run.segments.is_empty() {
                continue;
            }
            bytes -= run.memory_bytes();
            if let Some(program) = &run.program {
                let remaining = users.entry(Arc::as_ptr(program)).or_insert(1);
                *remaining -= 1;
                if *remaining == 0 {
                    bytes -= program.bytes();
                }
            }
            run.drop_memory();
            self.dropped_memory += 1;
        }
    }

    fn drop_first_steps(&mut self, count: usize) {
        let mut remaining = count;
        for Span { run, first, end } in self.spans() {
            if remaining == 0 {
                break;
            }
            let dropped = remaining.min(end - first);
            self.runs[run].drop_steps_before(first + dropped);
            remaining -= dropped;
        }
        // Steps of a run that was cut while it was recorded count too.
        self.dropped_steps = self.runs.iter().map(|run| run.first_step).sum();
    }

    /// Steps in the order of time: a nested run comes after the step that called it.
    fn spans(&self) -> Vec<Span> {
        let mut spans = Vec::new();
        let mut open: Vec<(usize, usize)> = Vec::new();
        let close = |spans: &mut Vec<Span>, (run, first): (usize, usize)| {
            spans.push(Span { run, first, end: self.runs[run].step_count });
        };
        for (index, run) in self.runs.iter().enumerate() {
            while let Some(last) =
                open.last().copied().filter(|(open, _)| Some(*open) != run.parent)
            {
                close(&mut spans, last);
                open.pop();
            }
            if let (Some((parent, first)), Some(action)) = (open.last_mut(), run.parent_action) {
                let end = (self.actions[action].step + 1)
                    .clamp(*first, self.runs[*parent].step_count.max(*first));
                spans.push(Span { run: *parent, first: *first, end });
                *first = end;
            }
            open.push((index, 0));
        }
        while let Some(last) = open.pop() {
            close(&mut spans, last);
        }
        spans.retain(|span| span.first < span.end);
        spans
    }
}

pub(super) fn hexes(felts: &[Felt]) -> Vec<Hex> {
    felts.iter().copied().map(Hex).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUNS: usize = 20_000;
    const LIMITS: Limits = Limits { steps: 0, bytes: usize::MAX };

    /// Runs of two programs in turns, each with memory of its own; the last one ends first.
    fn trace() -> Trace {
        let programs = [Arc::new(Segment::of_length(1_000)), Arc::new(Segment::of_length(10))];
        let zero = || Hex(Felt::ZERO);
        let runs = (0..RUNS).map(|index| Run {
            parent: None,
            parent_action: None,
            contract_address: zero(),
            class_hash: zero(),
            caller_address: zero(),
            entry_point_selector: zero(),
            entry_point_type: "EXTERNAL",
            call_type: "CALL",
            code: Code::Cairo1,
            calldata: Vec::new(),
            result: None,
            failed: false,
            initial_gas: 0,
            step_count: 0,
            first_step: 0,
            failure_step: None,
            lengths: vec![1],
            steps: Vec::new(),
            segments: vec![Segment::default(), Segment::of_length(1 + index % 7)],
            program: Some(programs[index % 2].clone()),
            ended: RUNS - index,
            action_count: 0,
        });
        Trace { runs: runs.collect(), ..Trace::default() }
    }

    #[test]
    fn memory_is_dropped_in_the_order_of_ends_until_the_limit_holds() {
        let whole = trace().bytes();
        for limit in [whole, whole - 1, whole / 2, RUNS * size_of::<Run>() + 100, 0] {
            let mut limited = trace();
            limited.limit(Limits { bytes: limit, ..LIMITS });
            let kept = limited.runs.iter().take_while(|run| run.program.is_some()).count();
            assert!(limited.runs[kept..].iter().all(|run| run.segments.is_empty()));
            assert_eq!(limited.dropped_memory, RUNS - kept);
            assert!(limited.bytes() <= limit || kept == 0);
            // One run less was not enough.
            let mut more = trace();
            more.runs[(kept + 1).min(RUNS)..].iter_mut().for_each(Run::drop_memory);
            assert!(kept == RUNS || more.bytes() > limit);
        }
    }
}
