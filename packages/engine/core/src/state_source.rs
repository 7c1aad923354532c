//! The origin of a fork: answers reads of what this chain never wrote.
//!
//! Answers are cached per fork point and shared by every version and branch. Threads that need the
//! same answer wait for one question; different questions are asked in parallel.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use dashmap::DashMap;
use parking_lot::Mutex;
use starknet_types_core::felt::Felt;

use crate::class::{Class, Limits};
use crate::error::{Failure, Kind, Result};
use crate::felt::{Key, hex, parse};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Question {
    Storage(Key, Key),
    Nonce(Key),
    ClassHash(Key),
    Class(Key),
}

#[derive(Clone)]
enum Answer {
    Felt(Felt),
    Class(Option<Arc<Class>>),
}

/// A felt or a class as JSON, or a packed class.
pub enum Reply {
    Text(String),
    Packed(Vec<u8>),
}

/// Asks and blocks until the answer is there. `None` means that the origin has no such thing.
pub type Ask = dyn Fn(String) -> Result<Option<Reply>, String> + Send + Sync;

#[derive(Default)]
struct Entry {
    asking: Mutex<()>,
    answer: OnceLock<Answer>,
}

pub struct Origin {
    ask: Box<Ask>,
    /// How long after its start an execution may still ask.
    time_limit: Option<Duration>,
    answers: DashMap<Question, Arc<Entry>>,
}

impl Origin {
    pub fn new(ask: Box<Ask>, time_limit: Option<Duration>) -> Self {
        Origin { ask, time_limit, answers: DashMap::new() }
    }

    /// Fails a read of an execution that began too long ago: gas limits what it computes, but not how
    /// long it occupies a thread while waiting for a slow origin.
    pub fn check_time(&self, begun: Instant) -> Result<()> {
        match self.time_limit {
            Some(limit) if begun.elapsed() > limit => Err(Failure::new(
                Kind::Origin,
                format!(
                    "the execution was given up after {} s: it reads too much of a slow origin",
                    limit.as_secs_f64()
                ),
            )),
            _ => Ok(()),
        }
    }

    pub fn storage(&self, address: Key, key: Key) -> Result<Felt> {
        self.felt(Question::Storage(address, key))
    }

    pub fn nonce(&self, address: Key) -> Result<Felt> {
        self.felt(Question::Nonce(address))
    }

    pub fn class_hash(&self, address: Key) -> Result<Felt> {
        self.felt(Question::ClassHash(address))
    }

    pub fn class(&self, hash: Key) -> Result<Option<Arc<Class>>> {
        match self.answer(Question::Class(hash))? {
            Answer::Class(class) => Ok(class),
            Answer::Felt(_) => Ok(None),
        }
    }

    // Cached answers; nothing is asked.

    pub fn cached_storage(&self, address: Key, key: Key) -> Option<Felt> {
        self.cached_felt(Question::Storage(address, key))
    }

    pub fn cached_nonce(&self, address: Key) -> Option<Felt> {
        self.cached_felt(Question::Nonce(address))
    }

    pub fn cached_class_hash(&self, address: Key) -> Option<Felt> {
        self.cached_felt(Question::ClassHash(address))
    }

    pub fn answers(&self) -> usize {
        self.answers.len()
    }

    fn felt(&self, question: Question) -> Result<Felt> {
        match self.answer(question)? {
            Answer::Felt(felt) => Ok(felt),
            Answer::Class(_) => Ok(Felt::ZERO),
        }
    }

    fn cached_felt(&self, question: Question) -> Option<Felt> {
        match self.cached(question)? {
            Answer::Felt(felt) => Some(felt),
            Answer::Class(_) => None,
        }
    }

    fn cached(&self, question: Question) -> Option<Answer> {
        self.answers.get(&question)?.answer.get().cloned()
    }

    fn answer(&self, question: Question) -> Result<Answer> {
        let entry = self.answers.entry(question).or_default().clone();
        if let Some(answer) = entry.answer.get() {
            return Ok(answer.clone());
        }
        let _one_at_a_time = entry.asking.lock();
        if let Some(answer) = entry.answer.get() {
            return Ok(answer.clone());
        }
        let answer = self.fetch(question)?;
        Ok(entry.answer.get_or_init(|| answer).clone())
    }

    fn fetch(&self, question: Question) -> Result<Answer> {
        let text = question.wire();
        let unanswered = |reason: String| {
            Failure::new(Kind::Origin, format!("the origin did not answer {text}: {reason}"))
        };
        let reply = (self.ask)(text.clone()).map_err(unanswered)?;
        match (question, reply) {
            (Question::Class(_), None) => Ok(Answer::Class(None)),
            (_, None) => Ok(Answer::Felt(Felt::ZERO)),
            (Question::Class(hash), Some(body)) => {
                let class = match body {
                    Reply::Text(body) => Class::compile(&body, &Limits::any_size()),
                    Reply::Packed(bytes) => Class::unpack(&bytes),
                };
                let class = class.map_err(|failure| {
                    unanswered(format!("its class cannot be used: {}", failure.message))
                })?;
                if Key::from(class.hash) != hash {
                    return Err(unanswered(format!("it sent class {} instead", hex(class.hash))));
                }
                Ok(Answer::Class(Some(class)))
            }
            (_, Some(Reply::Text(felt))) => parse("answer", &felt)
                .map(Answer::Felt)
                .map_err(|failure| unanswered(failure.message)),
            (_, Some(Reply::Packed(_))) => Err(unanswered("it sent a class".to_owned())),
        }
    }
}

impl Question {
    /// What the JavaScript callback receives.
    fn wire(self) -> String {
        let hex = |key: Key| hex(key.felt());
        match self {
            Question::Storage(address, key) => {
                format!(r#"{{"kind":"storage","address":"{}","key":"{}"}}"#, hex(address), hex(key))
            }
            Question::Nonce(address) => {
                format!(r#"{{"kind":"nonce","address":"{}"}}"#, hex(address))
            }
            Question::ClassHash(address) => {
                format!(r#"{{"kind":"class_hash","address":"{}"}}"#, hex(address))
            }
            Question::Class(hash) => format!(r#"{{"kind":"class","class_hash":"{}"}}"#, hex(hash)),
        }
    }
}
