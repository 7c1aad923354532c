//! Errors of the engine: their kinds, and panics turned into errors.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};

/// The kind is what callers branch on; the message is for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A value that the caller gave is malformed or out of range.
    Input,
    /// A malformed contract class.
    Class,
    /// A class over one of the given size limits.
    ClassTooLarge,
    /// A Sierra version that the pinned compiler does not read.
    SierraVersion,
    /// The compiler refused, crashed, ran too long or wanted too much memory.
    Compilation,
    /// The state cannot do this: history not kept, a read-only view, an unknown version.
    State,
    /// The origin of a fork did not answer a read.
    Origin,
    /// A state image that is damaged or of another format.
    Image,
    /// A contract call that failed; the report carries the frames.
    Call,
    /// A fault of the engine itself.
    Internal,
}

impl Kind {
    /// Holds no colon.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Input => "input",
            Kind::Class => "class",
            Kind::ClassTooLarge => "class_too_large",
            Kind::SierraVersion => "sierra_version",
            Kind::Compilation => "compilation",
            Kind::State => "state",
            Kind::Origin => "origin",
            Kind::Image => "image",
            Kind::Call => "call",
            Kind::Internal => "internal",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Failure {
    pub kind: Kind,
    pub message: String,
}

pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    pub fn new(kind: Kind, message: impl fmt::Display) -> Self {
        Failure { kind, message: message.to_string() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

pub fn input(message: impl fmt::Display) -> Failure {
    Failure::new(Kind::Input, message)
}

/// Runs `work`; a panic inside becomes an internal error instead of ending the process.
pub fn catch_panic<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_panic_as(Kind::Internal, "the engine panicked", work)
}

/// Runs library code that panics on malformed input; a panic becomes an error of `kind`.
pub fn catch_panic_as<T>(kind: Kind, what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let place = PLACE.take();
        Err(Failure::new(kind, format!("{what}: {} ({place})", panic_text(&*panic))))
    })
}

thread_local! {
    /// Where this thread last panicked.
    static PLACE: Cell<String> = const { Cell::new(String::new()) };
}

/// Replaces the default hook, which prints to stderr: a caught panic is reported in its error.
pub fn record_panic_location() {
    set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| {
            let path: Vec<_> = place.file().rsplit(['/', '\\']).take(2).collect();
            let path: Vec<_> = path.into_iter().rev().collect();
            format!("{}:{}", path.join("/"), place.line())
        });
        PLACE.set(place.unwrap_or_default());
    }));
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
