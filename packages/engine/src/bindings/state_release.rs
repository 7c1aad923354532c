//! Freeing of states outside of the JavaScript thread.

use std::sync::{Arc, LazyLock, mpsc};

use crate::state::State;

/// Drops a state. Freeing a large one takes long, so the last owner hands it to a thread of its own:
/// otherwise garbage collection would block the JavaScript thread.
pub(super) fn release(state: Arc<State>) {
    static REAPER: LazyLock<mpsc::Sender<Arc<State>>> = LazyLock::new(|| {
        let (sender, receiver) = mpsc::channel::<Arc<State>>();
        std::thread::spawn(move || receiver.into_iter().for_each(drop));
        sender
    });
    if Arc::strong_count(&state) == 1 {
        let _ = REAPER.send(state);
    }
}
