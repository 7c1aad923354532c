//! Offsets of bytecode that calls reach, for searches that are guided by them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use blockifier::execution::call_info::CallInfo;
use blockifier::execution::entry_point::ExecutableCallEntryPoint;
use blockifier::execution::observer::Observer;
use blockifier::execution::syscalls::vm_syscall_utils::SyscallUsageMap;
use cairo_vm::vm::runners::cairo_runner::{CairoRunner, ExecutionResources};
use parking_lot::Mutex;
use starknet_types_core::felt::Felt;

use super::retrace::observing;
use crate::error::Result;
use crate::felt::{hex, parse};
use crate::json::{parse_json, to_json};

/// Offsets by the hash of their class.
pub type Offsets = BTreeMap<Felt, Vec<u32>>;

const PROGRAM: isize = 0;
const BITS: usize = u64::BITS as usize;
/// More than the bytecode of a class may have.
const MOST_OFFSETS: usize = 1 << 20;

/// Reached offsets, one bit each.
#[derive(Default)]
pub struct Coverage {
    reached: HashMap<Felt, Vec<u64>>,
    /// Reached by the current run, and not before.
    added: Offsets,
    /// Class hashes of the calls that have not returned.
    open: Vec<Felt>,
}

impl Coverage {
    /// Adds offsets that other runs reached.
    pub fn add(&mut self, offsets: &Offsets) {
        for (class_hash, offsets) in offsets {
            let bits = self.reached.entry(*class_hash).or_default();
            for offset in offsets {
                set(bits, *offset as usize);
            }
        }
    }

    /// Ends the current run and gives the offsets that it added. They are not kept.
    pub fn take(&mut self) -> Offsets {
        self.open.clear();
        let added = std::mem::take(&mut self.added);
        for (class_hash, offsets) in &added {
            let Some(bits) = self.reached.get_mut(class_hash) else { continue };
            for offset in offsets {
                let (word, bit) = (*offset as usize / BITS, *offset as usize % BITS);
                bits[word] &= !(1 << bit);
            }
        }
        added
    }

    /// As `take`, as JSON.
    pub fn take_json(&mut self) -> Result<String> {
        let offsets = self.take();
        to_json(&offsets.iter().map(|(hash, list)| (hex(*hash), list)).collect::<BTreeMap<_, _>>())
    }

    /// As `add`, from the JSON of `take_json`.
    pub fn add_json(&mut self, text: &str) -> Result<()> {
        let entries: BTreeMap<String, Vec<u32>> = parse_json("offsets", text)?;
        let mut offsets = Offsets::new();
        for (hash, list) in entries {
            offsets.insert(parse("class hash", &hash)?, list);
        }
        self.add(&offsets);
        Ok(())
    }

    /// Number of reached offsets.
    pub fn size(&self) -> u64 {
        self.reached.values().flatten().map(|word| u64::from(word.count_ones())).sum()
    }

    fn ran(&mut self, runner: &CairoRunner) {
        let Some(class_hash) = self.open.last() else { return };
        let bits = self.reached.entry(*class_hash).or_default();
        let mut added = Vec::new();
        for entry in runner.get_relocatable_trace().unwrap_or_default() {
            if entry.pc.segment_index == PROGRAM && set(bits, entry.pc.offset) {
                added.push(entry.pc.offset as u32);
            }
        }
        if !added.is_empty() {
            self.added.entry(*class_hash).or_default().append(&mut added);
        }
    }
}

/// Whether the bit was not set.
fn set(bits: &mut Vec<u64>, offset: usize) -> bool {
    if offset >= MOST_OFFSETS {
        return false;
    }
    let (word, bit) = (offset / BITS, offset % BITS);
    if word >= bits.len() {
        bits.resize(word + 1, 0);
    }
    let is_new = bits[word] & (1 << bit) == 0;
    bits[word] |= 1 << bit;
    is_new
}

struct Shared(Arc<Mutex<Coverage>>);

impl Observer for Shared {
    fn called(&mut self, call: &ExecutableCallEntryPoint) {
        self.0.lock().open.push(call.class_hash.0);
    }

    fn entered(&mut self) {}

    fn ran(&mut self, runner: &mut CairoRunner, _syscalls: &SyscallUsageMap, _completed: bool) {
        self.0.lock().ran(runner);
    }

    fn measured(&mut self, _used: &ExecutionResources) {}

    fn returned(&mut self, _info: Option<&CallInfo>) {
        self.0.lock().open.pop();
    }

    fn deployed(&mut self, _info: &CallInfo) {}
}

/// Runs `work` and adds what its calls reach.
pub fn covering<T>(coverage: &Arc<Mutex<Coverage>>, work: impl FnOnce() -> T) -> T {
    observing(Box::new(Shared(coverage.clone())), work)
}
