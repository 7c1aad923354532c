//! The compiler of Sierra: its versions, what it reads and writes, and the trait behind which it runs.

use std::sync::Arc;

use cairo_lang_starknet_classes::casm_contract_class::CasmContractClass;
use cairo_lang_starknet_classes::compiler_version::{
    current_compiler_version_id, current_sierra_version_id,
};
use parking_lot::RwLock;
use serde::Serialize;
use starknet_api::contract_class::SierraVersion;
use starknet_api::rpc_transaction::EntryPointByType;
use starknet_api::state::SierraContractClass;
use starknet_types_core::felt::Felt;

use super::limits::Limits;
use super::statement_map::Statements;
use crate::error::{Failure, Kind, Result};
use crate::felt::HexList;

/// A compiler with a cache. A compilation that loops or exhausts memory can only be stopped from outside, so
/// it runs where this trait is implemented.
pub trait Compiler: Send + Sync {
    /// What was compiled earlier.
    fn cached(&self, output: Output, class_hash: &Felt) -> Option<String>;

    /// Compiles a program, which is the JSON text of a class without its ABI.
    fn compile(
        &self,
        output: Output,
        class_hash: &Felt,
        program: Vec<u8>,
        version: &SierraVersion,
        limits: &Limits,
    ) -> Result<String>;

    /// Keeps an output for later. A cache that cannot be written costs time, not correctness.
    fn store(&self, output: Output, class_hash: &Felt, text: &str);
}

/// What the compiler writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Casm,
    Statements,
    Variables,
}

static COMPILER: RwLock<Option<Arc<dyn Compiler>>> = RwLock::new(None);

/// Sets the compiler of the process; a later call replaces it.
pub fn set_compiler(compiler: Arc<dyn Compiler>) {
    *COMPILER.write() = Some(compiler);
}

impl Output {
    /// The name by which compilers are asked for it.
    pub fn name(self) -> &'static str {
        match self {
            Output::Casm => "casm",
            Output::Statements => "statements",
            Output::Variables => "variables",
        }
    }
}

/// The failure of a program that the compiler rejected.
pub fn rejected(reason: &str, version: &SierraVersion) -> Failure {
    if *version < SierraVersion::new(1, 4, 0) {
        return Failure::new(
            Kind::SierraVersion,
            format!(
                "Sierra {version} was not compiled by compiler {} ({reason}); build the \
                 contract with a current compiler, or convert it with universal-sierra-compiler",
                self::version()
            ),
        );
    }
    Failure::new(Kind::Compilation, format!("the class does not compile: {reason}"))
}

/// The failure of a program with more compiled bytes than allowed.
pub fn too_large(bytes: usize, limits: &Limits) -> Failure {
    Failure::new(
        Kind::ClassTooLarge,
        format!(
            "the compiled class has {bytes} or more bytes; the limit is {}",
            limits.compiled_bytes
        ),
    )
}

pub fn newest_sierra() -> SierraVersion {
    let version = current_sierra_version_id();
    SierraVersion::new(version.major as u64, version.minor as u64, version.patch as u64)
}

/// The pinned compiler's version; part of every cache key.
pub fn version() -> String {
    current_compiler_version_id().to_string()
}

/// The CASM of a class, as JSON text and parsed.
pub(super) fn casm(
    hash: &Felt,
    class: &SierraContractClass,
    version: &SierraVersion,
    limits: &Limits,
) -> Result<(String, CasmContractClass)> {
    cached_or_compiled(Output::Casm, hash, class, version, limits, parse_casm)
}

/// The map from bytecode to Sierra statements, and its text.
pub(super) fn statements(
    output: Output,
    hash: &Felt,
    class: &SierraContractClass,
    limits: &Limits,
) -> Result<(String, Statements)> {
    let parse = |text: &str| {
        serde_json::from_str(text)
            .map_err(|error| Failure::new(Kind::Compilation, format!("statements: {error}")))
    };
    cached_or_compiled(output, hash, class, &newest_sierra(), limits, parse)
}

fn cached_or_compiled<T>(
    output: Output,
    hash: &Felt,
    class: &SierraContractClass,
    version: &SierraVersion,
    limits: &Limits,
    parse: impl Fn(&str) -> Result<T>,
) -> Result<(String, T)> {
    let compiler = COMPILER
        .read()
        .clone()
        .ok_or_else(|| Failure::new(Kind::Internal, "the compiler was not set up"))?;
    // A cached text that does not parse is compiled again.
    if let Some(text) = compiler.cached(output, hash)
        && let Ok(parsed) = parse(&text)
    {
        return Ok((text, parsed));
    }
    let text = compiler.compile(output, hash, program_text(class)?, version, limits)?;
    compiler.store(output, hash, &text);
    let parsed = parse(&text)?;
    Ok((text, parsed))
}

pub(super) fn parse_casm(text: &str) -> Result<CasmContractClass> {
    serde_json::from_str(text).map_err(|error| Failure::new(Kind::Class, format!("CASM: {error}")))
}

#[derive(Serialize)]
struct Program<'a> {
    sierra_program: HexList<'a>,
    contract_class_version: &'a str,
    entry_points_by_type: &'a EntryPointByType,
}

/// What the compiler reads of a class, as JSON.
pub(super) fn program_text(class: &SierraContractClass) -> Result<Vec<u8>> {
    serde_json::to_vec(&Program {
        sierra_program: HexList(&class.sierra_program),
        contract_class_version: &class.contract_class_version,
        entry_points_by_type: &class.entry_points_by_type,
    })
    .map_err(|error| Failure::new(Kind::Compilation, error))
}
