//! Errors of the engine: their kinds, and panics turned into errors.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};

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
    /// The source below a state did not answer a read.
    StateSource,
    /// A state image that is damaged or of another format.
    Image,
    /// A contract call that failed; the report carries the frames.
    Call,
    /// A fault of the engine itself.
    Internal,
}

impl Kind {
    /// What JavaScript calls it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Input => "input",
            Kind::Class => "class",
            Kind::ClassTooLarge => "class_too_large",
            Kind::SierraVersion => "sierra_version",
            Kind::Compilation => "compilation",
            Kind::State => "state",
            Kind::StateSource => "state_source",
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
    catch_panic_as(Kind::Internal, PANICKED, work)
}

/// Runs library code that panics on malformed input; a panic becomes an error of `kind`.
pub fn catch_panic_as<T>(
    kind: Kind,
    what: &'static str,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let outer = WORK.replace((kind, what));
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let location = LOCATION.take();
        Err(Failure::new(kind, format!("{what}: {} ({location})", panic_text(&*panic))))
    });
    WORK.set(outer);
    result
}

thread_local! {
    /// Where this thread last panicked.
    static LOCATION: Cell<String> = const { Cell::new(String::new()) };
    /// The error that a panic becomes.
    static WORK: Cell<(Kind, &'static str)> = const { Cell::new((Kind::Internal, PANICKED)) };
}

const PANICKED: &str = "the engine panicked";

/// Replaces the default hook, which prints to stderr: a caught panic is reported in its error.
pub fn record_panic_location() {
    set_hook(Box::new(|panic| LOCATION.set(location(panic))));
}

/// Replaces the default hook where panics cannot be caught: gives the kind and the message of the error to the host.
pub fn report_panics(report: fn(&str)) {
    set_hook(Box::new(move |panic| {
        let (kind, what) = WORK.replace((Kind::Internal, PANICKED));
        let text = panic_text(panic.payload());
        report(&format!("{}: {what}: {text} ({})", kind.name(), location(panic)));
    }));
}

fn location(panic: &PanicHookInfo<'_>) -> String {
    let location = panic.location().map(|location| {
        let path: Vec<_> = location.file().rsplit(['/', '\\']).take(2).collect();
        let path: Vec<_> = path.into_iter().rev().collect();
        format!("{}:{}", path.join("/"), location.line())
    });
    location.unwrap_or_default()
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use std::panic::take_hook;

    use super::*;

    #[test]
    fn a_panic_becomes_an_error_with_its_message_and_location() {
        let hook = take_hook();
        record_panic_location();
        let line = line!() + 1;
        let failure = catch_panic::<()>(|| panic!("broken {}", 7)).unwrap_err();
        // The hook is that of all tests, which print their panics.
        set_hook(hook);
        assert_eq!(failure.kind, Kind::Internal);
        let location = format!("src/error.rs:{line}");
        assert_eq!(failure.message, format!("the engine panicked: broken 7 ({location})"));
    }

    #[test]
    fn a_panic_of_library_code_has_the_kind_that_the_caller_names() {
        let failure = catch_panic_as::<()>(Kind::Class, "bad class", || panic!("x")).unwrap_err();
        assert_eq!(failure.kind, Kind::Class);
        assert!(failure.message.starts_with("bad class: x"), "{failure}");
    }

    #[test]
    fn values_and_errors_pass_through() {
        assert_eq!(catch_panic(|| Ok(1)).unwrap(), 1);
        let failure = catch_panic::<()>(|| Err(input("no"))).unwrap_err();
        assert_eq!((failure.kind, failure.to_string()), (Kind::Input, "no".to_owned()));
    }

    #[test]
    fn a_panic_without_a_text_is_reported_too() {
        let failure = catch_panic::<()>(|| std::panic::panic_any(7)).unwrap_err();
        assert!(failure.message.contains("no message"), "{failure}");
    }
}
