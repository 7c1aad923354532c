//! Places where a test makes the engine fail. Only builds with the feature `fault-injection` have them.

#[cfg(feature = "fault-injection")]
static ARMED: parking_lot::Mutex<Option<String>> = parking_lot::Mutex::new(None);

/// Makes the place of this name fail, once.
#[cfg(feature = "fault-injection")]
pub fn arm(name: String) {
    *ARMED.lock() = Some(name);
}

/// Whether the place has to fail now.
#[cfg(feature = "fault-injection")]
pub fn fails(name: &str) -> bool {
    ARMED.lock().take_if(|armed| armed == name).is_some()
}

#[cfg(not(feature = "fault-injection"))]
#[inline(always)]
pub fn fails(_place: &str) -> bool {
    false
}

/// Panics if the place has to fail.
#[inline(always)]
pub fn point(name: &str) {
    assert!(!fails(name), "a fault was injected: {name}");
}
