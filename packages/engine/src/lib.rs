//! The sequencer's engine for JavaScript. `door` is what JavaScript sees; the rest knows nothing of it.

mod account;
mod bench;
mod block;
mod cell;
mod class;
mod compiler;
mod diff;
mod door;
mod error;
mod execute;
mod fault;
mod felt;
mod hash;
mod history;
mod image;
mod limits;
mod origin;
mod report;
mod state;
mod transaction;
mod workers;

/// Each execution allocates and frees megabytes. The system's allocator, when its luck is bad, gives
/// them back each time and gets them anew: a thousand page faults a transfer.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[napi_derive::module_init]
fn start() {
    take_memory_only_when_needed();
    error::keep_panics_off_the_terminal();
}

/// As it comes, the allocator takes its regions whole and keeps a hundred megabytes too many.
fn take_memory_only_when_needed() {
    /// `mi_option_arena_eager_commit`, which the binding has no name for.
    const ARENA_EAGER_COMMIT: i32 = 4;
    // SAFETY: sets a number, while the addon is being loaded and nothing else of it runs.
    unsafe { libmimalloc_sys::mi_option_set(ARENA_EAGER_COMMIT, 0) };
}
