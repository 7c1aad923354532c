//! Compilation of Sierra by JavaScript, which runs it in another instance of the engine, limited in time and memory.

use starkbox_engine_core::class::Limits;
use starkbox_engine_core::class::compiler::{self, Compiler, Output};
use starkbox_engine_core::error::{Failure, Kind, Result};
use starkbox_engine_core::felt::hex;
use starkbox_engine_core::state_source::Reply;
use starknet_api::contract_class::SierraVersion;
use starknet_types_core::felt::Felt;

use crate::suspension::{self, Answer};

pub struct SuspendedCompiler;

impl Compiler for SuspendedCompiler {
    /// JavaScript has the cache.
    fn cached(&self, _output: Output, _class_hash: &Felt) -> Option<String> {
        None
    }

    fn store(&self, _output: Output, _class_hash: &Felt, _text: &str) {}

    fn compile(
        &self,
        output: Output,
        class_hash: &Felt,
        program: Vec<u8>,
        version: &SierraVersion,
        limits: &Limits,
    ) -> Result<String> {
        let request = format!(
            r#"{{"output":"{}","class_hash":"{}","millis":{},"memory":{}}}"#,
            output.name(),
            hex(*class_hash),
            limits.compile_millis,
            limits.compiler_memory
        );
        let failed = |reason: String| Failure::new(Kind::Compilation, reason);
        match suspension::take_answer(&request) {
            Some(Answer::Reply(Some(Reply::Text(text)))) => {
                if text.len() as u64 > limits.compiled_bytes {
                    return Err(compiler::too_large(text.len(), limits));
                }
                Ok(text)
            }
            Some(Answer::Reply(_)) => Err(failed("the compiler wrote no text".to_owned())),
            Some(Answer::Failed(reason)) => Err(compiler::rejected(&reason, version)),
            Some(Answer::Stopped(reason)) => Err(failed(reason)),
            None => {
                suspension::suspend_compilation(request, program);
                Err(failed("the call is suspended".to_owned()))
            }
        }
    }
}
