//! Compiler process: Sierra JSON on stdin, the JSON of an output on stdout. It is a process of its own because a
//! compilation that loops or exhausts memory can only be stopped from outside. The first argument is its memory
//! limit in bytes, the second the name of the output: `casm`, `statements` or `variables`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

// Parts of the core by their files: linking the core would make this program fifteen times as large.
#[path = "../../core/src/class/checksum.rs"]
mod checksum;
#[path = "../../core/src/class/sierra.rs"]
mod sierra;

/// Exit code that marks the memory limit, known to the engine.
const OUT_OF_MEMORY: i32 = 86;

/// Counts allocated bytes and ends the process at the limit, on every platform.
struct Bounded;

static HELD: AtomicUsize = AtomicUsize::new(0);
static BOUND: AtomicUsize = AtomicUsize::new(usize::MAX);

// SAFETY: every call is handed to the system allocator unchanged; only a counter is kept beside.
unsafe impl GlobalAlloc for Bounded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size()
            > BOUND.load(Ordering::Relaxed)
        {
            // SAFETY: ends the process at once; nothing runs after it, so no lock can be waited for.
            unsafe { libc::_exit(OUT_OF_MEMORY) }
        }
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Bounded = Bounded;

/// Deeply nested types make the compiler recurse, so it runs on a thread with a large stack.
const STACK: usize = 256 << 20;

fn main() -> ExitCode {
    let bound = std::env::args().nth(1).and_then(|text| text.parse().ok());
    BOUND.store(bound.unwrap_or(usize::MAX), Ordering::Relaxed);
    let compiled = std::thread::Builder::new().stack_size(STACK).spawn(compile);
    match compiled.map(|thread| thread.join()) {
        Ok(Ok(Ok(()))) => ExitCode::SUCCESS,
        Ok(Ok(Err(reason))) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
        // The panic hook has printed the message.
        Ok(Err(_)) | Err(_) => ExitCode::FAILURE,
    }
}

/// Reads a line with the program's length, then the program. The pipe stays open.
fn read_program() -> io::Result<String> {
    let mut input = io::stdin().lock();
    let mut length = String::new();
    input.read_line(&mut length)?;
    let length = length.trim().parse().map_err(io::Error::other)?;
    let mut text = String::new();
    input.take(length).read_to_string(&mut text)?;
    Ok(text)
}

/// Ends the process when the pipe closes: the process that started this one has ended.
fn end_with_reader() {
    let _ = io::stdin().lock().read(&mut [0]);
    // SAFETY: ends the process at once; nothing runs after it.
    unsafe { libc::_exit(1) }
}

fn compile() -> Result<(), String> {
    let text = read_program().map_err(|error| error.to_string())?;
    std::thread::spawn(end_with_reader);
    let output = std::env::args().nth(2).unwrap_or_else(|| "casm".to_owned());
    let compiled = sierra::compile(&text, &output)?;
    let mut out = io::stdout().lock();
    out.write_all(compiled.as_bytes()).and_then(|()| out.flush()).map_err(|error| error.to_string())
}
