//! Knows the threads that execute: the one that was busy last is woken first.
//!
//! A thread that has just executed has its memory at hand and in the processor's caches. Handing
//! work to the longest-idle thread, as general pools do, made a transfer an eighth slower.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// Work, and what tells of its result.
type Job = Box<dyn FnOnce() -> Settle + Send>;
type Settle = Box<dyn FnOnce()>;

/// Most threads wait for the origin of a fork rather than compute, so there may be many.
const MOST: usize = 512;
const IDLE: Duration = Duration::from_secs(10);
/// Room for the deepest call chain that the protocol allows, in every build.
const STACK: usize = 64 << 20;

/// Where a resting thread finds its next job.
#[derive(Default)]
struct Desk {
    job: Mutex<Option<Job>>,
    bell: Condvar,
}

struct Pool {
    /// Resting threads, the last to rest on top.
    resting: Vec<Arc<Desk>>,
    /// Jobs for which there was no thread.
    waiting: VecDeque<Job>,
    alive: usize,
}

static POOL: Mutex<Pool> =
    Mutex::new(Pool { resting: Vec::new(), waiting: VecDeque::new(), alive: 0 });

/// Runs `compute` on a worker, then `settle` with its result. The worker is free for the next job
/// before it settles: whoever waits for the result may have one at once, and is to find it.
pub fn run<T: 'static>(
    compute: impl FnOnce() -> T + Send + 'static,
    settle: impl FnOnce(T) + Send + 'static,
) {
    let job: Job = Box::new(move || {
        let result = compute();
        Box::new(move || settle(result))
    });
    let mut pool = POOL.lock();
    if let Some(desk) = pool.resting.pop() {
        drop(pool);
        *desk.job.lock() = Some(job);
        desk.bell.notify_one();
        return;
    }
    pool.waiting.push_back(job);
    if pool.alive < MOST {
        let thread = thread::Builder::new().name("starkbox-engine".into()).stack_size(STACK);
        // Without a new thread the job waits for one of the others.
        if thread.spawn(work).is_ok() {
            pool.alive += 1;
        }
    }
}

/// The JavaScript thread answers everybody and hands out the work, so it goes first.
fn yield_to_javascript() {
    #[cfg(target_os = "linux")]
    // SAFETY: asks the kernel to rank this thread lower; it may refuse, and nothing depends on it.
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, 5);
    }
}

fn work() {
    yield_to_javascript();
    let desk = Arc::new(Desk::default());
    let mut next = take_or_rest(&desk);
    loop {
        let Some(job) = next.or_else(|| wait(&desk)) else { return };
        // Jobs tell of their own panics; one that does not must not cost us the thread.
        let done = catch_unwind(AssertUnwindSafe(job));
        next = take_or_rest(&desk);
        if let Ok(settle) = done {
            let _ = catch_unwind(AssertUnwindSafe(settle));
        }
    }
}

/// A job that waited for a thread; if there is none, this thread is known to rest.
fn take_or_rest(desk: &Arc<Desk>) -> Option<Job> {
    let mut pool = POOL.lock();
    let job = pool.waiting.pop_front();
    if job.is_none() {
        pool.resting.push(desk.clone());
    }
    job
}

/// The next job that is put on the desk, or none when it was too long in coming.
fn wait(desk: &Arc<Desk>) -> Option<Job> {
    loop {
        let mut job = desk.job.lock();
        if job.is_none() {
            desk.bell.wait_for(&mut job, IDLE);
        }
        if let Some(job) = job.take() {
            return Some(job);
        }
        drop(job);
        let mut pool = POOL.lock();
        let still_resting = pool.resting.iter().position(|other| Arc::ptr_eq(other, desk));
        // Not resting any more means that a job is on its way to this desk.
        if let Some(position) = still_resting {
            pool.resting.remove(position);
            pool.alive -= 1;
            return None;
        }
    }
}
