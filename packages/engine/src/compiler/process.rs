//! Compilation of Sierra to CASM in a process of its own, limited in time and memory, with a cache
//! on disk.

use std::env;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use cairo_lang_starknet_classes::casm_contract_class::CasmContractClass;
use cairo_lang_starknet_classes::compiler_version::{
    current_compiler_version_id, current_sierra_version_id,
};
use parking_lot::{Condvar, Mutex, RwLock};
use serde::Serialize;
use starknet_api::contract_class::SierraVersion;
use starknet_api::rpc_transaction::EntryPointByType;
use starknet_api::state::SierraContractClass;
use starknet_types_core::felt::Felt;

use super::casm_cache::CasmCache;
use super::limits::Limits;
use super::statement_map::Statements;
use crate::error::{Failure, Kind, Result};
use crate::felt::{HexList, hex};

/// Variables that the compiler process gets. Others may hold secrets, and its input is untrusted.
const INHERITED: [&str; 4] =
    ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LLVM_PROFILE_FILE", "SystemRoot"];

/// Exit code of the compiler process when it would exceed its memory.
const OUT_OF_MEMORY: i32 = 86;

pub struct Setup {
    pub executable: PathBuf,
    pub cache: Option<CasmCache>,
}

static SETUP: RwLock<Option<Arc<Setup>>> = RwLock::new(None);

pub fn set_up(setup: Setup) {
    *SETUP.write() = Some(Arc::new(setup));
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
pub fn casm(
    hash: &Felt,
    class: &SierraContractClass,
    version: &SierraVersion,
    limits: &Limits,
) -> Result<(String, CasmContractClass)> {
    cached_or_compiled(Output::Casm, hash, class, version, limits, parse_casm)
}

/// The map from bytecode to Sierra statements.
pub fn statements(hash: &Felt, class: &SierraContractClass, limits: &Limits) -> Result<Statements> {
    let parse = |text: &str| {
        serde_json::from_str(text)
            .map_err(|error| Failure::new(Kind::Compilation, format!("statements: {error}")))
    };
    let version = newest_sierra();
    Ok(cached_or_compiled(Output::Statements, hash, class, &version, limits, parse)?.1)
}

/// What the compiler process writes.
#[derive(Clone, Copy)]
enum Output {
    Casm,
    Statements,
}

impl Output {
    /// The process's second argument.
    fn name(self) -> &'static str {
        match self {
            Output::Casm => "casm",
            Output::Statements => "statements",
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            Output::Casm => "json.gz",
            Output::Statements => "statements.json.gz",
        }
    }
}

fn cached_or_compiled<T>(
    output: Output,
    hash: &Felt,
    class: &SierraContractClass,
    version: &SierraVersion,
    limits: &Limits,
    parse: impl Fn(&str) -> Result<T>,
) -> Result<(String, T)> {
    let setup = SETUP
        .read()
        .clone()
        .ok_or_else(|| Failure::new(Kind::Internal, "the compiler was not set up"))?;
    let entry = format!("{}.{}", hex(*hash), output.suffix());
    let name = Path::new(&self::version()).join(entry);
    // A cached text that does not parse is compiled again.
    if let Some(text) = setup.cache.as_ref().and_then(|cache| cache.read(&name))
        && let Ok(parsed) = parse(&text)
    {
        return Ok((text, parsed));
    }
    let text = compile(&setup.executable, output, class, version, limits)?;
    if let Some(cache) = &setup.cache {
        // A cache that cannot be written costs time, not correctness.
        let _ = cache.write(&name, &text);
    }
    let parsed = parse(&text)?;
    Ok((text, parsed))
}

pub fn parse_casm(text: &str) -> Result<CasmContractClass> {
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

fn compile(
    executable: &Path,
    output: Output,
    class: &SierraContractClass,
    version: &SierraVersion,
    limits: &Limits,
) -> Result<String> {
    let _permit = Permit::take();
    let failed = |message: String| Failure::new(Kind::Compilation, message);
    let program = program_text(class)?;

    let mut child = Command::new(executable)
        .arg(limits.compiler_memory.to_string())
        .arg(output.name())
        .env_clear()
        .envs(INHERITED.iter().filter_map(|name| Some((name, env::var_os(name)?))))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| {
            failed(format!("the compiler {} cannot be started: {error}", executable.display()))
        })?;
    let (Some(mut stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(failed("the compiler's pipes are missing".into()));
    };
    // The pipe stays open until the answer is there: the compiler ends itself when it closes, so
    // none is left behind if this process dies.
    let writer = thread::spawn(move || {
        let _ = writeln!(stdin, "{}", program.len()).and_then(|()| stdin.write_all(&program));
        stdin
    });
    let written = drain(stdout, limits.compiled_bytes.saturating_add(1));
    let messages = drain(stderr, 4096);

    let allowed = Duration::from_millis(limits.compile_millis);
    let Ok(casm) = written.recv_timeout(allowed) else {
        let _ = child.kill();
        let _ = child.wait();
        let seconds = allowed.as_secs_f64();
        return Err(failed(format!("compiling took longer than {seconds} s and was stopped")));
    };
    if casm.len() as u64 > limits.compiled_bytes {
        let _ = child.kill();
        let _ = child.wait();
        return Err(Failure::new(
            Kind::ClassTooLarge,
            format!(
                "the compiled class has {} or more bytes; the limit is {}",
                casm.len(),
                limits.compiled_bytes
            ),
        ));
    }
    let status = child.wait().map_err(|error| failed(error.to_string()))?;
    drop(writer);
    if status.success() {
        return String::from_utf8(casm).map_err(|_| failed("the compiler wrote no text".into()));
    }
    if status.code() == Some(OUT_OF_MEMORY) {
        let mebibytes = limits.compiler_memory >> 20;
        return Err(failed(format!("compiling needed more than {mebibytes} MiB and was stopped")));
    }
    let messages = messages.recv().unwrap_or_default();
    let reason: String = String::from_utf8_lossy(&messages).trim().chars().take(500).collect();
    let reason = if reason.is_empty() { format!("it ended with {status}") } else { reason };
    if *version < SierraVersion::new(1, 4, 0) {
        return Err(Failure::new(
            Kind::SierraVersion,
            format!(
                "Sierra {version} was not compiled by compiler {} ({reason}); build the \
                 contract with a current compiler, or convert it with universal-sierra-compiler",
                self::version()
            ),
        ));
    }
    Err(failed(format!("the class does not compile: {reason}")))
}

/// Reads a pipe on a thread of its own, so that waiting for it can time out. Stops after `most` bytes.
fn drain(pipe: impl Read + Send + 'static, most: u64) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.take(most).read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

/// A few more compilers than cores, so that one which is stuck does not hold up the others.
struct Permit;

static RUNNING: Mutex<usize> = Mutex::new(0);
static FREED: Condvar = Condvar::new();

impl Permit {
    fn take() -> Permit {
        let most = 2 + thread::available_parallelism().map_or(1, usize::from);
        let mut running = RUNNING.lock();
        FREED.wait_while(&mut running, |running| *running >= most);
        *running += 1;
        Permit
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        *RUNNING.lock() -= 1;
        FREED.notify_one();
    }
}
