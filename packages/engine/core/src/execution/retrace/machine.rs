//! What the machine did in one call: its registers at each step, and what the call used besides steps.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use blockifier::blockifier_versioned_constants::VersionedConstants;
use blockifier::execution::call_info::CallInfo;
use blockifier::execution::contract_class::TrackedResource;
use blockifier::execution::syscalls::vm_syscall_utils::SyscallUsageMap;
use cairo_vm::vm::runners::cairo_runner::ExecutionResources;
use serde::Serialize;

use super::location::Step;

/// Words behind the bytecode: a return instruction and a pointer to the costs of builtins.
const EXTRA_WORDS: usize = 2;

/// The code that a call runs.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// A class without a constructor was deployed.
    None,
    Cairo0,
    Cairo1,
}

#[derive(Serialize)]
pub struct Machine {
    pub code: Code,
    pub calldata_length: usize,
    pub memory_holes: usize,
    /// With that of inner calls; none if the call is paid by steps, or ended by an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gas_consumed: Option<u64>,
    /// Lengths that system calls were also paid by.
    pub syscall_lengths: BTreeMap<String, usize>,
    /// Counts of keys and data of each event.
    pub events: Vec<(usize, usize)>,
    /// Payload length of each message to L1.
    pub messages: Vec<usize>,
    /// Address of the instruction, allocation pointer and frame pointer at each step, as unsigned integers
    /// of 32 bits, little-endian, in base64. The program begins at 1, the stack behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registers: Option<String>,
}

impl Machine {
    pub fn new(code: Code, calldata_length: usize) -> Self {
        Machine {
            code,
            calldata_length,
            memory_holes: 0,
            gas_consumed: None,
            syscall_lengths: BTreeMap::new(),
            events: Vec::new(),
            messages: Vec::new(),
            registers: None,
        }
    }

    pub fn returned(&mut self, info: &CallInfo) {
        let execution = &info.execution;
        self.gas_consumed = match info.tracked_resource {
            TrackedResource::SierraGas => Some(execution.gas_consumed),
            TrackedResource::CairoSteps => None,
        };
        let lengths = execution.events.iter().map(|ordered| &ordered.event);
        self.events = lengths.map(|event| (event.keys.len(), event.data.0.len())).collect();
        let messages = execution.l2_to_l1_messages.iter();
        self.messages = messages.map(|ordered| ordered.message.payload.0.len()).collect();
    }

    pub fn called_system(&mut self, syscalls: &SyscallUsageMap) {
        let with_length = syscalls.iter().filter(|(_, usage)| usage.linear_factor > 0);
        self.syscall_lengths = with_length
            .map(|(selector, usage)| (format!("{selector:?}"), usage.linear_factor))
            .collect();
    }
}

/// Registers of a run whose program has `program` words, as [`Machine::registers`] has them.
pub fn registers(steps: &[Step], program: usize) -> String {
    let stack = 1 + program + EXTRA_WORDS;
    let mut bytes = Vec::with_capacity(steps.len() * 12);
    for step in steps {
        for register in [1 + step.pc as usize, stack + step.ap as usize, stack + step.fp as usize] {
            bytes.extend_from_slice(&u32::try_from(register).unwrap_or(u32::MAX).to_le_bytes());
        }
    }
    BASE64.encode(bytes)
}

/// What a call of Cairo 0 code used itself, without its system calls.
pub fn own_resources(info: &CallInfo, constants: &VersionedConstants) -> ExecutionResources {
    let mut others = constants.get_additional_os_syscall_resources(&info.syscalls_usage);
    for inner in &info.inner_calls {
        others += &inner.resources.vm_resources;
    }
    let mut resources = info.resources.vm_resources.clone();
    resources.n_steps = resources.n_steps.saturating_sub(others.n_steps);
    resources.n_memory_holes = resources.n_memory_holes.saturating_sub(others.n_memory_holes);
    for (name, count) in &mut resources.builtin_instance_counter {
        *count = count
            .saturating_sub(others.builtin_instance_counter.get(name).copied().unwrap_or_default());
    }
    resources
}
