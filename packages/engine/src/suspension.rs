//! Requests of suspended calls. Without threads a call cannot wait, so it fails with a request. JavaScript gets the
//! answer, hands it over and repeats the call, which then finds it. States are immutable, so that a repeated call
//! begins as the first one did.

use std::cell::RefCell;
use std::collections::HashMap;

use starkbox_engine_core::state_source::Reply;

/// The code of the error that carries a request.
pub const CODE: &str = "suspended";

pub enum Answer {
    Reply(Option<Reply>),
    Failed(String),
    /// Stopped at a limit, with the whole sentence.
    Stopped(String),
}

thread_local! {
    /// The first request of the running call.
    static REQUEST: RefCell<Option<String>> = const { RefCell::new(None) };
    static ANSWERS: RefCell<HashMap<String, Answer>> = RefCell::new(HashMap::new());
    /// Numbers of sources that no state uses any more.
    static DROPPED: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    /// Programs to compile, by request.
    static PROGRAMS: RefCell<HashMap<String, Vec<u8>>> = RefCell::new(HashMap::new());
}

pub fn suspend(request: String) {
    REQUEST.with_borrow_mut(|first| {
        first.get_or_insert(request);
    });
}

pub fn suspend_compilation(request: String, program: Vec<u8>) {
    PROGRAMS.with_borrow_mut(|programs| programs.insert(request.clone(), program));
    suspend(request);
}

pub fn is_suspended() -> bool {
    REQUEST.with_borrow(Option::is_some)
}

pub fn take_request() -> Option<String> {
    REQUEST.take()
}

pub fn take_program(request: &str) -> Option<Vec<u8>> {
    PROGRAMS.with_borrow_mut(|programs| programs.remove(request))
}

pub fn drop_source(id: u32) {
    DROPPED.with_borrow_mut(|dropped| dropped.push(id));
}

pub fn take_dropped_sources() -> Vec<u32> {
    DROPPED.take()
}

pub fn answer(request: String, answer: Answer) {
    ANSWERS.with_borrow_mut(|answers| answers.insert(request, answer));
}

pub fn take_answer(request: &str) -> Option<Answer> {
    ANSWERS.with_borrow_mut(|answers| answers.remove(request))
}
