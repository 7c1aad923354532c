//! The sequencer's execution engine as a Node addon: the functions that JavaScript calls, worker threads, the compiler
//! process, files and memory. Execution itself is in `starkbox-engine-core`.
//!
//! On WebAssembly there are neither threads nor processes: calls compute before they return, and `suspension` asks
//! JavaScript for answers of a source and for compiled code.

mod bindings;
#[cfg(feature = "compare-executors")]
mod comparisons;
mod compiler;
mod memory;
mod release;
#[cfg(target_family = "wasm")]
mod suspension;
#[cfg(not(target_family = "wasm"))]
mod worker_pool;

use starkbox_engine_core::error;

/// Each execution allocates and frees megabytes. The system's allocator may return them to the
/// kernel and fetch them again each time: a thousand page faults a transfer.
#[cfg(not(target_family = "wasm"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[napi_derive::module_init]
fn start() {
    #[cfg(not(target_family = "wasm"))]
    commit_memory_on_demand();
    #[cfg(not(target_family = "wasm"))]
    error::record_panic_location();
    #[cfg(target_family = "wasm")]
    error::report_panics(|text| eprint!("{text}"));
    #[cfg(feature = "compare-executors")]
    comparisons::record();
}

/// By default the allocator commits whole regions and holds a hundred megabytes too many.
#[cfg(not(target_family = "wasm"))]
fn commit_memory_on_demand() {
    /// `mi_option_arena_eager_commit`, which the binding has no name for.
    const ARENA_EAGER_COMMIT: i32 = 4;
    // SAFETY: sets a number, while the addon is being loaded and nothing else of it runs.
    unsafe { libmimalloc_sys::mi_option_set(ARENA_EAGER_COMMIT, 0) };
}
