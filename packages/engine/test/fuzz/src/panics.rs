//! Panics while an input is read. The engine turns those of libraries, which a broken class can cause, into errors.
//! One of the engine's code is a fault even where it would be caught.

use std::collections::BTreeSet;
use std::panic::{set_hook, take_hook};
use std::sync::Mutex;

/// Places of libraries that panicked.
static PLACES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

pub fn watch() {
    // That of libFuzzer aborts.
    let abort = take_hook();
    set_hook(Box::new(move |panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        if place.contains("engine/core/src/") || place.starts_with("src/") {
            abort(panic);
        }
        if let Ok(mut places) = PLACES.lock()
            && places.insert(place.clone())
        {
            eprintln!("LIBRARY PANIC at {place}: {panic}");
        }
    }));
}
