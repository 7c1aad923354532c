//! Fuzz targets for what the engine reads from files and requests. The variable STARKBOX_FUZZ_TARGET chooses one.
//!
//! They run the core of the engine, without the binding. Each input of a target is what the engine is given, so that
//! inputs can be tried on the built addon too.

#![no_main]

mod mutation;
mod panics;
mod targets;

use std::sync::LazyLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};

use targets::{TARGETS, Target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("STARKBOX_FUZZ_TARGET").unwrap_or_default();
    TARGETS.iter().find(|target| target.name == name).unwrap_or_else(|| {
        let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("STARKBOX_FUZZ_TARGET is one of {}", names.join(", "));
        std::process::exit(2)
    })
});

fuzz_target!(init: panics::watch(), |input: &[u8]| (TARGET.take)(input));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    (TARGET.mutate)(data, size, max_size, seed)
});
