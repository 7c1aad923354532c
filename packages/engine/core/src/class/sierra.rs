//! Compilation of a Sierra program, without limits of time and memory. The compiler process includes this file.

use cairo_lang_starknet_classes::casm_contract_class::CasmContractClass;
use cairo_lang_starknet_classes::contract_class::ContractClass;
use serde::Serialize;

use super::checksum::checksum;

/// Compiles the JSON text of a class without its ABI, to CASM or to the map from bytecode to Sierra statements.
pub fn compile(text: &str, statements: bool) -> Result<String, String> {
    let class: ContractClass = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let program = class.extract_sierra_program(false).map_err(|error| error.to_string())?;
    let mut functions: Vec<(usize, u64)> = program
        .program
        .funcs
        .iter()
        .map(|function| (function.entry_point.0, function.id.id))
        .collect();
    functions.sort_unstable();
    let (casm, debug) =
        CasmContractClass::from_contract_class_with_debug_info(class, program, false, usize::MAX)
            .map_err(|error| error.to_string())?;
    if !statements {
        return serde_json::to_string(&casm).map_err(|error| error.to_string());
    }
    let infos = &debug.sierra_statement_info;
    let statements = Statements {
        starts: infos.iter().map(|info| info.start_offset).collect(),
        end: infos.last().map_or(0, |info| info.end_offset),
        functions,
        checksum: checksum(&casm),
    };
    serde_json::to_string(&statements).map_err(|error| error.to_string())
}

/// As the engine reads it.
#[derive(Serialize)]
struct Statements {
    starts: Vec<usize>,
    end: usize,
    functions: Vec<(usize, u64)>,
    checksum: u32,
}
