//! The targets: how each takes an input, and how its inputs are changed.

mod class;
mod felt;
mod image;
mod request;

use starkbox_engine_core::error::{Failure, Kind};
use crate::mutation::{self, Mutate};

pub struct Target {
    pub name: &'static str,
    pub take: fn(&[u8]),
    pub mutate: Mutate,
}

pub const TARGETS: &[Target] = &[
    Target { name: "image", take: image::take, mutate: mutation::image::mutate },
    Target { name: "packed", take: class::take_packed, mutate: mutation::packed::mutate },
    Target { name: "class", take: class::take_text, mutate: mutation::json::mutate },
    Target { name: "casm", take: class::take_casm, mutate: mutation::json::mutate },
    Target { name: "statements", take: class::take_statements, mutate: mutation::json::mutate },
    Target { name: "diff", take: request::take_diff, mutate: mutation::json::mutate },
    Target { name: "transaction", take: request::take_transaction, mutate: mutation::json::mutate },
    Target { name: "block", take: request::take_block, mutate: mutation::json::mutate },
    Target { name: "receipts", take: request::take_receipts, mutate: mutation::json::mutate },
    Target { name: "origin", take: request::take_answer, mutate: mutation::json::mutate },
    Target { name: "felt", take: felt::take, mutate: mutation::text::mutate },
];

/// What was taken. A refusal must be of a kind that blames the input.
fn taken<T>(outcome: Result<T, Failure>, foreseen: &[Kind]) -> Option<T> {
    match outcome {
        Ok(value) => Some(value),
        Err(failure) => {
            assert!(foreseen.contains(&failure.kind), "{:?}: {failure}", failure.kind);
            None
        }
    }
}
