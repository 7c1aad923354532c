//! Places where a test makes the engine fail. Only builds with the feature `fault-injection` have them.

#[cfg(feature = "fault-injection")]
static ARMED: parking_lot::Mutex<Option<String>> = parking_lot::Mutex::new(None);

/// Makes the place of this name fail, once.
#[cfg(feature = "fault-injection")]
pub fn arm(place: String) {
    *ARMED.lock() = Some(place);
}

/// Whether the place has to fail now.
#[cfg(feature = "fault-injection")]
pub fn fails(place: &str) -> bool {
    ARMED.lock().take_if(|armed| armed == place).is_some()
}

#[cfg(not(feature = "fault-injection"))]
#[inline(always)]
pub fn fails(_place: &str) -> bool {
    false
}

/// Panics if the place has to fail.
#[inline(always)]
pub fn point(place: &str) {
    assert!(!fails(place), "a fault was injected: {place}");
}
