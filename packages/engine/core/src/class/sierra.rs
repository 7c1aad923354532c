//! Compilation of a Sierra program, without limits of time and memory. The compiler process includes this file.

use std::collections::HashMap;

use cairo_lang_sierra::program::{GenericArg, Program, Statement, StatementIdx};
use cairo_lang_sierra_to_casm::compiler::{CairoProgramDebugInfo, StatementKindDebugInfo};
use cairo_lang_sierra_to_casm::references::{ReferenceExpression, build_function_parameters_refs};
use cairo_lang_sierra_type_size::{ProgramRegistryInfo, TypeSizeMap};
use cairo_lang_starknet_classes::casm_contract_class::CasmContractClass;
use cairo_lang_starknet_classes::contract_class::ContractClass;
use serde::Serialize;

use super::checksum::checksum;

/// Compiles the JSON text of a class without its ABI, to the output of a name: CASM, the map from bytecode to
/// Sierra statements, or that map with the cells of variables.
pub fn compile(text: &str, output: &str) -> Result<String, String> {
    let class: ContractClass = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let program = class.extract_sierra_program(false).map_err(|error| error.to_string())?;
    let variables = (output == "variables").then(|| program.program.clone());
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
    if output == "casm" {
        return serde_json::to_string(&casm).map_err(|error| error.to_string());
    }
    let infos = &debug.sierra_statement_info;
    let statements = Statements {
        starts: infos.iter().map(|info| info.start_offset).collect(),
        end: infos.last().map_or(0, |info| info.end_offset),
        functions,
        checksum: checksum(&casm),
        variables: match variables {
            None => None,
            Some(program) => Some(Variables::of(&program, &debug)?),
        },
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
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<Variables>,
}

/// Where each statement leaves its variables, as debuggers read it.
#[derive(Serialize)]
struct Variables {
    functions: Vec<Function>,
    references: Vec<Reference>,
    /// Names of generic libfuncs.
    libfuncs: Vec<String>,
    /// For each statement, the libfunc and its arguments, then its branches: the next statement, then pairs of a
    /// variable and its reference. Empty for a return.
    statements: Vec<Vec<Vec<u64>>>,
    types: Vec<Type>,
}

#[derive(Serialize)]
struct Function {
    id: u64,
    first: usize,
    parameters: Vec<u64>,
    results: Vec<u64>,
}

#[derive(Clone, Serialize, PartialEq, Eq, Hash)]
struct Reference {
    r#type: u64,
    cells: Vec<String>,
}

#[derive(Serialize)]
struct Type {
    id: u64,
    generic: String,
    size: usize,
    types: Vec<u64>,
    values: Vec<String>,
}

/// References that occur often, held once.
#[derive(Default)]
struct References {
    all: Vec<Reference>,
    numbers: HashMap<Reference, u64>,
}

impl References {
    fn number(&mut self, r#type: u64, expression: &ReferenceExpression) -> u64 {
        let cells = expression.cells.iter().map(ToString::to_string).collect();
        let reference = Reference { r#type, cells };
        let all = &mut self.all;
        *self.numbers.entry(reference).or_insert_with_key(|reference| {
            all.push(reference.clone());
            (all.len() - 1) as u64
        })
    }
}

/// Generic libfuncs, numbered.
struct Libfuncs {
    names: Vec<String>,
    /// The number of the generic libfunc of each concrete one.
    numbers: HashMap<u64, u64>,
}

impl Libfuncs {
    fn of(program: &Program) -> Libfuncs {
        let mut libfuncs = Libfuncs { names: Vec::new(), numbers: HashMap::new() };
        let mut by_name = HashMap::new();
        for declaration in &program.libfunc_declarations {
            let names = &mut libfuncs.names;
            let number = *by_name.entry(&declaration.long_id.generic_id).or_insert_with(|| {
                names.push(declaration.long_id.generic_id.to_string());
                (names.len() - 1) as u64
            });
            libfuncs.numbers.insert(declaration.id.id, number);
        }
        libfuncs
    }
}

impl Variables {
    fn of(program: &Program, debug: &CairoProgramDebugInfo) -> Result<Variables, String> {
        let info = ProgramRegistryInfo::new(program).map_err(|error| error.to_string())?;
        let mut references = References::default();
        let libfuncs = Libfuncs::of(program);
        Ok(Variables {
            functions: functions(program, &info.type_sizes, &mut references)?,
            statements: statements(program, debug, &mut references, &libfuncs),
            libfuncs: libfuncs.names,
            references: references.all,
            types: types(program, &info.type_sizes),
        })
    }
}

fn functions(
    program: &Program,
    sizes: &TypeSizeMap,
    references: &mut References,
) -> Result<Vec<Function>, String> {
    let mut functions = Vec::with_capacity(program.funcs.len());
    for function in &program.funcs {
        let parameters = build_function_parameters_refs(function, sizes);
        let parameters = parameters.map_err(|error| error.to_string())?;
        functions.push(Function {
            id: function.id.id,
            first: function.entry_point.0,
            parameters: function
                .params
                .iter()
                .filter_map(|param| Some((param, parameters.get(&param.id)?)))
                .flat_map(|(param, value)| {
                    [param.id.id, references.number(value.ty.id, &value.expression)]
                })
                .collect(),
            results: function.signature.ret_types.iter().map(|result| result.id).collect(),
        });
    }
    functions.sort_unstable_by_key(|function| function.first);
    Ok(functions)
}

fn statements(
    program: &Program,
    debug: &CairoProgramDebugInfo,
    references: &mut References,
    libfuncs: &Libfuncs,
) -> Vec<Vec<Vec<u64>>> {
    let mut statements = Vec::with_capacity(program.statements.len());
    for (index, statement) in program.statements.iter().enumerate() {
        let mut parts = Vec::new();
        let info = debug.sierra_statement_info.get(index).map(|info| &info.additional_kind_info);
        if let (Statement::Invocation(invocation), Some(StatementKindDebugInfo::Invoke(info))) =
            (statement, info)
        {
            let libfunc = libfuncs.numbers.get(&invocation.libfunc_id.id).copied();
            let arguments = invocation.args.iter().map(|argument| argument.id);
            parts.push(libfunc.into_iter().chain(arguments).collect());
            for (branch, changes) in invocation.branches.iter().zip(&info.result_branch_changes) {
                let mut numbers = vec![StatementIdx(index).next(branch.target).0 as u64];
                for (variable, value) in branch.results.iter().zip(&changes.refs) {
                    let number = references.number(value.ty.id, &value.expression);
                    numbers.extend([variable.id, number]);
                }
                parts.push(numbers);
            }
        }
        statements.push(parts);
    }
    statements
}

fn types(program: &Program, sizes: &TypeSizeMap) -> Vec<Type> {
    let declarations = program.type_declarations.iter();
    declarations
        .map(|declaration| {
            let mut types = Vec::new();
            let mut values = Vec::new();
            for argument in &declaration.long_id.generic_args {
                match argument {
                    GenericArg::Type(id) => types.push(id.id),
                    GenericArg::Value(value) => values.push(value.to_string()),
                    _ => {}
                }
            }
            Type {
                id: declaration.id.id,
                generic: declaration.long_id.generic_id.to_string(),
                size: sizes.get(&declaration.id).map_or(0, |size| (*size).max(0) as usize),
                types,
                values,
            }
        })
        .collect()
}
