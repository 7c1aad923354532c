//! Knows the bounds of a class: on its size, and on what compiling it may cost.

/// Bounds that a class must keep; a sequencer's are far below what a compiler could make.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Length of the compiled class as JSON text, in bytes.
    pub compiled_bytes: u64,
    /// Felts of CASM bytecode.
    pub bytecode_felts: u64,
    /// Felts of the Sierra program.
    pub sierra_felts: u64,
    pub compile_millis: u64,
    pub compile_bytes: u64,
}

impl Limits {
    /// No size limits: for classes that another chain has already accepted.
    pub fn none() -> Self {
        Limits {
            compiled_bytes: u64::MAX,
            bytecode_felts: u64::MAX,
            sierra_felts: u64::MAX,
            compile_millis: 30_000,
            compile_bytes: 4 << 30,
        }
    }
}
