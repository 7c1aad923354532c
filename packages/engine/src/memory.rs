//! Figures of the two allocators of the process, and the return of free memory to the system.
//!
//! The engine allocates by mimalloc; Node's buffers and strings come from the C library.

/// In bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllocatorFigures {
    /// Memory that mimalloc has committed, in use or free.
    pub engine_committed: u64,
    /// Memory that the C library has given out, mapped blocks included. 0 if it has no such figure.
    pub system_used: u64,
    /// Memory that the C library keeps for later use.
    pub system_free: u64,
}

pub fn figures() -> AllocatorFigures {
    let (system_used, system_free) = system_allocator::figures();
    AllocatorFigures { engine_committed: engine_committed(), system_used, system_free }
}

/// Returns free pages of the C library to the system. Takes the time of a walk over its heaps, during
/// which other threads wait for their allocations.
pub fn trim() {
    system_allocator::trim();
}

#[cfg(target_family = "wasm")]
fn engine_committed() -> u64 {
    const PAGE: u64 = 64 << 10;
    core::arch::wasm32::memory_size(0) as u64 * PAGE
}

#[cfg(not(target_family = "wasm"))]
fn engine_committed() -> u64 {
    let mut committed = 0;
    let mut ignored = [0_usize; 7];
    let [elapsed, user, system, rss, peak_rss, peak, faults] = &mut ignored;
    // SAFETY: writes one number to each of the eight places, which live until it returns.
    unsafe {
        libmimalloc_sys::mi_process_info(
            elapsed,
            user,
            system,
            rss,
            peak_rss,
            &mut committed,
            peak,
            faults,
        );
    }
    committed as u64
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod system_allocator {
    pub fn figures() -> (u64, u64) {
        type Figures = unsafe extern "C" fn() -> libc::mallinfo2;
        // SAFETY: looks a name up. The addon also runs on C libraries from before `mallinfo2`, so that
        // it cannot be linked.
        let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"mallinfo2".as_ptr()) };
        if address.is_null() {
            return (0, 0);
        }
        // SAFETY: the C library declares the function with this type.
        let mallinfo2: Figures = unsafe { std::mem::transmute(address) };
        // SAFETY: it only reads the allocator's own figures, under its locks.
        let info = unsafe { mallinfo2() };
        ((info.uordblks + info.hblkhd) as u64, info.fordblks as u64)
    }

    pub fn trim() {
        // SAFETY: the allocator takes its own locks.
        unsafe { libc::malloc_trim(0) };
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod system_allocator {
    pub fn figures() -> (u64, u64) {
        (0, 0)
    }

    pub fn trim() {}
}
