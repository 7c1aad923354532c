//! Pool of threads that execute; the thread that was busy last gets the next job.
//!
//! A thread that has just executed has warm caches. Handing work to the longest-idle thread, as
//! general pools do, made a transfer an eighth slower.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use starkbox_engine_core::error::{Failure, Kind, Result, catch_panic};
use starkbox_engine_core::fault;

/// A computation, which gives the function that settles its promise. With a failure it computes
/// nothing, and the promise is rejected.
type Job = Box<dyn FnOnce(Option<Failure>) -> Settle + Send>;
type Settle = Box<dyn FnOnce()>;

/// Threads may wait for the source below a state rather than compute, so many are allowed.
const MOST: usize = 512;
const IDLE_TIME: Duration = Duration::from_secs(10);
/// Room for the deepest call chain that the protocol allows, in every build.
const STACK: usize = 64 << 20;

/// The mailbox of an idle thread.
#[derive(Default)]
struct Mailbox {
    job: Mutex<Option<Job>>,
    arrived: Condvar,
}

struct Pool {
    /// Idle threads, the last to become idle on top.
    idle: Vec<Arc<Mailbox>>,
    /// Jobs that wait for a thread.
    waiting: VecDeque<Job>,
    alive: usize,
}

static POOL: Mutex<Pool> =
    Mutex::new(Pool { idle: Vec::new(), waiting: VecDeque::new(), alive: 0 });

/// Runs `compute` on a worker, then `settle` with its result; a panic is a failure. The worker is idle
/// again before it settles, because settling may start the next job at once.
pub fn run<T: 'static>(
    compute: impl FnOnce() -> Result<T> + Send + 'static,
    settle: impl FnOnce(Result<T>) + Send + 'static,
) {
    let job: Job = Box::new(move |refusal| {
        let result = match refusal {
            Some(failure) => Err(failure),
            None => catch_panic(compute),
        };
        Box::new(move || settle(result))
    });
    if let Some((job, failure)) = start(job) {
        job(Some(failure))();
    }
}

/// Hands a job to a thread; gives it back if there is none and none can be started.
fn start(job: Job) -> Option<(Job, Failure)> {
    let mut pool = POOL.lock();
    if let Some(mailbox) = pool.idle.pop() {
        drop(pool);
        *mailbox.job.lock() = Some(job);
        mailbox.arrived.notify_one();
        return None;
    }
    if pool.alive < MOST {
        match spawn() {
            Ok(()) => pool.alive += 1,
            Err(error) if pool.alive == 0 => {
                let message = format!("no thread could be started: {error}");
                return Some((job, Failure::new(Kind::Internal, message)));
            }
            // The job waits for one of the others.
            Err(_) => {}
        }
    }
    pool.waiting.push_back(job);
    None
}

fn spawn() -> io::Result<()> {
    if fault::fails("spawn") {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    let thread = thread::Builder::new().name("starkbox-engine".into()).stack_size(STACK);
    thread.spawn(work).map(|_| ())
}

/// Lowers this thread's priority below the JavaScript thread, which serves all clients.
fn lower_priority() {
    #[cfg(all(target_os = "linux", not(miri)))]
    // SAFETY: asks the kernel to rank this thread lower; it may refuse, and nothing depends on it.
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, 5);
    }
}

fn work() {
    lower_priority();
    let mailbox = Arc::new(Mailbox::default());
    let mut next = take_or_go_idle(&mailbox);
    loop {
        let Some(job) = next.or_else(|| wait(&mailbox)) else { return };
        // Computations catch their own panics; whatever else panics must not end the thread.
        let settle_job = catch_unwind(AssertUnwindSafe(|| job(None)));
        next = take_or_go_idle(&mailbox);
        if let Ok(settle) = settle_job {
            let _ = catch_unwind(AssertUnwindSafe(settle));
        }
    }
}

/// The next waiting job; if there is none, this thread is listed as idle.
fn take_or_go_idle(mailbox: &Arc<Mailbox>) -> Option<Job> {
    let mut pool = POOL.lock();
    let job = pool.waiting.pop_front();
    if job.is_none() {
        pool.idle.push(mailbox.clone());
    }
    job
}

/// The next job in the mailbox, or none after a long idle time.
fn wait(mailbox: &Arc<Mailbox>) -> Option<Job> {
    loop {
        let mut job = mailbox.job.lock();
        if job.is_none() {
            mailbox.arrived.wait_for(&mut job, IDLE_TIME);
        }
        if let Some(job) = job.take() {
            return Some(job);
        }
        drop(job);
        let mut pool = POOL.lock();
        let still_idle = pool.idle.iter().position(|other| Arc::ptr_eq(other, mailbox));
        // A thread that is not listed as idle has a job on its way to its mailbox.
        if let Some(position) = still_idle {
            pool.idle.remove(position);
            pool.alive -= 1;
            return None;
        }
    }
}
