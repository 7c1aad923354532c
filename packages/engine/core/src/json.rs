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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_value_and_its_position() {
        let failure = parse_json::<Vec<u8>>("list", "[1,\n x]").unwrap_err();
        assert_eq!(failure.kind, Kind::Input);
        assert_eq!(failure.message, "list: expected value at line 2 column 2");
    }

    #[test]
    fn text_behind_a_value_is_rejected() {
        assert!(parse_json::<u8>("number", "1 2").is_err());
    }

    #[test]
    fn a_value_that_json_cannot_hold_is_a_fault_of_the_engine() {
        let list = std::collections::BTreeMap::from([((1, 2), 3)]);
        assert_eq!(to_json(&list).unwrap_err().kind, Kind::Internal);
        assert_eq!(to_json(&[1, 2]).unwrap(), "[1,2]");
    }
}
