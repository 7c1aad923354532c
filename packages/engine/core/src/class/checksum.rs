//! Checksum of bytecode. The program of the compiler includes this file.

use cairo_lang_starknet_classes::casm_contract_class::CasmContractClass;

/// Equal for classes that run the same code.
pub fn checksum(casm: &CasmContractClass) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for word in &casm.bytecode {
        hasher.update(&word.value.to_bytes_le());
        hasher.update(&[0xff]);
    }
    hasher.finalize()
}
