//! Tests of classes as a whole: reading, sharing, packing, limits and compilation.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use starknet_api::contract_class::SierraVersion;
use starknet_types_core::felt::Felt;

use super::checksum::checksum;
use super::compiler::{Compiler, Output, parse_casm, set_compiler};
use super::{Class, Limits};
use crate::error::{Kind, Result};

const CASM: &str = r#"{"prime":"0x800000000000011000000000000000000000000000000000000000000000001",
    "compiler_version":"2.19.5","bytecode":["0x208b7fff7fff7ffe"],"bytecode_segment_lengths":[1],"hints":[],
    "entry_points_by_type":{"EXTERNAL":[],"L1_HANDLER":[],"CONSTRUCTOR":[]}}"#;

/// The smallest class that has a version; the number makes it another class.
fn sierra(number: u64) -> String {
    format!(
        r#"{{"sierra_program":["0x1","0x7","0x0","{number:#x}"],"contract_class_version":"0.1.0",
        "entry_points_by_type":{{"EXTERNAL":[],"L1_HANDLER":[],"CONSTRUCTOR":[]}},"abi":"[]"}}"#
    )
}

fn class(number: u64) -> Arc<Class> {
    Class::with_casm(&sierra(number), CASM).unwrap()
}

#[test]
fn a_class_has_its_figures_and_hashes() {
    let class = class(1);
    assert!(class.is_sierra());
    assert_eq!((class.sierra_felts, class.bytecode_felts, class.abi_bytes), (4, 1, 2));
    assert_eq!(class.sierra_version, Some(SierraVersion::new(1, 7, 0)));
    assert_eq!(class.hash, Class::hash_of(&sierra(1)).unwrap());
    assert_ne!(class.hash, Class::hash_of(&sierra(2)).unwrap());
    let poseidon = class.compiled_hash_poseidon().unwrap();
    assert!(poseidon.is_some() && poseidon != class.compiled_hash);
    assert_eq!(class.casm_text().unwrap(), CASM);
}

#[test]
fn a_packed_class_is_the_same_when_unpacked() {
    let packed = class(2).pack().unwrap();
    let unpacked = Class::unpack(&packed).unwrap();
    assert_eq!(unpacked.hash, class(2).hash);
    assert_eq!(unpacked.stored(), class(2).stored());
    assert_eq!(unpacked.pack().unwrap(), packed);
    assert!(unpacked.runnable().is_ok());
}

#[test]
fn bytes_that_are_no_packed_class_are_rejected() {
    let packed = class(3).pack().unwrap();
    let mut other_format = packed.clone();
    let digit = other_format.iter().position(|byte| *byte == b'1').unwrap();
    other_format[digit] = b'9';
    for bytes in [&[][..], &[1, 0], &packed[..20], b"\xff\xff\xff\xff{}", &other_format] {
        let failure = Class::unpack(bytes).err().unwrap();
        assert_eq!(failure.kind, Kind::Class);
    }
}

#[test]
fn a_class_is_restored_from_its_stored_parts() {
    let original = class(4);
    let (wire, casm) = original.stored();
    let restored = Class::restore(wire, casm).unwrap();
    assert_eq!((restored.hash, restored.compiled_hash), (original.hash, original.compiled_hash));
    assert_eq!(Class::restore(&[1, 2], None).err().unwrap().kind, Kind::Image);
}

#[test]
fn classes_of_equal_bytes_are_one() {
    let packed = class(5).pack().unwrap();
    let (first, second) = (Class::unpack(&packed).unwrap(), Class::unpack(&packed).unwrap());
    assert!(Arc::ptr_eq(&first, &second));
    let other_code = Class::with_casm(&sierra(5), &CASM.replace("2.19.5", "2.8.0")).unwrap();
    assert_eq!(other_code.hash, first.hash);
    assert!(!Arc::ptr_eq(&first, &Class::unpack(&other_code.pack().unwrap()).unwrap()));
}

#[test]
fn the_checksum_depends_on_the_code_alone() {
    let sum = |text: &str| checksum(&parse_casm(text).unwrap());
    assert_eq!(sum(CASM), sum(&CASM.replace("2.19.5", "2.8.0")));
    assert_ne!(sum(CASM), sum(&CASM.replace("7ffe", "7ffd")));
}

#[test]
fn only_sierra_classes_are_declared() {
    let declared = class(7);
    let info = declared.info().unwrap();
    assert_eq!((info.sierra_program_length(), info.abi_length()), (4, 2));
    assert_eq!(declared.info_without_code().unwrap().code_size(), info.code_size());
    assert_eq!(parse_casm("{}").unwrap_err().kind, Kind::Class);
}

/// Holds what it was given to store, and counts compilations.
#[derive(Default)]
struct MemoryCompiler {
    stored: Mutex<Option<String>>,
    compiled: AtomicUsize,
}

impl Compiler for MemoryCompiler {
    fn cached(&self, _output: Output, _class_hash: &Felt) -> Option<String> {
        self.stored.lock().clone()
    }

    fn compile(
        &self,
        output: Output,
        _class_hash: &Felt,
        program: Vec<u8>,
        _version: &SierraVersion,
        _limits: &Limits,
    ) -> Result<String> {
        self.compiled.fetch_add(1, Ordering::SeqCst);
        assert!(String::from_utf8_lossy(&program).starts_with(r#"{"sierra_program":["0x1","#));
        assert_eq!(output, Output::Casm);
        Ok(CASM.to_owned())
    }

    fn store(&self, _output: Output, _class_hash: &Felt, text: &str) {
        *self.stored.lock() = Some(text.to_owned());
    }
}

#[test]
fn a_class_is_compiled_once_and_then_cached_or_shared() {
    let failure = Class::compile(&sierra(8), &Limits::any_size()).err().unwrap();
    assert_eq!(failure.message, "the compiler was not set up");
    let compiler = Arc::new(MemoryCompiler::default());
    *compiler.stored.lock() = Some("damaged".to_owned());
    set_compiler(compiler.clone());
    let compiled = || compiler.compiled.load(Ordering::SeqCst);

    let first = Class::compile(&sierra(8), &Limits::any_size()).unwrap();
    assert_eq!(compiled(), 1);
    let second = Class::compile(&sierra(8), &Limits::any_size()).unwrap();
    assert!(Arc::ptr_eq(&first, &second));
    drop((first, second));
    assert!(Class::compile(&sierra(8), &Limits::any_size()).is_ok());
    assert_eq!(compiled(), 1);

    let limits = [
        Limits { sierra_felts: 3, ..Limits::any_size() },
        Limits { bytecode_felts: 0, ..Limits::any_size() },
        Limits { compiled_bytes: 10, ..Limits::any_size() },
    ];
    for limit in limits {
        let failure = Class::compile(&sierra(8), &limit).err().unwrap();
        assert_eq!(failure.kind, Kind::ClassTooLarge, "{failure}");
    }
}
