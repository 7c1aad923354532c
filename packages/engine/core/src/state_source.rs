//! The source below a state: answers reads of values that the state itself does not hold. For a fork it is a
//! network, for an archived chain the disk.
//!
//! Answers are cached, and shared by all states above the source. Threads that need the same answer wait for
//! one question; different questions are asked in parallel.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

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

/// Where the answers come from, and the clock that limits the time to read them.
pub trait SourceBackend: Send + Sync {
    /// Blocks until the question, which is JSON, is answered. `None` means that there is no such value.
    fn ask(&self, question: String) -> Result<Option<Reply>, String>;

    /// Time since any fixed moment.
    fn now(&self) -> Duration;
}

#[derive(Default)]
struct Entry {
    asking: Mutex<()>,
    answer: OnceLock<Answer>,
}

pub struct StateSource {
    backend: Box<dyn SourceBackend>,
    /// How long after its start an execution may still ask.
    time_limit: Option<Duration>,
    answers: DashMap<Question, Arc<Entry>>,
}

impl StateSource {
    pub fn new(backend: Box<dyn SourceBackend>, time_limit: Option<Duration>) -> Self {
        StateSource { backend, time_limit, answers: DashMap::new() }
    }

    /// The time to give to `check_time` later.
    pub fn now(&self) -> Duration {
        self.backend.now()
    }

    /// Fails a read of an execution that began too long ago: gas limits what it computes, but not how
    /// long it occupies a thread while waiting for a slow source.
    pub fn check_time(&self, begun: Duration) -> Result<()> {
        match self.time_limit {
            Some(limit) if self.now().saturating_sub(begun) > limit => Err(Failure::new(
                Kind::StateSource,
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
            Failure::new(Kind::StateSource, format!("the origin did not answer {text}: {reason}"))
        };
        let reply = self.backend.ask(text.clone()).map_err(unanswered)?;
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    use std::thread;

    use super::*;
    use crate::execution::Reader;
    use crate::state::{Changes, State};

    /// Answers with one reply and counts the questions; its clock shows what the test sets.
    struct Backend {
        reply: fn(&str) -> Result<Option<Reply>, String>,
        asked: Arc<AtomicUsize>,
        seconds: Arc<AtomicU64>,
    }

    impl SourceBackend for Backend {
        fn ask(&self, question: String) -> Result<Option<Reply>, String> {
            self.asked.fetch_add(1, Ordering::SeqCst);
            (self.reply)(&question)
        }

        fn now(&self) -> Duration {
            Duration::from_secs(self.seconds.load(Ordering::SeqCst))
        }
    }

    struct Source {
        source: Arc<StateSource>,
        asked: Arc<AtomicUsize>,
        seconds: Arc<AtomicU64>,
    }

    fn source(reply: fn(&str) -> Result<Option<Reply>, String>) -> Source {
        let (asked, seconds) = (Arc::default(), Arc::default());
        let backend = Backend { reply, asked: Arc::clone(&asked), seconds: Arc::clone(&seconds) };
        let limit = Some(Duration::from_secs(10));
        Source { source: Arc::new(StateSource::new(Box::new(backend), limit)), asked, seconds }
    }

    fn key(number: u64) -> Key {
        Key::from(Felt::from(number))
    }

    fn seven(_question: &str) -> Result<Option<Reply>, String> {
        Ok(Some(Reply::Text("0x7".to_owned())))
    }

    #[test]
    fn each_question_is_asked_once() {
        let Source { source, asked, .. } = source(seven);
        assert_eq!(source.cached_storage(key(1), key(2)), None);
        for _ in 0..3 {
            assert_eq!(source.storage(key(1), key(2)).unwrap(), Felt::from(7));
        }
        assert_eq!(source.cached_storage(key(1), key(2)), Some(Felt::from(7)));
        assert_eq!(source.nonce(key(1)).unwrap(), Felt::from(7));
        assert_eq!((asked.load(Ordering::SeqCst), source.answers()), (2, 2));
    }

    #[test]
    fn threads_with_the_same_question_wait_for_one_answer() {
        let Source { source, asked, .. } = source(seven);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| assert_eq!(source.nonce(key(3)).unwrap(), Felt::from(7)));
            }
        });
        assert_eq!(asked.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn questions_are_json() {
        let Source { source, .. } = source(|question| Err(question.to_owned()));
        let question_in = |failure: Failure| {
            assert_eq!(failure.kind, Kind::StateSource);
            failure.message.split(": {").nth(1).unwrap_or_default().to_owned()
        };
        let storage = question_in(source.storage(key(1), key(2)).unwrap_err());
        assert_eq!(storage, r#""kind":"storage","address":"0x1","key":"0x2"}"#);
        let nonce = question_in(source.nonce(key(1)).unwrap_err());
        assert_eq!(nonce, r#""kind":"nonce","address":"0x1"}"#);
        let class_hash = question_in(source.class_hash(key(1)).unwrap_err());
        assert_eq!(class_hash, r#""kind":"class_hash","address":"0x1"}"#);
        let class = question_in(source.class(key(9)).unwrap_err());
        assert_eq!(class, r#""kind":"class","class_hash":"0x9"}"#);
    }

    #[test]
    fn what_the_source_does_not_have_is_zero_or_none() {
        let Source { source, .. } = source(|_| Ok(None));
        assert_eq!(source.storage(key(1), key(2)).unwrap(), Felt::ZERO);
        assert!(source.class(key(1)).unwrap().is_none());
    }

    #[test]
    fn a_failed_question_is_asked_again() {
        let Source { source, asked, .. } = source(|_| Err("down".to_owned()));
        for _ in 0..2 {
            assert!(source.nonce(key(1)).unwrap_err().message.ends_with(": down"));
        }
        assert_eq!(asked.load(Ordering::SeqCst), 2);
        assert_eq!(source.cached_nonce(key(1)), None);
    }

    #[test]
    fn answers_of_the_wrong_form_are_failures() {
        let text = source(|_| Ok(Some(Reply::Text("seven".to_owned())))).source;
        let bytes = source(|_| Ok(Some(Reply::Packed(vec![1, 2])))).source;
        for failure in [
            text.nonce(key(1)).unwrap_err(),
            text.class(key(1)).err().unwrap(),
            bytes.nonce(key(1)).unwrap_err(),
            bytes.class(key(1)).err().unwrap(),
        ] {
            assert_eq!(failure.kind, Kind::StateSource);
        }
    }

    #[test]
    fn a_state_reads_from_its_source_what_it_does_not_hold() {
        let Source { source, asked, .. } = source(seven);
        let mut changes = Changes::default();
        changes.storage.entry(key(1)).or_default().insert(key(2), Felt::ZERO);
        let state = State::new(5, true, Some(source)).apply(&changes).unwrap();
        let reader = Reader::new(Arc::new(state), 5);
        assert_eq!(reader.storage(key(1), key(2)).unwrap(), Felt::ZERO);
        assert_eq!(asked.load(Ordering::SeqCst), 0);
        assert_eq!(reader.storage(key(1), key(3)).unwrap(), Felt::from(7));
    }

    #[test]
    fn an_execution_that_began_too_long_ago_reads_no_more() {
        let Source { source, seconds, .. } = source(seven);
        seconds.store(100, Ordering::SeqCst);
        let reader = Reader::new(Arc::new(State::new(0, true, Some(source))), 0);
        seconds.store(110, Ordering::SeqCst);
        assert!(reader.nonce(key(1)).is_ok());
        seconds.store(111, Ordering::SeqCst);
        let failure = reader.nonce(key(1)).unwrap_err();
        assert!(failure.message.contains("given up after 10 s"), "{failure}");
    }

    #[test]
    fn settled_versions_are_read_from_the_source() {
        let mut changes = Changes::default();
        changes.storage.entry(key(1)).or_default().insert(key(2), Felt::from(7));
        let state = State::new(0, true, None).apply(&changes).unwrap().advance();
        let settled = state.settle(0, source(seven).source).unwrap();
        assert_eq!((settled.contracts.len(), settled.log.len()), (0, 0));
        let reader = Reader::new(Arc::new(settled), 1);
        assert_eq!(reader.storage(key(1), key(2)).unwrap(), Felt::from(7));
    }
}
