//! Classes: packed, as text, their compiled code, and the map from code to statements.

use std::sync::Arc;

use starkbox_engine_core::class::{Class, Limits, Statements};
use starkbox_engine_core::error::{Kind, Result};

/// What blames a class; `Image` is damage of what is deflated in it.
const FORESEEN: &[Kind] =
    &[Kind::Class, Kind::ClassTooLarge, Kind::SierraVersion, Kind::Image, Kind::Compilation];

pub fn take_packed(input: &[u8]) {
    let Some(class) = super::taken(Class::unpack(input), &[Kind::Class]) else { return };
    // What is behind a Cairo 0 class is not kept.
    let packed = class.pack().unwrap_or_else(|failure| panic!("{failure}"));
    let again = Class::unpack(&packed).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!((again.hash, again.stored()), (class.hash, class.stored()));
    use_class(&class);
}

pub fn take_text(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let hash = super::taken(Class::hash_of(text), FORESEEN);
    // Compilation needs the compiler's process, so Sierra is refused by its size.
    let limits = Limits { sierra_felts: 0, ..Limits::any_size() };
    let Some(class) = super::taken(Class::compile(text, &limits), FORESEEN) else { return };
    assert_eq!(Some(class.hash), hash);
    use_class(&class);
    same_when_stored(&class);
}

/// The smallest class that has a version.
const SIERRA: &str = r#"{"sierra_program":["0x1","0x7","0x0","0x2","0x0"],"contract_class_version":"0.1.0",
    "entry_points_by_type":{"EXTERNAL":[],"L1_HANDLER":[],"CONSTRUCTOR":[]},"abi":"[]"}"#;

pub fn take_casm(input: &[u8]) {
    let Ok(casm) = std::str::from_utf8(input) else { return };
    let Some(class) = super::taken(Class::with_casm(SIERRA, casm), FORESEEN) else { return };
    use_class(&class);
    same_when_stored(&class);
}

/// A class in an image is the same when it is read again.
fn same_when_stored(class: &Arc<Class>) {
    let (wire, casm) = class.stored();
    let (wire, casm) = (wire.to_vec(), casm.map(<[u8]>::to_vec));
    let restored = Class::restore(&wire, casm.as_deref());
    let restored = restored.unwrap_or_else(|failure| panic!("its own stored form: {failure}"));
    assert_eq!(restored.hash, class.hash);
    assert_eq!(restored.compiled_hash, class.compiled_hash);
    let unpacked = class.pack().and_then(|packed| Class::unpack(&packed));
    let unpacked = unpacked.unwrap_or_else(|failure| panic!("its own packed form: {failure}"));
    assert_eq!(unpacked.sierra_version, class.sierra_version);
    use_class(&unpacked);
}

/// As execution, declaration and RPC do. A panic of a library is an error where the engine catches it, so these are
/// called as the binding calls them.
fn use_class(class: &Class) {
    fn called<T>(work: impl FnOnce() -> Result<T>) -> Option<T> {
        super::taken(work(), FORESEEN)
    }
    called(|| class.wire_text());
    if class.is_sierra() {
        called(|| class.casm_text());
        called(|| class.info());
    }
    called(|| class.runnable());
    called(|| class.hints());
    called(|| class.compiled_hash_poseidon());
    let _ = class.approximate_bytes();
}

pub fn take_statements(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(statements) = serde_json::from_str::<Statements>(text) else { return };
    for statement in statements.coded() {
        assert!((statement as usize) < text.len());
    }
    let offsets = [0, 1, 2, 3, 5, 8, 13, 21, 100, usize::MAX];
    let visits: Vec<_> = offsets.iter().map(|offset| (*offset, 3)).collect();
    let visited = statements.visited(&visits);
    let steps: u64 = visited.iter().map(|(_, _, steps)| steps).sum();
    let known = offsets.iter().filter(|offset| statements.at(**offset).is_some()).count();
    assert_eq!(steps, 3 * known as u64);
}
