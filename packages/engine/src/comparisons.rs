//! Writes comparisons of executors to the file that `STARKBOX_COMPARISONS` names: a line for each transaction.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;

use starkbox_engine_core::execution::compare::{Comparison, start};

pub fn record() {
    start(append);
}

fn append(comparison: &Comparison) {
    let Some(path) = env::var_os("STARKBOX_COMPARISONS") else { return };
    let Comparison { runs, steps, arbitrary_cells, difference } = comparison;
    let line = match difference {
        None => format!("equal {runs} {steps} {arbitrary_cells}\n"),
        Some(reason) => format!("different {reason:?}\n"),
    };
    // One write for each line, so that lines of several processes do not mix.
    let written = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(line.as_bytes()));
    if let Err(error) = written {
        eprintln!("{}: {error}: {line}", path.display());
    }
}
