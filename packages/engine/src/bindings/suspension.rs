//! Answers to requests of suspended calls, and the compiler for an instance of its own.

use napi::bindgen_prelude::*;
use napi_derive::napi;
use starkbox_engine_core::class::sierra;
use starkbox_engine_core::state_source::Reply;

use super::error::Result;
use crate::suspension::{self, Answer};

/// Hands the answer to a request over. The suspended call finds it when it is repeated.
#[napi(catch_unwind)]
pub fn answer_request(request: String, reply: Option<Either<String, Buffer>>) {
    let reply = reply.map(|reply| match reply {
        Either::A(text) => Reply::Text(text),
        Either::B(bytes) => Reply::Packed(bytes.to_vec()),
    });
    suspension::answer(request, Answer::Reply(reply));
}

/// Fails a request. A request that was stopped at a limit has a whole sentence as its reason.
#[napi(catch_unwind)]
pub fn fail_request(request: String, reason: String, stopped: bool) {
    let answer = if stopped { Answer::Stopped(reason) } else { Answer::Failed(reason) };
    suspension::answer(request, answer);
}

/// Numbers of sources that no state uses any more, once.
#[napi(catch_unwind)]
pub fn take_dropped_sources() -> Vec<u32> {
    suspension::take_dropped_sources()
}

/// The program of a request to compile, once.
#[napi(catch_unwind)]
pub fn take_program(request: String) -> Option<Buffer> {
    suspension::take_program(&request).map(Buffer::from)
}

/// Compiles a program. It may loop, exhaust memory or trap, so it runs in an instance that is then dropped.
#[napi(catch_unwind)]
pub fn compile_program(program: Buffer, output: String) -> Result<String> {
    let text = String::from_utf8_lossy(&program);
    let compiled = sierra::compile(&text, &output);
    Ok(compiled.map_err(Error::from_reason)?)
}
