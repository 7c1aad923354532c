//! Contract classes: reading each form, hashes, sizes, and the code that executes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, OnceLock, Weak};

use blockifier::execution::contract_class::RunnableCompiledClass;
use cairo_lang_starknet_classes::casm_contract_class::CasmContractClass;
use dashmap::DashMap;
use starknet_api::contract_class::compiled_class_hash::{HashVersion, HashableCompiledClass};
use starknet_api::contract_class::{ClassInfo, ContractClass, SierraVersion};
use starknet_api::state::SierraContractClass;
use starknet_core::types::contract::legacy::LegacyContractClass;
use starknet_types_core::felt::Felt;

use super::compiler;
use super::compression::{deflate, inflate, unwritable};
use super::limits::Limits;
use super::runnable::{runnable_cairo0, runnable_sierra};
use super::sierra_version::sierra_version;
use super::source::{Source, read, sierra_hash};
use super::statement_map::Statements;
use crate::error::{Failure, Kind, Result, catch_panic_as};
use crate::fault;
use crate::felt::Key;

#[derive(Debug)]
pub struct Class {
    pub hash: Felt,
    /// What executes, made when it is first needed.
    pub(super) runnable: OnceLock<RunnableCompiledClass>,
    /// The compiled class hash in force (Blake2); none for Cairo 0.
    pub compiled_hash: Option<Felt>,
    pub(super) compiled_hash_poseidon: OnceLock<Felt>,
    pub(super) statements: OnceLock<Arc<Statements>>,
    pub sierra_version: Option<SierraVersion>,
    pub sierra_felts: usize,
    pub bytecode_felts: usize,
    pub abi_bytes: usize,
    /// The class as the RPC shows it, deflated.
    pub(super) wire: Box<[u8]>,
    /// CASM as JSON, deflated; none for Cairo 0.
    pub(super) casm: Option<Box<[u8]>>,
    /// Whether the pinned compiler has compiled it to this CASM in this process. Neither the class hash nor the compiled
    /// class hash covers the hints of CASM that came from elsewhere.
    pub(super) is_own: AtomicBool,
}

/// The classes that are held anywhere in the process, so that all chains share one copy of equal bytes.
static ALIVE: LazyLock<DashMap<Key, Vec<Weak<Class>>>> = LazyLock::new(DashMap::new);

/// Libraries that parse classes panic on what no compiler would write.
const BROKEN: &str = "the class is broken";

impl Class {
    /// Reads a class in any of its forms, compiles it if it is Sierra, and checks the limits.
    pub fn compile(text: &str, limits: &Limits) -> Result<Arc<Class>> {
        catch_panic_as(Kind::Class, BROKEN, || Self::prepare(text, None, limits))
    }

    /// As `compile`, with CASM that was compiled earlier.
    pub fn with_casm(text: &str, casm: &str) -> Result<Arc<Class>> {
        catch_panic_as(Kind::Class, BROKEN, || Self::prepare(text, Some(casm), &Limits::any_size()))
    }

    /// The class hash alone: nothing is compiled.
    pub fn hash_of(text: &str) -> Result<Felt> {
        catch_panic_as(Kind::Class, BROKEN, || match read(text)? {
            Source::Sierra(mut class) => Ok(sierra_hash(&mut class)),
            Source::Cairo0(class, _) => legacy_hash(&class),
        })
    }

    fn prepare(text: &str, casm: Option<&str>, limits: &Limits) -> Result<Arc<Class>> {
        fault::point("class");
        match read(text)? {
            Source::Sierra(class) => Self::sierra(*class, casm, limits),
            Source::Cairo0(class, text) => Self::cairo0(&class, &text, limits),
        }
    }

    fn sierra(
        mut class: SierraContractClass,
        casm: Option<&str>,
        limits: &Limits,
    ) -> Result<Arc<Class>> {
        within("Sierra program", class.sierra_program.len(), limits.sierra_felts, "felts")?;
        let hash = sierra_hash(&mut class);
        // The same class with another ABI text is another size, and so another fee.
        let shared = alive(hash)
            .into_iter()
            .find(|shared| shared.is_own() && shared.abi_bytes == class.abi.len());
        if let (Some(shared), None) = (&shared, casm) {
            shared.check(limits)?;
            return Ok(shared.clone());
        }
        let version = sierra_version(&class.sierra_program)?;
        let is_given = casm.is_some();
        let (casm_text, casm) = match casm {
            Some(text) => (text.to_owned(), compiler::parse_casm(text)?),
            None => compiler::casm(&hash, &class, &version, limits)?,
        };
        within("compiled class", casm_text.len(), limits.compiled_bytes, "bytes")?;
        within("bytecode", casm.bytecode.len(), limits.bytecode_felts, "felts")?;
        let compiled_hash = casm.hash(&HashVersion::V2).0;
        if let Some(shared) = shared.filter(|shared| shared.compiled_hash == Some(compiled_hash)) {
            return Ok(shared);
        }
        let bytecode_felts = casm.bytecode.len();
        let runnable = runnable_sierra(casm, version.clone())?;
        let wire = serde_json::to_vec(&class).map_err(unwritable)?;
        let class = Class {
            hash,
            runnable: OnceLock::from(runnable),
            compiled_hash: Some(compiled_hash),
            compiled_hash_poseidon: OnceLock::new(),
            statements: OnceLock::new(),
            sierra_version: Some(version),
            sierra_felts: class.sierra_program.len(),
            bytecode_felts,
            abi_bytes: class.abi.len(),
            wire: deflate(&wire)?,
            casm: Some(deflate(casm_text.as_bytes())?),
            is_own: AtomicBool::new(!is_given),
        };
        Ok(intern(class))
    }

    fn cairo0(class: &LegacyContractClass, text: &str, limits: &Limits) -> Result<Arc<Class>> {
        within("program", class.program.data.len(), limits.bytecode_felts, "felts")?;
        within("compiled class", text.len(), limits.compiled_bytes, "bytes")?;
        let hash = legacy_hash(class)?;
        if let Some(shared) = alive(hash).into_iter().next() {
            return Ok(shared);
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
            statements: OnceLock::new(),
            sierra_version: None,
            sierra_felts: 0,
            bytecode_felts: class.program.data.len(),
            abi_bytes: 0,
            wire: deflate(&wire)?,
            casm: None,
            is_own: AtomicBool::new(true),
        }))
    }

    fn check(&self, limits: &Limits) -> Result<()> {
        within("bytecode", self.bytecode_felts, limits.bytecode_felts, "felts")?;
        if limits.compiled_bytes < u64::MAX && self.casm.is_some() {
            within("compiled class", self.casm_text()?.len(), limits.compiled_bytes, "bytes")?;
        }
        Ok(())
    }

    /// Whether the pinned compiler has compiled it in this process; also true of Cairo 0, which is not compiled.
    pub fn is_own(&self) -> bool {
        self.is_own.load(Ordering::Acquire)
    }

    pub fn is_sierra(&self) -> bool {
        self.casm.is_some()
    }

    /// What executes.
    pub fn runnable(&self) -> Result<RunnableCompiledClass> {
        if let Some(runnable) = self.runnable.get() {
            return Ok(runnable.clone());
        }
        let runnable = catch_panic_as(Kind::Class, BROKEN, || match self.sierra_version.clone() {
            Some(version) => runnable_sierra(self.parsed_casm()?, version),
            None => match read(&self.wire_text()?)? {
                Source::Cairo0(_, plain) => runnable_cairo0(&plain),
                Source::Sierra(_) => Err(Failure::new(Kind::Class, BROKEN)),
            },
        })?;
        Ok(self.runnable.get_or_init(|| runnable).clone())
    }

    /// The class as the RPC shows it.
    pub fn wire_text(&self) -> Result<String> {
        inflate(&self.wire)
    }

    pub fn casm_text(&self) -> Result<String> {
        match &self.casm {
            Some(bytes) => inflate(bytes),
            None => Err(Failure::new(Kind::Class, "a Cairo 0 class has no CASM")),
        }
    }

    /// Whether the bytes and all facts are the same: those of a packed class are read, not computed.
    fn is_equal(&self, other: &Class) -> bool {
        self.stored() == other.stored()
            && (self.compiled_hash, &self.sierra_version)
                == (other.compiled_hash, &other.sierra_version)
            && (self.sierra_felts, self.bytecode_felts, self.abi_bytes)
                == (other.sierra_felts, other.bytecode_felts, other.abi_bytes)
    }

    pub fn stored(&self) -> (&[u8], Option<&[u8]>) {
        (&self.wire, self.casm.as_deref())
    }

    /// Rebuilds a class from what `stored` gave.
    pub fn restore(wire: &[u8], casm: Option<&[u8]>) -> Result<Arc<Class>> {
        // Hashing takes most of the time, so a held class with the same bytes is reused. The references
        // stay until the iteration ends: dropping the last one would remove its entry from the map.
        let alive: Vec<Arc<Class>> = ALIVE.iter().flat_map(|entry| held_in(&entry)).collect();
        if let Some(twin) = alive.iter().find(|class| class.stored() == (wire, casm)) {
            return Ok(twin.clone());
        }
        let wire = inflate(wire)?;
        match casm {
            Some(casm) => Class::with_casm(&wire, &inflate(casm)?),
            None => Class::compile(&wire, &Limits::any_size()),
        }
    }

    /// The compiled class hash of protocol versions before Blake2.
    pub fn compiled_hash_poseidon(&self) -> Result<Option<Felt>> {
        if !self.is_sierra() {
            return Ok(None);
        }
        if let Some(hash) = self.compiled_hash_poseidon.get() {
            return Ok(Some(*hash));
        }
        let hash = catch_panic_as(Kind::Class, BROKEN, || {
            Ok(self.parsed_casm()?.hash(&HashVersion::V1).0)
        })?;
        Ok(Some(*self.compiled_hash_poseidon.get_or_init(|| hash)))
    }

    pub(super) fn parsed_casm(&self) -> Result<CasmContractClass> {
        compiler::parse_casm(&self.casm_text()?)
    }

    /// What a DECLARE transaction carries into execution.
    pub fn info(&self) -> Result<ClassInfo> {
        self.info_with(|| self.parsed_casm())
    }

    /// As `info`, with code of the same length that is zero: reading the CASM takes longer than the execution.
    pub fn info_without_code(&self) -> Result<ClassInfo> {
        self.info_with(|| {
            Ok(CasmContractClass {
                prime: Default::default(),
                compiler_version: String::new(),
                bytecode: vec![Default::default(); self.bytecode_felts],
                bytecode_segment_lengths: None,
                hints: Vec::new(),
                pythonic_hints: None,
                entry_points_by_type: Default::default(),
            })
        })
    }

    fn info_with(&self, casm: impl FnOnce() -> Result<CasmContractClass>) -> Result<ClassInfo> {
        let Some(version) = self.sierra_version.clone() else {
            return Err(Failure::new(Kind::Class, "only Sierra classes can be declared"));
        };
        let class = ContractClass::V1((casm()?, version.clone()));
        ClassInfo::new(&class, self.sierra_felts, self.abi_bytes, version)
            .map_err(|error| Failure::new(Kind::Class, error))
    }

    pub fn approximate_bytes(&self) -> u64 {
        let stored = self.wire.len() + self.casm.as_deref().map_or(0, <[u8]>::len);
        (stored + self.bytecode_felts * 64) as u64
    }
}

/// What is held of a class. A reference must not be dropped while the map is locked, because the last one locks it too.
fn alive(hash: Felt) -> Vec<Arc<Class>> {
    let entry = ALIVE.get(&Key::from(hash));
    entry.map(|entry| held_in(&entry)).unwrap_or_default()
}

fn held_in(entry: &[Weak<Class>]) -> Vec<Arc<Class>> {
    entry.iter().filter_map(Weak::upgrade).collect()
}

/// The equal class that is held, or this one from now on.
pub(super) fn intern(class: Class) -> Arc<Class> {
    let class = Arc::new(class);
    let mut entry = ALIVE.entry(Key::from(class.hash)).or_default();
    let held = held_in(&entry);
    let twin = held.iter().find(|held| held.is_equal(&class)).cloned();
    if twin.is_none() {
        entry.push(Arc::downgrade(&class));
    }
    drop(entry);
    let Some(twin) = twin else { return class };
    if class.is_own() {
        twin.is_own.store(true, Ordering::Release);
    }
    twin
}

impl Drop for Class {
    fn drop(&mut self) {
        ALIVE.remove_if_mut(&Key::from(self.hash), |_, entry| {
            entry.retain(|class| class.strong_count() > 0);
            entry.is_empty()
        });
    }
}

fn legacy_hash(class: &LegacyContractClass) -> Result<Felt> {
    class.class_hash().map_err(|error| Failure::new(Kind::Class, format!("Cairo 0 class: {error}")))
}

fn within(what: &str, size: usize, limit: u64, unit: &str) -> Result<()> {
    if size as u64 <= limit {
        return Ok(());
    }
    Err(Failure::new(
        Kind::ClassTooLarge,
        format!("the {what} has {size} {unit}; the limit is {limit}"),
    ))
}
