//! Limits on the size of a class and on the time and memory of its compilation.

#[derive(Clone, Debug)]
pub struct Limits {
    /// Length of the compiled class as JSON text, in bytes.
    pub compiled_bytes: u64,
    /// Felts of CASM bytecode.
    pub bytecode_felts: u64,
    /// Felts of the Sierra program.
    pub sierra_felts: u64,
    /// Time that the compiler may run, in milliseconds.
    pub compile_millis: u64,
    /// Memory that the compiler may allocate, in bytes.
    pub compiler_memory: u64,
}

impl Limits {
    /// No limits on size, for classes that another chain has accepted. The compiler is bounded still.
    pub fn any_size() -> Self {
        Limits {
            compiled_bytes: u64::MAX,
            bytecode_felts: u64::MAX,
            sierra_felts: u64::MAX,
            compile_millis: 30_000,
            compiler_memory: 4 << 30,
        }
    }
}
