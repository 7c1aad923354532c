//! The sequencer's execution on a persistent state, without a host: execution, state, classes, hashes.
//!
//! Nothing here starts threads or processes, reads files, the clock or the environment, or depends on Node. A host
//! provides them behind two traits: [`state_source::SourceBackend`] reads values that a state does not hold and
//! measures time, and [`class::compiler::Compiler`] compiles Sierra. So this crate can run on `wasm32`;
//! `test/engine-core.test.ts` checks its sources and dependencies for it.

pub mod class;
pub mod crypto;
pub mod error;
pub mod execution;
pub mod fault;
pub mod felt;
pub mod json;
pub mod state;
pub mod state_source;
