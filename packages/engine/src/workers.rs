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

type Job = Box<dyn FnOnce() + Send>;

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

pub fn run(job: impl FnOnce() + Send + 'static) {
    let job: Job = Box::new(job);
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

fn work() {
    let desk = Arc::new(Desk::default());
    while let Some(job) = next(&desk) {
        // Jobs tell of their own panics; one that does not must not cost us the thread.
        let _ = catch_unwind(AssertUnwindSafe(job));
    }
}

/// The next job, or none when it was too long in coming.
fn next(desk: &Arc<Desk>) -> Option<Job> {
    {
        let mut pool = POOL.lock();
        if let Some(job) = pool.waiting.pop_front() {
            return Some(job);
        }
        pool.resting.push(desk.clone());
    }
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
