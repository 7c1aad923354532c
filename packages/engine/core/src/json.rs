//! JSON text to and from values.

use serde::{Deserialize, Serialize};

use crate::error::{Failure, Kind, Result, input};

/// Parses JSON that a caller gave; the error names `what` and the position.
pub fn parse_json<'a, T: Deserialize<'a>>(what: &str, text: &'a str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| input(format!("{what}: {error}")))
}

pub fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Failure::new(Kind::Internal, error))
}
