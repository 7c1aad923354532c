//! Numbers from JavaScript, checked.

use std::time::Duration;

use starkbox_engine_core::error::{Result, input};
use starkbox_engine_core::execution::LARGEST_FIGURE;

/// A block number that JavaScript holds exactly.
pub(super) fn version_number(what: &str, number: f64) -> Result<u64> {
    const MOST: f64 = 9_007_199_254_740_991.0;
    if number.fract() == 0.0 && (0.0..=MOST).contains(&number) {
        Ok(number as u64)
    } else {
        Err(input(format!("{what}: {number} is not a block number")))
    }
}

/// A weight of a block that JavaScript holds exactly.
pub(super) fn weight(what: &str, number: f64) -> Result<u64> {
    if number.fract() == 0.0 && (0.0..=LARGEST_FIGURE as f64).contains(&number) {
        Ok(number as u64)
    } else {
        Err(input(format!("{what}: expected a whole number from 0 to 2^53 - 1, got {number}")))
    }
}

/// A time limit from milliseconds.
pub(super) fn time_limit(what: &str, millis: Option<f64>) -> Result<Option<Duration>> {
    millis.map(|millis| duration(what, millis)).transpose()
}

/// A time from milliseconds.
pub(super) fn duration(what: &str, millis: f64) -> Result<Duration> {
    let time = Duration::try_from_secs_f64(millis / 1000.0);
    time.map_err(|error| input(format!("{what}: {error}")))
}

/// A number of things that a call makes: JavaScript turns −1 into four billion.
pub(super) fn at_most(what: &str, number: u32, most: u32) -> Result<u32> {
    if number <= most {
        Ok(number)
    } else {
        Err(input(format!("{what}: {number} is more than {most}")))
    }
}
