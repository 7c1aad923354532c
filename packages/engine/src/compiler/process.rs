//! Compilation of Sierra in a process of its own, limited in time and memory.

use std::env;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use starkbox_engine_core::class::Limits;
use starkbox_engine_core::class::compiler::{self, Compiler, Output};
use starkbox_engine_core::error::{Failure, Kind, Result};
use starknet_api::contract_class::SierraVersion;
use starknet_types_core::felt::Felt;

use super::casm_cache::CasmCache;

/// Variables that the compiler process gets. Others may hold secrets, and its input is untrusted.
const INHERITED: [&str; 4] =
    ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LLVM_PROFILE_FILE", "SystemRoot"];

/// Exit code of the compiler process when it would exceed its memory.
const OUT_OF_MEMORY: i32 = 86;

pub struct CompilerProcess {
    pub executable: PathBuf,
    pub cache: Option<CasmCache>,
}

impl Compiler for CompilerProcess {
    fn cached(&self, output: Output, class_hash: &Felt) -> Option<String> {
        self.cache.as_ref()?.read(output, class_hash)
    }

    fn store(&self, output: Output, class_hash: &Felt, text: &str) {
        if let Some(cache) = &self.cache {
            let _ = cache.write(output, class_hash, text);
        }
    }

    fn compile(
        &self,
        output: Output,
        _class_hash: &Felt,
        program: Vec<u8>,
        version: &SierraVersion,
        limits: &Limits,
    ) -> Result<String> {
        let _permit = Permit::take();
        let failed = |message: String| Failure::new(Kind::Compilation, message);

        let mut child = Command::new(&self.executable)
            .arg(limits.compiler_memory.to_string())
            .arg(output.name())
            .env_clear()
            .envs(INHERITED.iter().filter_map(|name| Some((name, env::var_os(name)?))))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                failed(format!(
                    "the compiler {} cannot be started: {error}",
                    self.executable.display()
                ))
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
            return Err(compiler::too_large(casm.len(), limits));
        }
        let status = child.wait().map_err(|error| failed(error.to_string()))?;
        drop(writer);
        if status.success() {
            return String::from_utf8(casm)
                .map_err(|_| failed("the compiler wrote no text".into()));
        }
        if status.code() == Some(OUT_OF_MEMORY) {
            let mebibytes = limits.compiler_memory >> 20;
            return Err(failed(format!(
                "compiling needed more than {mebibytes} MiB and was stopped"
            )));
        }
        let messages = messages.recv().unwrap_or_default();
        let reason: String = String::from_utf8_lossy(&messages).trim().chars().take(500).collect();
        let reason = if reason.is_empty() { format!("it ended with {status}") } else { reason };
        Err(compiler::rejected(&reason, version))
    }
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
