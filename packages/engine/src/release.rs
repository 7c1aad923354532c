//! Freeing of large values on a thread of their own: garbage collection runs on the JavaScript thread,
//! which serves all clients.

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Instant;

use parking_lot::Mutex;

use starkbox_engine_core::fault;

/// An owner of a shared value. The last one hands it to the thread that frees.
pub struct Held<T: Send + Sync + 'static>(ManuallyDrop<Arc<T>>);

impl<T: Send + Sync> Held<T> {
    pub fn new(shared: Arc<T>) -> Self {
        Held(ManuallyDrop::new(shared))
    }
}

impl<T: Send + Sync> Deref for Held<T> {
    type Target = Arc<T>;

    fn deref(&self) -> &Arc<T> {
        &self.0
    }
}

impl<T: Send + Sync> Drop for Held<T> {
    fn drop(&mut self) {
        // SAFETY: taken once, because `drop` runs once.
        let shared = unsafe { ManuallyDrop::take(&mut self.0) };
        // A count of owners would not do: another one may end between the count and the drop.
        if let Some(last) = Arc::into_inner(shared) {
            free_later(Box::new(last));
        }
    }
}

type Freed = Box<dyn Send>;

static QUEUE: Mutex<Option<mpsc::Sender<Freed>>> = Mutex::new(None);
static COUNT: AtomicU64 = AtomicU64::new(0);
static LONGEST: AtomicU64 = AtomicU64::new(0);

/// How many values have been freed, and the nanoseconds that one took at most.
pub fn freed() -> (u64, u64) {
    (COUNT.load(Ordering::Acquire), LONGEST.load(Ordering::Acquire))
}

fn free_later(value: Freed) {
    let mut queue = QUEUE.lock();
    if queue.is_none() && !cfg!(target_family = "wasm") && !fault::fails("spawn") {
        let (sender, receiver) = mpsc::channel::<Freed>();
        let thread = thread::Builder::new().name("starkbox-release".into());
        let started = thread.spawn(move || receiver.into_iter().for_each(free));
        *queue = started.ok().map(|_| sender);
    }
    let unsent = match &*queue {
        Some(sender) => sender.send(value).err().map(|mpsc::SendError(value)| value),
        None => Some(value),
    };
    drop(queue);
    // Without a thread, the caller waits.
    unsent.into_iter().for_each(free);
}

/// A panic must end neither the thread nor, in a finalizer of JavaScript, the process.
fn free(value: Freed) {
    let begun = Instant::now();
    let _ = catch_unwind(AssertUnwindSafe(|| {
        fault::point("release");
        drop(value);
    }));
    LONGEST.fetch_max(begun.elapsed().as_nanos() as u64, Ordering::AcqRel);
    COUNT.fetch_add(1, Ordering::AcqRel);
}
