//! Texts that contracts printed.

use blockifier::execution::observer::Printed;
use serde::Serialize;

use crate::error::Result;
use crate::felt::Hex;
use crate::json::to_json;

#[derive(Serialize)]
pub struct PrintedText {
    contract_address: Hex,
    class_hash: Hex,
    text: String,
}

impl From<Printed> for PrintedText {
    fn from(printed: Printed) -> Self {
        PrintedText {
            contract_address: Hex(*printed.contract_address.0.key()),
            class_hash: Hex(printed.class_hash.0),
            text: printed.text,
        }
    }
}

pub fn texts(printed: Vec<Printed>) -> Vec<PrintedText> {
    printed.into_iter().map(PrintedText::from).collect()
}

/// As JSON; none if nothing was printed.
pub fn printed(printed: Vec<Printed>) -> Result<Option<String>> {
    if printed.is_empty() {
        return Ok(None);
    }
    to_json(&texts(printed)).map(Some)
}
