//! Classes in the form that blockifier executes.

use blockifier::execution::contract_class::RunnableCompiledClass;
use cairo_lang_starknet_classes::casm_contract_class::CasmContractClass;
use starknet_api::contract_class::{ContractClass, SierraVersion};

use crate::error::{Failure, Kind, Result};

pub(super) fn runnable_sierra(
    casm: CasmContractClass,
    version: SierraVersion,
) -> Result<RunnableCompiledClass> {
    RunnableCompiledClass::try_from(ContractClass::V1((casm, version)))
        .map_err(|error| Failure::new(Kind::Class, format!("CASM: {error}")))
}

pub(super) fn runnable_cairo0(plain: &str) -> Result<RunnableCompiledClass> {
    let class: starknet_api::deprecated_contract_class::ContractClass = serde_json::from_str(plain)
        .map_err(|error| Failure::new(Kind::Class, format!("Cairo 0 class: {error}")))?;
    RunnableCompiledClass::try_from(ContractClass::V0(class))
        .map_err(|error| Failure::new(Kind::Class, format!("Cairo 0 program: {error}")))
}
