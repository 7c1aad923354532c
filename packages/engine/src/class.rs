//! Knows contract classes: how each form is read and hashed, its sizes, and what the engine runs.

mod form;
mod packed;

use std::io::{Read, Write};
use std::sync::{Arc, LazyLock, OnceLock, Weak};

use blockifier::execution::contract_class::RunnableCompiledClass;
use cairo_lang_starknet_classes::casm_contract_class::CasmContractClass;
use dashmap::DashMap;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use starknet_api::contract_class::compiled_class_hash::{HashVersion, HashableCompiledClass};
use starknet_api::contract_class::{ClassInfo, ContractClass, SierraVersion};
use starknet_api::state::SierraContractClass;
use starknet_core::types::contract::legacy::LegacyContractClass;
use starknet_types_core::felt::Felt;

use self::form::{Source, read, sierra_hash};
use crate::compiler;
use crate::error::{Failure, Kind, Outcome, refused_as};
use crate::felt::Key;
use crate::limits::Limits;

#[derive(Debug)]
pub struct Class {
    pub hash: Felt,
    /// What executes, made when it is first needed.
    runnable: OnceLock<RunnableCompiledClass>,
    /// The compiled class hash in force (Blake2); none for Cairo 0.
    pub compiled_hash: Option<Felt>,
    compiled_hash_poseidon: OnceLock<Felt>,
    pub sierra_version: Option<SierraVersion>,
    pub sierra_felts: usize,
    pub bytecode_felts: usize,
    pub abi_bytes: usize,
    /// The class as the RPC shows it, deflated.
    wire: Box<[u8]>,
    /// CASM as JSON, deflated; none for Cairo 0.
    casm: Option<Box<[u8]>>,
}

/// Every class that is alive anywhere in the process, so that all chains share one copy.
static ALIVE: LazyLock<DashMap<Key, Weak<Class>>> = LazyLock::new(DashMap::new);

/// Libraries that read classes trust compilers and panic at what none would write.
const BROKEN: &str = "the class is broken";

impl Class {
    /// Reads a class in any of its forms, compiles it if it is Sierra, and checks the limits.
    pub fn compile(text: &str, limits: &Limits) -> Outcome<Arc<Class>> {
        refused_as(Kind::Class, BROKEN, || Self::prepare(text, None, limits))
    }

    /// As `compile`, with CASM that was compiled earlier.
    pub fn with_casm(text: &str, casm: &str) -> Outcome<Arc<Class>> {
        refused_as(Kind::Class, BROKEN, || Self::prepare(text, Some(casm), &Limits::none()))
    }

    /// The class hash alone: nothing is compiled.
    pub fn hash_of(text: &str) -> Outcome<Felt> {
        refused_as(Kind::Class, BROKEN, || match read(text)? {
            Source::Sierra(mut class) => Ok(sierra_hash(&mut class)),
            Source::Cairo0(class, _) => legacy_hash(&class),
        })
    }

    fn prepare(text: &str, casm: Option<&str>, limits: &Limits) -> Outcome<Arc<Class>> {
        match read(text)? {
            Source::Sierra(class) => Self::sierra(*class, casm, limits),
            Source::Cairo0(class, text) => Self::cairo0(&class, &text, limits),
        }
    }

    fn sierra(
        mut class: SierraContractClass,
        casm: Option<&str>,
        limits: &Limits,
    ) -> Outcome<Arc<Class>> {
        within("Sierra program", class.sierra_program.len(), limits.sierra_felts, "felts")?;
        let hash = sierra_hash(&mut class);
        // The same class with another ABI text is another size, and so another fee.
        let known = alive(hash).filter(|known| known.abi_bytes == class.abi.len());
        if let (Some(known), None) = (&known, casm) {
            known.check(limits)?;
            return Ok(known.clone());
        }
        let version = sierra_version(&class.sierra_program)?;
        let given = casm.is_some();
        let (casm_text, casm) = match casm {
            Some(text) => (text.to_owned(), compiler::parse_casm(text)?),
            None => compiler::casm(&hash, &class, &version, limits)?,
        };
        within("compiled class", casm_text.len(), limits.compiled_bytes, "bytes")?;
        within("bytecode", casm.bytecode.len(), limits.bytecode_felts, "felts")?;
        let compiled_hash = casm.hash(&HashVersion::V2).0;
        if let Some(known) = known.filter(|known| known.compiled_hash == Some(compiled_hash)) {
            return Ok(known);
        }
        let bytecode_felts = casm.bytecode.len();
        let runnable = runnable_sierra(casm, version.clone())?;
        let wire = serde_json::to_vec(&class).map_err(unwritable)?;
        let class = Class {
            hash,
            runnable: OnceLock::from(runnable),
            compiled_hash: Some(compiled_hash),
            compiled_hash_poseidon: OnceLock::new(),
            sierra_version: Some(version),
            sierra_felts: class.sierra_program.len(),
            bytecode_felts,
            abi_bytes: class.abi.len(),
            wire: deflate(&wire)?,
            casm: Some(deflate(casm_text.as_bytes())?),
        };
        // Only what our own compiler made may stand for the class elsewhere in the process.
        Ok(if given { Arc::new(class) } else { intern(class) })
    }

    fn cairo0(class: &LegacyContractClass, text: &str, limits: &Limits) -> Outcome<Arc<Class>> {
        within("program", class.program.data.len(), limits.bytecode_felts, "felts")?;
        within("compiled class", text.len(), limits.compiled_bytes, "bytes")?;
        let hash = legacy_hash(class)?;
        if let Some(known) = alive(hash) {
            return Ok(known);
        }
        let runnable = runnable_cairo0(text)?;
        let compressed = class
            .compress()
            .map_err(|error| Failure::new(Kind::Class, format!("Cairo 0 program: {error}")))?;
        let wire = serde_json::to_vec(&compressed).map_err(unwritable)?;
        Ok(intern(Class {
            hash,
            runnable: OnceLock::from(runnable),
            compiled_hash: None,
            compiled_hash_poseidon: OnceLock::new(),
            sierra_version: None,
            sierra_felts: 0,
            bytecode_felts: class.program.data.len(),
            abi_bytes: 0,
            wire: deflate(&wire)?,
            casm: None,
        }))
    }

    fn check(&self, limits: &Limits) -> Outcome<()> {
        within("bytecode", self.bytecode_felts, limits.bytecode_felts, "felts")?;
        if limits.compiled_bytes < u64::MAX && self.casm.is_some() {
            within("compiled class", self.casm_text()?.len(), limits.compiled_bytes, "bytes")?;
        }
        Ok(())
    }

    pub fn is_sierra(&self) -> bool {
        self.casm.is_some()
    }

    /// What executes.
    pub fn runnable(&self) -> Outcome<RunnableCompiledClass> {
        if let Some(runnable) = self.runnable.get() {
            return Ok(runnable.clone());
        }
        let made = refused_as(Kind::Class, BROKEN, || match self.sierra_version.clone() {
            Some(version) => runnable_sierra(self.parsed_casm()?, version),
            None => match read(&self.wire_text()?)? {
                Source::Cairo0(_, plain) => runnable_cairo0(&plain),
                Source::Sierra(_) => Err(Failure::new(Kind::Class, BROKEN)),
            },
        })?;
        Ok(self.runnable.get_or_init(|| made).clone())
    }

    /// The class as the RPC shows it.
    pub fn wire_text(&self) -> Outcome<String> {
        inflate(&self.wire)
    }

    pub fn casm_text(&self) -> Outcome<String> {
        match &self.casm {
            Some(bytes) => inflate(bytes),
            None => Err(Failure::new(Kind::Class, "a Cairo 0 class has no CASM")),
        }
    }

    pub(crate) fn stored(&self) -> (&[u8], Option<&[u8]>) {
        (&self.wire, self.casm.as_deref())
    }

    /// Rebuilds a class from what `stored` gave.
    pub(crate) fn restore(wire: &[u8], casm: Option<&[u8]>) -> Outcome<Arc<Class>> {
        // Hashing takes most of the time, and what is here in the same bytes was hashed before. All are
        // held until none is looked at: the last owner of a class removes it from the map.
        let here: Vec<Arc<Class>> = ALIVE.iter().filter_map(|class| class.upgrade()).collect();
        if let Some(twin) = here.iter().find(|class| class.stored() == (wire, casm)) {
            return Ok(twin.clone());
        }
        let wire = inflate(wire)?;
        match casm {
            Some(casm) => Class::with_casm(&wire, &inflate(casm)?),
            None => Class::compile(&wire, &Limits::none()),
        }
    }

    /// The compiled class hash of protocol versions before Blake2.
    pub fn compiled_hash_poseidon(&self) -> Outcome<Option<Felt>> {
        if !self.is_sierra() {
            return Ok(None);
        }
        if let Some(hash) = self.compiled_hash_poseidon.get() {
            return Ok(Some(*hash));
        }
        let hash = self.parsed_casm()?.hash(&HashVersion::V1).0;
        Ok(Some(*self.compiled_hash_poseidon.get_or_init(|| hash)))
    }

    fn parsed_casm(&self) -> Outcome<CasmContractClass> {
        compiler::parse_casm(&self.casm_text()?)
    }

    /// What a DECLARE transaction carries into execution.
    pub fn info(&self) -> Outcome<ClassInfo> {
        let Some(version) = self.sierra_version.clone() else {
            return Err(Failure::new(Kind::Class, "only Sierra classes can be declared"));
        };
        let class = ContractClass::V1((self.parsed_casm()?, version.clone()));
        ClassInfo::new(&class, self.sierra_felts, self.abi_bytes, version)
            .map_err(|error| Failure::new(Kind::Class, error))
    }

    pub fn approximate_bytes(&self) -> u64 {
        let stored = self.wire.len() + self.casm.as_deref().map_or(0, <[u8]>::len);
        (stored + self.bytecode_felts * 64) as u64
    }
}

fn runnable_sierra(
    casm: CasmContractClass,
    version: SierraVersion,
) -> Outcome<RunnableCompiledClass> {
    RunnableCompiledClass::try_from(ContractClass::V1((casm, version)))
        .map_err(|error| Failure::new(Kind::Class, format!("CASM: {error}")))
}

fn runnable_cairo0(plain: &str) -> Outcome<RunnableCompiledClass> {
    let class: starknet_api::deprecated_contract_class::ContractClass = serde_json::from_str(plain)
        .map_err(|error| Failure::new(Kind::Class, format!("Cairo 0 class: {error}")))?;
    RunnableCompiledClass::try_from(ContractClass::V0(class))
        .map_err(|error| Failure::new(Kind::Class, format!("Cairo 0 program: {error}")))
}

fn alive(hash: Felt) -> Option<Arc<Class>> {
    ALIVE.get(&Key::from(hash)).and_then(|class| class.upgrade())
}

fn intern(class: Class) -> Arc<Class> {
    let key = Key::from(class.hash);
    let class = Arc::new(class);
    let mut entry = ALIVE.entry(key).or_default();
    if let Some(first) = entry.upgrade() {
        return if first.abi_bytes == class.abi_bytes { first } else { class };
    }
    *entry = Arc::downgrade(&class);
    class
}

impl Drop for Class {
    fn drop(&mut self) {
        ALIVE.remove_if(&Key::from(self.hash), |_, class| class.strong_count() == 0);
    }
}

fn sierra_version(program: &[Felt]) -> Outcome<SierraVersion> {
    let newest = compiler::newest_sierra();
    let refuse = |found: String, advice: &str| {
        Failure::new(
            Kind::SierraVersion,
            format!("Sierra {found} is not read by compiler {}: {advice}", compiler::version()),
        )
    };
    let old = "it is too old; build the contract with a current compiler, or convert it with \
               universal-sierra-compiler";
    if program.first().is_some_and(|first| is_version_text(*first)) {
        return Err(refuse("0.1.0".into(), old));
    }
    match SierraVersion::extract_from_program(program) {
        Err(_) => Err(refuse("of an unknown version".into(), old)),
        Ok(version) if version < SierraVersion::new(1, 0, 0) => {
            Err(refuse(version.to_string(), old))
        }
        Ok(version) if version.major > newest.major || version.minor > newest.minor => {
            let advice = format!("it is newer than {newest}; build with an older compiler");
            Err(refuse(version.to_string(), &advice))
        }
        Ok(version) => Ok(version),
    }
}

/// The first Sierra wrote its version as one short string.
fn is_version_text(felt: Felt) -> bool {
    let bytes = felt.to_bytes_be();
    let text: Vec<u8> = bytes.into_iter().skip_while(|byte| *byte == 0).collect();
    text.len() >= 5 && text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

fn legacy_hash(class: &LegacyContractClass) -> Outcome<Felt> {
    class.class_hash().map_err(|error| Failure::new(Kind::Class, format!("Cairo 0 class: {error}")))
}

fn within(what: &str, size: usize, limit: u64, unit: &str) -> Outcome<()> {
    if size as u64 <= limit {
        return Ok(());
    }
    Err(Failure::new(
        Kind::ClassTooLarge,
        format!("the {what} has {size} {unit}; the limit is {limit}"),
    ))
}

fn unwritable(error: impl std::fmt::Display) -> Failure {
    Failure::new(Kind::Internal, format!("class could not be written: {error}"))
}

fn deflate(bytes: &[u8]) -> Outcome<Box<[u8]>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).map_err(unwritable)?;
    Ok(encoder.finish().map_err(unwritable)?.into_boxed_slice())
}

fn inflate(bytes: &[u8]) -> Outcome<String> {
    let mut text = String::new();
    DeflateDecoder::new(bytes)
        .read_to_string(&mut text)
        .map_err(|_| Failure::new(Kind::Image, "a stored class is damaged"))?;
    Ok(text)
}
